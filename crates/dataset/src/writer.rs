//! Rows to the parts of a dataset.

use std::collections::BTreeMap;
use std::path::Path;

use airmile_analyze::{EventTable, Output, TableInfo};
use airmile_types::RowSink;

use crate::directory::Staging;
use crate::error::Error;
use crate::part::Part;

/// Writes a dataset: one part per table, then the manifest.
///
/// [`Output`] gives no errors back, so the first one is kept, nothing is written after it, and
/// [`DatasetWriter::check`] or [`DatasetWriter::finish`] returns it.
pub struct DatasetWriter {
    staging: Staging,
    parts: Vec<(&'static str, Part)>,
    failure: Option<Error>,
}

/// Name of the table that [`Output::flow`] fills.
pub(crate) const FLOWS: &str = "flows";

impl DatasetWriter {
    /// Begins a dataset at `directory` with an empty part for every table, so that a table
    /// without rows can be queried too.
    ///
    /// # Errors
    /// When the directory exists (unless `overwrite` and it is a dataset) or cannot be written.
    pub fn create(directory: &Path, overwrite: bool, tables: &[TableInfo]) -> Result<Self, Error> {
        let staging = Staging::begin(directory, overwrite)?;
        let part = |table: &TableInfo| Ok((table.name, Part::create(staging.path(), table)?));
        let parts = tables.iter().map(part).collect::<Result<_, Error>>()?;
        Ok(Self { staging, parts, failure: None })
    }

    /// What went wrong so far.
    ///
    /// # Errors
    /// The first error of writing.
    pub fn check(&self) -> Result<(), Error> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Rows written so far, by table.
    pub fn rows_written(&self) -> BTreeMap<&'static str, u64> {
        self.parts.iter().map(|(name, part)| (*name, part.written())).collect()
    }

    /// Closes every part, writes the manifest and moves the dataset to its place.
    ///
    /// # Errors
    /// The first error of writing; nothing is left at the directory then.
    pub fn finish(self, manifest: &str) -> Result<(), Error> {
        self.check()?;
        for (_, part) in self.parts {
            part.finish()?;
        }
        self.staging.publish(manifest)
    }

    fn put(&mut self, table: &'static str, write: impl FnOnce(&mut dyn RowSink)) {
        if self.failure.is_some() {
            return;
        }
        let part = self.parts.iter_mut().find(|(name, _)| *name == table);
        let done = match part {
            Some((_, part)) => part.row(write),
            None => Err(Error::output(format!("rows for an unknown table {table}"))),
        };
        self.failure = done.err();
    }
}

impl Output for DatasetWriter {
    fn flow(&mut self, write: &dyn Fn(&mut dyn RowSink)) {
        self.put(FLOWS, write);
    }

    fn rows<T: EventTable>(&mut self, rows: &mut Vec<T>) {
        for row in rows.drain(..) {
            self.put(T::TABLE, |sink| row.put(sink));
        }
    }
}
