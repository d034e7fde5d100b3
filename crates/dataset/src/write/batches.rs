//! Gathers the rows of one shard into chunks on the way to the writer.

use airmile_analyze::{FlowRow, Output, TableInfo};
use airmile_types::{EventTable, RowSink};

use crate::error::Error;
use crate::verdict::{Adder, Held, Sums};
use crate::write::rows::{Chunk, Rows};
use crate::write::schema::kinds;

/// The number of rows gathered before they are passed to the encoder; every shard may hold this
/// many rows of every table.
pub(crate) const BATCH_ROWS: usize = 256;

/// The name of the table that [`Output::flow`] fills.
const FLOWS: &str = "flows";

/// The rows of a table, with its index in the list of tables.
pub(crate) struct Ready {
    pub(crate) table: usize,
    pub(crate) rows: Chunk,
}

/// The rows of every table that have not been passed on yet.
///
/// The methods of [`Output`] return no errors, so the first error is kept, and nothing is gathered
/// after it.
pub(crate) struct Batches {
    gathered: Gathered,
    adder: Adder,
}

struct Gathered {
    tables: Vec<(&'static str, Rows)>,
    ready: Vec<Ready>,
    failure: Option<Error>,
}

impl Batches {
    /// Makes empty batches for these tables.
    pub(crate) fn new(tables: &[TableInfo]) -> Self {
        let adder = Adder::new(tables);
        let tables = tables.iter().map(|table| (table.name, Rows::new(kinds(table)))).collect();
        Self { gathered: Gathered { tables, ready: Vec::new(), failure: None }, adder }
    }

    /// The full batches, in the order in which they became full.
    ///
    /// # Errors
    /// Fails with the first row that did not fit its table.
    pub(crate) fn take_ready(&mut self) -> Result<Vec<Ready>, Error> {
        match &self.gathered.failure {
            Some(error) => Err(error.clone()),
            None => Ok(std::mem::take(&mut self.gathered.ready)),
        }
    }

    /// Makes batches of the remaining rows too.
    pub(crate) fn close(&mut self) {
        for table in 0..self.gathered.tables.len() {
            self.gathered.seal(table);
        }
    }

    /// The memory of the batches that are not full, in bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.gathered.tables.iter().map(|(_, rows)| rows.held_bytes()).sum()
    }

    /// How much is kept for the sums of the verdict.
    pub(crate) fn held(&self) -> Held {
        self.adder.held()
    }

    /// Gives up the sums of the verdict, which can be computed from the tables.
    pub(crate) fn give_up(&mut self, reason: &'static str) {
        self.adder.give_up(reason);
    }

    /// Returns the sums of the verdict, after the last row.
    pub(crate) fn sums(self) -> Sums {
        self.adder.finish()
    }
}

impl Gathered {
    /// The index of a table; a failure when there is no such table.
    fn index(&mut self, table: &'static str) -> Option<usize> {
        let index = self.tables.iter().position(|(name, _)| *name == table);
        if index.is_none() && self.failure.is_none() {
            self.failure = Some(Error::output(format!("rows for an unknown table {table}")));
        }
        index
    }

    fn put(&mut self, table: usize, write: impl FnOnce(&mut Rows)) {
        let known = self.tables.get_mut(table).filter(|_| self.failure.is_none());
        let Some((_, rows)) = known else { return };
        write(rows);
        if let Err(error) = rows.end_row() {
            self.failure = Some(error);
        } else if rows.len() >= BATCH_ROWS {
            self.seal(table);
        }
    }

    fn seal(&mut self, table: usize) {
        if let Some((_, rows)) = self.tables.get_mut(table).filter(|(_, rows)| rows.len() > 0) {
            self.ready.push(Ready { table, rows: rows.take() });
        }
    }
}

impl Output for Batches {
    fn flow(&mut self, row: &FlowRow<'_>) {
        let Some(table) = self.gathered.index(FLOWS) else { return };
        let picker = self.adder.next_flow();
        self.gathered.put(table, |rows| row.put(&mut Both(rows, picker)));
        self.adder.end_flow();
    }

    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        let Some(table) = self.gathered.index(T::TABLE) else { return rows.clear() };
        self.adder.rows(rows);
        for row in rows.drain(..) {
            self.gathered.put(table, |rows| row.put(rows));
        }
    }
}

/// Passes each cell to two sinks, so that its value is computed only once.
struct Both<'a, A, B>(&'a mut A, &'a mut B);

macro_rules! both {
    ($($method:ident($type:ty)),*) => {
        $(fn $method(&mut self, value: Option<$type>) {
            self.0.$method(value);
            self.1.$method(value);
        })*
    };
}

impl<A: RowSink, B: RowSink> RowSink for Both<'_, A, B> {
    both!(i64(i64), u64(u64), u16(u16), f64(f64), bool(bool), utf8(&str), word(&'static str));
}
