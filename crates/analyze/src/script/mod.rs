//! Runs packet scripts, the test cases on the pages of the analyses, through the real tracker and
//! engine. The notation is described in `docs/design/packet-scripts.md`.

mod expect;
mod extras;
mod line;
mod number;
mod page;
#[cfg(test)]
mod parameters;
#[cfg(test)]
mod properties;
mod rows;
#[allow(clippy::module_inception, reason = "the script is what this folder is about")]
mod script;
mod tls;
#[cfg(test)]
mod waiting;
mod wire;

use airmile_track::{Handler, Tracker};

use crate::Engine;
use number::number;
use script::Script;
use wire::Wire;

pub use rows::{Collected, Rows, Value};

/// Runs a script and returns the rows of every table.
///
/// # Errors
/// Returns the first line that does not follow the notation, and the reason.
pub fn run(text: &str) -> Result<Collected, String> {
    Script::read(text).map(|script| play(&script))
}

/// The faults of a page, one line each, such as `rss.md, ## title: column left X right Y`, where X
/// is the computed value and Y the value on the page. Faults in the structure of the page are
/// included.
pub fn check(name: &str, page: &str) -> Vec<String> {
    let mut faults: Vec<String> =
        page::faults(page).into_iter().map(|fault| format!("{name}.md: {fault}")).collect();
    for case in page::cases(page) {
        let wrong = check_case(&case).unwrap_or_else(|why| vec![why]);
        faults
            .extend(wrong.into_iter().map(|fault| format!("{name}.md, {}: {fault}", case.heading)));
    }
    faults
}

/// Runs a script through the tracker alone; `handler` receives the facts.
#[cfg(test)]
pub(crate) fn track<H: Handler>(text: &str, handler: H) -> Result<H, String> {
    Script::read(text).map(|script| play_to(&script, handler))
}

fn play(script: &Script) -> Collected {
    play_to(script, Engine::new(script.parameters.clone(), Collected::default())).finish()
}

fn play_to<H: Handler>(script: &Script, handler: H) -> H {
    let mut tracker = Tracker::new(script.track_config(), handler);
    let mut wire = Wire::new(script);
    for line in &script.lines {
        tracker.packet(&wire.packet(line));
    }
    tracker.finish()
}

fn check_case(case: &page::Case<'_>) -> Result<Vec<String>, String> {
    if case.flow.is_empty() || case.expected.is_empty() {
        return Err("a case needs a ```flow block and a ```row or ```rows block".into());
    }
    let script = Script::read(&case.flow)?;
    let outcome = play(&script);
    let mut wrong = Vec::new();
    for (info, lines) in &case.expected {
        match info.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["row"] => wrong.extend(check_row(&outcome, &script, 1, 1, lines)?),
            ["row", "flow", flow] => {
                wrong.extend(check_row(&outcome, &script, number(flow)?, 1, lines)?);
            }
            ["row", "flow", flow, "nth", nth] => {
                let (flow, nth) = (number(flow)?, number(nth)?);
                wrong.extend(check_row(&outcome, &script, flow, nth, lines)?);
            }
            ["rows", table] => wrong.extend(check_rows(&outcome, &script, table, lines)?),
            _ => {
                return Err(format!(
                    "```{info}: write ```row, ```row flow 2 [nth 2] or ```rows TABLE"
                ));
            }
        }
    }
    Ok(wrong)
}

/// Compares `column = value` lines with the n-th row of a flow.
fn check_row(
    outcome: &Collected,
    script: &Script,
    flow: u32,
    nth: usize,
    lines: &[&str],
) -> Result<Vec<String>, String> {
    let flows = outcome.table("flows").ok_or("no table `flows`")?;
    let row =
        row_of(flows, script, flow, nth).ok_or(format!("no row of flow {flow} (nth {nth})"))?;
    let mut wrong = Vec::new();
    for line in lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()) {
        let (column, expected) =
            line.split_once('=').ok_or(format!("`{line}`: write column = value"))?;
        wrong.extend(check_cell(outcome, script, flows, row, column.trim(), expected.trim())?);
    }
    Ok(wrong)
}

