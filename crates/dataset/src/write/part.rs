//! Writes one Parquet part of a table, group by group as the rows come.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use airmile_analyze::TableInfo;
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::errors::Result as Parquet;
use parquet::file::writer::SerializedFileWriter;

use crate::error::Error;
use crate::write::columns::Columns;
use crate::write::digest::{Digesting, PartDigest};
use crate::write::encode::{Scratch, properties, write_group};
use crate::write::folders::{create_file, sync_folder};
use crate::write::rows::Chunk;
use crate::write::schema::{arrow_schema, kinds};

/// The number of rows of a row group: enough for its columns to compress well, and few enough that
/// readers can skip groups by statistics.
const GROUP_ROWS: usize = 128 * 1024;

/// The size of a row group's known cells, in bytes; the group is in memory until it is full. This
/// is 3 000 wide rows, or 40 000 rows of a flood, whose cells are mostly null.
const GROUP_BYTES: usize = 4 << 20;

/// Each written group raises this size for the next one. So the part of the footer that describes
/// groups grows only with the square root of the number of rows.
const GROUP_GROWTH_BYTES: usize = 128 << 10;

/// The greatest size of a group, in bytes.
const LARGEST_GROUP_BYTES: usize = 24 << 20;

/// The memory that a column of a written group takes until the footer is written, in bytes.
const FOOTER_BYTES: usize = 700;

/// The name of a part in the folder of its table.
const NAME: &str = "part-0.parquet";

/// The file `TABLE/part-0.parquet`.
pub(crate) struct Part {
    path: PathBuf,
    file: SerializedFileWriter<Digesting<File>>,
    columns: Columns,
    written: u64,
}

impl Part {
    /// Creates the table's folder in `directory` and an empty part in it.
    pub(crate) fn create(directory: &Path, table: &TableInfo) -> Result<Self, Error> {
        let folder = directory.join(table.name);
        fs::create_dir(&folder).map_err(|error| Error::write(&folder, error))?;
        let path = folder.join(NAME);
        let file = create_file(&path)?;
        let file = begin(file, table).map_err(|error| Error::write(&path, error))?;
        Ok(Self { path, file, columns: Columns::new(&kinds(table)), written: 0 })
    }

    /// The number of rows written so far.
    pub(crate) const fn written(&self) -> u64 {
        self.written
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, rows: &Chunk, scratch: &mut Scratch) -> Result<(), Error> {
        self.written += rows.rows as u64;
        self.columns.append(rows);
        let groups = self.groups();
        let most = LARGEST_GROUP_BYTES.min(GROUP_BYTES + groups * GROUP_GROWTH_BYTES);
        if self.columns.rows() >= GROUP_ROWS || self.columns.bytes() >= most {
            self.flush(scratch)?;
        }
        Ok(())
    }

    /// Writes the remaining rows and the footer, and waits until the disk has them; returns the
    /// digest of the whole part.
    pub(crate) fn finish(mut self, scratch: &mut Scratch) -> Result<PartDigest, Error> {
        if self.columns.rows() > 0 {
            self.flush(scratch)?;
        }
        let whole = self.file.into_inner().map_err(|error| Error::write(&self.path, error))?;
        whole.to().sync_all().map_err(|error| Error::write(&self.path, error))?;
        self.path.parent().map_or(Ok(()), sync_folder)?;
        Ok(whole.so_far())
    }

    /// The number of groups written so far.
    pub(crate) fn groups(&self) -> usize {
        self.file.flushed_row_groups().len()
    }

    /// The size of the rows that wait for their group, in bytes.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.columns.bytes()
    }

    /// The memory of the part: its columns, and the part of the footer that is known.
    pub(crate) fn held_bytes(&self) -> usize {
        self.columns.held_bytes() + self.groups() * self.columns.iter().count() * FOOTER_BYTES
    }

    /// Writes the rows that wait as a group, and frees their memory.
    pub(crate) fn make_room(&mut self, scratch: &mut Scratch) -> Result<(), Error> {
        self.flush(scratch)?;
        self.columns.free();
        Ok(())
    }

    /// The path of the part in its dataset, with `/` on every system.
    pub(crate) fn name(table: &str) -> String {
        format!("{table}/{NAME}")
    }

    fn flush(&mut self, scratch: &mut Scratch) -> Result<(), Error> {
        let done = write_group(&mut self.file, &self.columns, scratch);
        self.columns.clear();
        done.map_err(|error| Error::write(&self.path, error))
    }
}

/// Begins a file whose schema describes each column, as Arrow's schema does.
fn begin(file: File, table: &TableInfo) -> Parquet<SerializedFileWriter<Digesting<File>>> {
    let schema = arrow_schema(table);
    let columns = table.columns.iter().map(|column| (column.name.as_str(), column.kind));
    let mut properties = properties(columns).build();
    add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
    let parquet = ArrowSchemaConverter::new().convert(&schema)?;
    SerializedFileWriter::new(Digesting::new(file), parquet.root_schema_ptr(), Arc::new(properties))
}

#[cfg(test)]
mod tests {
    use airmile_analyze::FlowColumn;
    use airmile_types::{Kind, RowSink};
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;
    use crate::write::rows::Rows;

    fn table() -> TableInfo {
        let column = |name: &str, kind| FlowColumn {
            name: name.to_owned(),
            unit: "",
            doc: "",
            cite: "",
            kind,
        };
        let columns = vec![column("number", Kind::I64), column("word", Kind::Utf8)];
        TableInfo { name: "numbers", doc: "One row per number.", columns }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "reads back what was written")]
    fn rows_come_back_in_order_and_in_bounded_groups() {
        let folder = tempfile::tempdir().unwrap();
        let mut part = Part::create(folder.path(), &table()).unwrap();
        let rows = 2 * GROUP_ROWS as i64 + 5;
        let mut scratch = Scratch::default();
        let mut gathered = Rows::new(kinds(&table()));
        for number in 0..rows {
            gathered.i64(Some(number));
            gathered.utf8((number % 2 == 0).then_some("even"));
            gathered.end_row().unwrap();
            if gathered.len() == 1024 {
                part.write(&gathered.take(), &mut scratch).unwrap();
            }
        }
        part.write(&gathered.take(), &mut scratch).unwrap();
        assert_eq!(part.written(), rows as u64);
        part.finish(&mut scratch).unwrap();

        let file = File::open(folder.path().join("numbers/part-0.parquet")).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let groups: Vec<i64> =
            reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(groups, [GROUP_ROWS as i64, GROUP_ROWS as i64, 5]);
        let mut next = 0;
        for batch in reader.build().unwrap().map(Result::unwrap) {
            let words = batch.column(1).as_string::<i32>();
            for (number, word) in
                batch.column(0).as_primitive::<Int64Type>().values().iter().zip(words)
            {
                assert_eq!((*number, word), (next, (next % 2 == 0).then_some("even")));
                next += 1;
            }
        }
        assert_eq!(next, rows);
    }
}
