//! Reads tables whose column names take several lines.

use crate::modem::text::Column;

/// The greatest number of lines of column names; logs have six.
const MOST_LINES: usize = 16;
/// The greatest number of columns of a table; logs have thirty.
const MOST_COLUMNS: usize = 100;

/// A table: a ruled line, lines of column names, a ruled line, and rows.
#[derive(Default)]
pub(super) struct Table {
    state: State,
    /// The lines of column names so far.
    header: Vec<String>,
    /// The name of each column, in lower case.
    names: Vec<String>,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    Outside,
    Names,
    Rows,
}

impl Table {
    /// Takes a line; returns the cells if it is a row.
    pub(super) fn line<'a>(&mut self, line: &'a str) -> Option<Vec<&'a str>> {
        let text = line.trim();
        if text.starts_with("---") {
            if self.state == State::Names {
                self.names = names(&self.header);
                self.state = State::Rows;
            } else {
                self.state = State::Names;
            }
            self.header.clear();
            return None;
        }
        if !text.starts_with('|') {
            self.state = State::Outside;
            return None;
        }
        if self.state == State::Names && self.header.len() < MOST_LINES {
            self.header.push(line.to_owned());
        }
        let inner = text.strip_prefix('|').unwrap_or(text);
        let inner = inner.strip_suffix('|').unwrap_or(inner);
        (self.state == State::Rows).then(|| inner.split('|').map(str::trim).collect())
    }

    /// The first column with this name.
    pub(super) fn column(&self, name: &'static str) -> Column {
        Column { name, at: self.names.iter().position(|other| other == name) }
    }

    /// The last column with this name.
    pub(super) fn last_column(&self, name: &'static str) -> Column {
        Column { name, at: self.names.iter().rposition(|other| other == name) }
    }

    /// The number of columns.
    pub(super) fn width(&self) -> usize {
        self.names.len()
    }
}

/// The column names, joined from the words that are above each other. The lowest line has a bar for
/// each column. A cell of a line above that spans several columns is the name of their group.
fn names(header: &[String]) -> Vec<String> {
    let Some(lowest) = header.last() else { return Vec::new() };
    let columns: Vec<(usize, usize)> = cells(lowest).take(MOST_COLUMNS).collect();
    let mut names = vec![String::new(); columns.len()];
    for line in header {
        for span in cells(line) {
            let Ok(at) = columns.binary_search(&span) else { continue };
            let word = line.get(span.0..span.1).unwrap_or_default();
            let word = word.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
            if let Some(name) = names.get_mut(at).filter(|_| !word.is_empty()) {
                let space = if name.is_empty() { "" } else { " " };
                *name += &format!("{space}{word}");
            }
        }
    }
    names
}

/// The offsets at which each cell of a line begins and ends.
fn cells(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let bars: Vec<usize> = line.match_indices('|').map(|(at, _)| at).collect();
    let ends = bars.clone().into_iter().skip(1);
    bars.into_iter().zip(ends).map(|(bar, next)| (bar + 1, next))
}
