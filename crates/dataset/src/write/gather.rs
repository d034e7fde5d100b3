//! Gathers rows as Arrow record batches, for callers that want them in memory.

use std::sync::Arc;

use airmile_analyze::TableInfo;
use airmile_types::{Kind, Table};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;

use crate::error::Error;
use crate::write::columns::Columns;
use crate::write::rows::{Chunk, Rows};
use crate::write::schema::{arrow_schema, kinds};

/// The number of rows of a batch.
const BATCH_ROWS: usize = 8192;

/// Makes batches of the rows of one table.
pub(crate) struct Gather {
    form: Form,
    rows: Rows,
    batches: Vec<RecordBatch>,
}

/// The column schema of a table, shared by all its batches.
pub(crate) struct Form {
    schema: SchemaRef,
    kinds: Arc<[Kind]>,
}

impl Gather {
    /// Makes a gatherer without rows for a table.
    pub(crate) fn new(table: &TableInfo) -> Self {
        let form = Form::new(table);
        Self { rows: Rows::new(Arc::clone(&form.kinds)), form, batches: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Fails when the row does not belong to the table.
    pub(crate) fn put(&mut self, row: &impl Table) -> Result<(), Error> {
        row.put(&mut self.rows);
        self.rows.end_row()?;
        if self.rows.len() == BATCH_ROWS { self.seal() } else { Ok(()) }
    }

    /// The schema and all batches.
    ///
    /// # Errors
    /// Fails when a batch cannot be made.
    pub(crate) fn finish(mut self) -> Result<(SchemaRef, Vec<RecordBatch>), Error> {
        if self.rows.len() > 0 {
            self.seal()?;
        }
        Ok((self.form.schema, self.batches))
    }

    fn seal(&mut self) -> Result<(), Error> {
        self.batches.push(self.form.batch(&self.rows.take())?);
        Ok(())
    }
}

impl Form {
    /// The column schema of a table.
    pub(crate) fn new(table: &TableInfo) -> Self {
        Self { schema: arrow_schema(table), kinds: kinds(table) }
    }

    /// Rows of the table as a batch.
    ///
    /// # Errors
    /// Fails when the rows have other columns.
    pub(crate) fn batch(&self, rows: &Chunk) -> Result<RecordBatch, Error> {
        let mut columns = Columns::new(&self.kinds);
        columns.append(rows);
        RecordBatch::try_new(Arc::clone(&self.schema), columns.arrays())
            .map_err(|error| Error::output(error.to_string()))
    }
}
