//! Provides what all text formats share: lines, rows with named columns, and strict numbers.

mod lines;
mod number;
mod row;
mod time;
mod widths;
mod words;

use std::io;

pub(crate) use lines::{Line, Lines};
pub(crate) use number::{decimal, flag, unix_seconds, whole};
pub(crate) use row::{Bad, Column, Row};
pub(crate) use time::calendar;
pub(crate) use widths::Widths;
pub(crate) use words::{block_bytes, carrier, lte_prbs, modulation, passed, rnti};

use super::reader::{Format, Input};
use super::record::{Record, Subframe};
use super::report::Notes;

/// The greatest number of lines in one piece; a pipe that has fewer returns those.
const PIECE: usize = 1000;

/// A format that is read line by line.
pub(crate) trait ByLine: Default + Send {
    /// The name of the format in reports.
    const NAME: &'static str;

    /// Whether the program that writes the format writes further files beside the log.
    const FILES_BESIDE: bool = false;

    /// Takes the next line, and appends its records to `out`.
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes);

    /// Appends the records that were held back, after the last line.
    fn end(&mut self, _out: &mut Vec<Record>, _notes: &mut Notes) {}

    /// Corrects the times of records, as [`Format::refine`] does.
    fn refine(&self, _records: &mut dyn Iterator<Item = Subframe<'_>>) {}
}

/// Opens an input of a format that is read line by line.
pub(crate) fn open<F: ByLine + 'static>(input: Input) -> Box<dyn Format> {
    Box::new(Reader { lines: Lines::new(input), format: F::default() })
}

struct Reader<F> {
    lines: Lines,
    format: F,
}

impl<F: ByLine> Format for Reader<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn has_files_beside(&self) -> bool {
        F::FILES_BESIDE
    }

    fn read(&mut self, out: &mut Vec<Record>, notes: &mut Notes) -> io::Result<bool> {
        for _ in 0..PIECE {
            match self.lines.next(notes) {
                Ok(Some(line)) => self.format.line(&line, out, notes),
                end => {
                    self.format.end(out, notes);
                    return end.map(|_| false);
                }
            }
            if !self.lines.is_ready() {
                break;
            }
        }
        Ok(true)
    }

    fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        self.format.refine(records);
    }
}

/// Reports a line that gives no record, with the reason.
pub(crate) fn reject(line: &Line<'_>, bad: &Bad, notes: &mut Notes) {
    notes.skip("bad_row");
    let text = format!("line {}: {bad}; it was skipped", line.number);
    notes.problem(line.offset, "corrupt_record", text);
}

/// Whether the first line is a comma-separated header with these columns.
pub(crate) fn has_columns(first: &[u8], names: &[&str]) -> bool {
    let Some(line) = first_line(first) else { return false };
    let header: Vec<&str> = line.split(',').map(str::trim).collect();
    names.iter().all(|name| header.contains(name))
}

/// The first complete line among the first bytes of a log; `None` if there is none.
pub(crate) fn first_line(first: &[u8]) -> Option<&str> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let end = first.iter().position(|byte| *byte == b'\n')?;
    let line = first.get(..end)?;
    str::from_utf8(line).ok().map(|line| line.trim_end_matches('\r'))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::modem::{ModemLog, ModemReport, Record};

    /// The records of a log with this text, and the report on it.
    pub(crate) fn read(text: &str) -> (Vec<Record>, ModemReport) {
        let bytes = std::io::Cursor::new(text.to_owned().into_bytes());
        let mut log = ModemLog::from_reader("log", bytes).expect("the format is known");
        let mut records = Vec::new();
        while log.read(&mut records) {}
        (records, log.report())
    }

    /// Reads the log cut at every position. Nothing may panic, and the records before the cut line
    /// must be the same.
    pub(crate) fn check_cuts(text: &str) {
        let (whole, _) = read(text);
        for (cut, _) in text.char_indices() {
            let before = text.get(..cut).unwrap_or_default();
            let bytes = std::io::Cursor::new(before.to_owned().into_bytes());
            let Ok(mut log) = ModemLog::from_reader("log", bytes) else { continue };
            let mut records = Vec::new();
            while log.read(&mut records) {}
            let sure = records.len().saturating_sub(1);
            assert_eq!(records.get(..sure), whole.get(..sure), "cut at {cut}");
        }
    }
}