/// The index of the n-th row between the ends of a declared flow.
fn row_of(flows: &Rows, script: &Script, flow: u32, nth: usize) -> Option<usize> {
    let ends = script.endpoints(flow);
    let is = |row, column, text: &str| {
        flows.cell(row, column).is_some_and(|cell| cell.to_string() == text)
    };
    // ICMP flows have no ports, so null matches any port.
    let port = |row, column, number: u16| {
        flows.cell(row, column) == Some(&Value::Null) || is(row, column, &number.to_string())
    };
    (0..flows.rows.len())
        .filter(|row| {
            is(*row, "ue", &ends.ue.0.to_string())
                && is(*row, "server", &ends.server.0.to_string())
                && port(*row, "ue_port", ends.ue.1)
                && port(*row, "server_port", ends.server.1)
        })
        .nth(nth.checked_sub(1)?)
}

/// Compares a whole table with the expected one: a line of column names, and a line for each row,
/// in order.
fn check_rows(
    outcome: &Collected,
    script: &Script,
    table: &str,
    lines: &[&str],
) -> Result<Vec<String>, String> {
    let mut lines = lines.iter().map(|line| fields(line)).filter(|fields| !fields.is_empty());
    let columns = lines.next().ok_or("no line of column names")?;
    let expected: Vec<Vec<String>> = lines.collect();
    if !crate::tables().iter().any(|known| known.name == table) {
        return Err(format!("no table is called `{table}`"));
    }
    let none = Rows { name: "", columns: columns.clone(), rows: Vec::new() };
    let rows = outcome.table(table).unwrap_or(&none);
    if rows.rows.len() != expected.len() {
        let came = (0..rows.rows.len()).map(|row| line_of(rows, row, &columns));
        return Ok(vec![format!(
            "rows of {table} left {} right {}\n{}",
            rows.rows.len(),
            expected.len(),
            came.collect::<Vec<_>>().join("\n")
        )]);
    }
    let mut wrong = Vec::new();
    for (index, cells) in expected.iter().enumerate() {
        if cells.len() != columns.len() {
            return Err(format!("row {} of {table} has {} cells", index + 1, cells.len()));
        }
        for (column, expected) in columns.iter().zip(cells) {
            let faults = check_cell(outcome, script, rows, index, column, expected)?;
            wrong.extend(faults.map(|fault| format!("{table} row {}: {fault}", index + 1)));
        }
    }
    Ok(wrong)
}

/// The cells of a row in these columns, as an expected row is written.
fn line_of(rows: &Rows, row: usize, columns: &[String]) -> String {
    let cell = |column: &String| rows.cell(row, column).map_or("?".into(), Value::to_string);
    columns.iter().map(cell).collect::<Vec<_>>().join(" | ")
}

fn check_cell(
    outcome: &Collected,
    script: &Script,
    table: &Rows,
    row: usize,
    column: &str,
    expected: &str,
) -> Result<Option<String>, String> {
    let value = table.cell(row, column).ok_or(format!("no column `{column}` in {}", table.name))?;
    let right = match expected.strip_prefix('#') {
        Some(flow) => uid_of(outcome, script, number(flow)?).as_ref() == Some(value),
        None => expect::holds(value, expected)?,
    };
    Ok((!right).then(|| format!("{column} left {value} right {expected}")))
}

/// The `uid` of a declared flow.
fn uid_of(outcome: &Collected, script: &Script, flow: u32) -> Option<Value> {
    let flows = outcome.table("flows")?;
    flows.cell(row_of(flows, script, flow, 1)?, "uid").cloned()
}

/// The cells of a line, separated by `|`, or else by commas, or else by white space.
fn fields(line: &str) -> Vec<String> {
    let line = line.trim().trim_matches('|');
    let trimmed = |part: &str| part.trim().to_owned();
    if line.is_empty() {
        Vec::new()
    } else if line.contains('|') {
        line.split('|').map(trimmed).collect()
    } else if line.contains(',') {
        line.split(',').map(trimmed).collect()
    } else {
        line.split_whitespace().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests;
