//! Writes batches of rows to the parts of a dataset.

use std::collections::BTreeMap;
use std::path::Path;

use airmile_analyze::TableInfo;

use crate::error::Error;
use crate::write::batches::Ready;
use crate::write::digest::PartDigest;
use crate::write::directory::Staging;
use crate::write::encode::Scratch;
use crate::write::part::Part;

/// The rows of all tables that may wait for their groups, in bytes. It does not depend on the
/// memory that a run may use, so that the files do not depend on the machine.
const WAITING_BYTES: usize = 12 << 20;

/// Each written group raises this size, because the footers grow with the number of groups.
const WAITING_GROWTH_BYTES: usize = 64 << 10;

/// The greatest size of the rows that may wait, in bytes.
const MOST_WAITING_BYTES: usize = 48 << 20;

/// Writes a dataset: one part per table, then the manifest.
pub(crate) struct DatasetWriter {
    staging: Staging,
    parts: Vec<(&'static str, Part)>,
    scratch: Scratch,
}

impl DatasetWriter {
    /// Begins a dataset at `directory` with an empty part for every table, so that a table without
    /// rows can be queried too.
    ///
    /// # Errors
    /// Fails when the directory exists (unless `overwrite` is set and it is a dataset), and when it
    /// cannot be written.
    pub(crate) fn create(
        directory: &Path,
        overwrite: bool,
        tables: &[TableInfo],
    ) -> Result<Self, Error> {
        let staging = Staging::begin(directory, overwrite)?;
        let part = |table: &TableInfo| Ok((table.name, Part::create(staging.path(), table)?));
        let parts = tables.iter().map(part).collect::<Result<_, Error>>()?;
        Ok(Self { staging, parts, scratch: Scratch::default() })
    }

    /// Adds rows to their table.
    ///
    /// # Errors
    /// Fails when the rows cannot be written, for example because the disk is full.
    pub(crate) fn write(&mut self, rows: &Ready) -> Result<(), Error> {
        let Some((_, part)) = self.parts.get_mut(rows.table) else {
            return Err(Error::output(format!("rows for an unknown table number {}", rows.table)));
        };
        part.write(&rows.rows, &mut self.scratch)?;
        self.make_room()
    }

    /// The memory of the rows that wait for their groups, and of the footers.
    pub(crate) fn held_bytes(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.held_bytes()).sum()
    }

    /// Writes the largest group before it is full, if the groups of all tables together take much
    /// memory.
    fn make_room(&mut self) -> Result<(), Error> {
        let waiting: usize = self.parts.iter().map(|(_, part)| part.waiting_bytes()).sum();
        let groups: usize = self.parts.iter().map(|(_, part)| part.groups()).sum();
        if waiting <= MOST_WAITING_BYTES.min(WAITING_BYTES + groups * WAITING_GROWTH_BYTES) {
            return Ok(());
        }
        let largest = self.parts.iter_mut().max_by_key(|(_, part)| part.waiting_bytes());
        largest.map_or(Ok(()), |(_, part)| part.make_room(&mut self.scratch))
    }

    /// The number of rows written so far, by table.
    pub(crate) fn rows_written(&self) -> BTreeMap<&'static str, u64> {
        self.parts.iter().map(|(name, part)| (*name, part.written())).collect()
    }

    /// Closes every part; returns the directory, which still needs its manifest, and the digests of
    /// the parts.
    ///
    /// # Errors
    /// Fails when a part cannot be closed; nothing is left at the directory then.
    pub(crate) fn close(mut self) -> Result<(Staging, BTreeMap<String, PartDigest>), Error> {
        let mut digests = BTreeMap::new();
        for (table, part) in self.parts {
            digests.insert(Part::name(table), part.finish(&mut self.scratch)?);
        }
        Ok((self.staging, digests))
    }
}
