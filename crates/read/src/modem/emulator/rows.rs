//! Reads the files that the emulator writes into the folder of its log: a header, and a line per
//! row.

use airmile_types::Instant;

use crate::modem::record::Record;
use crate::modem::report::Notes;
use crate::modem::text::{self, Bad, ByLine, Line, Row};

/// The greatest number of rows: two hours with a hundred cells a second, or a hundred handovers. A
/// file that somebody else has put into the folder of a log must not fill the memory.
const MOST_ROWS: u64 = 720_000;

/// The columns of such a file, found by their names in its header.
pub(super) trait Columns: Send + Sized + 'static {
    /// The name of the file's form in reports.
    const NAME: &'static str;

    /// Finds the columns.
    fn of(header: &Row<'_>) -> Self;

    /// The records of a row, with their times.
    fn records(&self, row: &Row<'_>) -> Result<impl Iterator<Item = (Instant, Record)>, Bad>;
}

/// Reads a file with these columns.
pub(super) struct Rows<C> {
    columns: Option<C>,
    count: u64,
}

impl<C> Default for Rows<C> {
    fn default() -> Self {
        Self { columns: None, count: 0 }
    }
}

impl<C: Columns> ByLine for Rows<C> {
    const NAME: &'static str = C::NAME;

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        let row = Row::split(&line.text, ',');
        let Some(columns) = &self.columns else {
            self.columns = Some(C::of(&row));
            // A file with only a header is valid too: there was nothing to write.
            notes.understood.entry((C::NAME, 0)).or_default();
            return;
        };
        if line.text.is_empty() {
            return;
        }
        if self.count >= MOST_ROWS {
            return notes.skip("too_many_rows");
        }
        match columns.records(&row) {
            Ok(records) => {
                self.count += 1;
                *notes.understood.entry((C::NAME, 0)).or_default() += 1;
                for (time, record) in records {
                    notes.saw(time);
                    out.push(record);
                }
            }
            Err(bad) => text::reject(line, &bad, notes),
        }
    }
}
