//! Rows of one shard, gathered into record batches on the way to the writer.

use airmile_analyze::{EventTable, Output, TableInfo};
use airmile_types::RowSink;
use arrow_array::RecordBatch;

use crate::error::Error;
use crate::rows::Rows;
use crate::schema::arrow_schema;
use crate::verdict::{Adder, Sums};

/// Rows gathered before they are handed to the encoder: every shard holds so many of every table.
pub(crate) const BATCH_ROWS: usize = 256;

/// Name of the table that [`Output::flow`] fills.
const FLOWS: &str = "flows";

/// Rows of the table at an index of the list of tables.
pub(crate) struct Ready {
    pub(crate) table: usize,
    pub(crate) batch: RecordBatch,
}

/// The rows of every table that have not left yet.
///
/// [`Output`] gives no errors back, so the first one is kept, and nothing is gathered after it.
pub(crate) struct Batches {
    tables: Vec<(&'static str, Rows)>,
    ready: Vec<Ready>,
    adder: Adder,
    failure: Option<Error>,
}

impl Batches {
    /// No rows of these tables.
    ///
    /// # Errors
    /// For a column of a type that no Parquet column has.
    pub(crate) fn new(tables: &[TableInfo]) -> Result<Self, Error> {
        let rows = |table: &TableInfo| match Rows::new(arrow_schema(table)) {
            Ok(rows) => Ok((table.name, rows)),
            Err(error) => Err(Error::output(error.to_string())),
        };
        let adder = Adder::new(tables);
        let tables = tables.iter().map(rows).collect::<Result<_, _>>()?;
        Ok(Self { tables, ready: Vec::new(), adder, failure: None })
    }

    /// The batches that are full, in the order in which they became so.
    ///
    /// # Errors
    /// The first row that did not fit its table.
    pub(crate) fn take_ready(&mut self) -> Result<Vec<Ready>, Error> {
        match &self.failure {
            Some(error) => Err(error.clone()),
            None => Ok(std::mem::take(&mut self.ready)),
        }
    }

    /// Makes batches of what is left too.
    pub(crate) fn close(&mut self) {
        for table in 0..self.tables.len() {
            self.seal(table);
        }
    }

    /// What the verdict needs of all rows, after the last.
    pub(crate) fn sums(self) -> Sums {
        self.adder.finish()
    }

    /// The index of a table; a failure when there is none.
    fn index(&mut self, table: &'static str) -> Option<usize> {
        let index = self.tables.iter().position(|(name, _)| *name == table);
        if index.is_none() && self.failure.is_none() {
            self.failure = Some(Error::output(format!("rows for an unknown table {table}")));
        }
        index
    }

    fn put(&mut self, table: usize, write: impl FnOnce(&mut dyn RowSink)) {
        let known = self.tables.get_mut(table).filter(|_| self.failure.is_none());
        let Some((_, rows)) = known else { return };
        write(rows);
        if let Err(error) = rows.end_row() {
            self.failure = Some(Error::output(error.to_string()));
        } else if rows.len() >= BATCH_ROWS {
            self.seal(table);
        }
    }

    fn seal(&mut self, table: usize) {
        let Some((_, rows)) = self.tables.get_mut(table).filter(|(_, rows)| !rows.is_empty())
        else {
            return;
        };
        match rows.take() {
            Ok(batch) => self.ready.push(Ready { table, batch }),
            Err(error) => self.failure = Some(Error::output(error.to_string())),
        }
    }
}

impl Output for Batches {
    fn flow(&mut self, write: &dyn Fn(&mut dyn RowSink)) {
        if let Some(table) = self.index(FLOWS) {
            self.put(table, write);
        }
        self.adder.flow(write);
    }

    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        let Some(table) = self.index(T::TABLE) else { return rows.clear() };
        self.adder.rows(rows);
        for row in rows.drain(..) {
            self.put(table, |sink| row.put(sink));
        }
    }
}
