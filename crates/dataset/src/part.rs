//! One Parquet part of a table, written as its batches come.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use airmile_analyze::TableInfo;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::error::Error;
use crate::schema::arrow_schema;

/// Rows of a row group: enough for its columns to compress, few enough to skip by statistics.
const GROUP_ROWS: usize = 128 * 1024;

/// Encoded bytes of a row group, which is held until it is full. Wide rows come to 20 000 of them;
/// a flood's, mostly null, to 100 000, so that what is held of each group stays small too.
const GROUP_BYTES: usize = 4 << 20;

/// Rows of a page. Every column of every table holds one page in the making and a compressor whose
/// tables grow with it: with the usual 20 000 rows these were most of the memory of a run.
const PAGE_ROWS: usize = 2048;

/// Words gain by a dictionary; a column with more distinct ones than fit here is written plain.
/// Numbers have none: compression finds what they repeat, and a table for each of 300 columns is
/// memory and time.
const DICTIONARY_BYTES: usize = 16 << 10;

/// The file `TABLE/part-0.parquet`.
pub(crate) struct Part {
    path: PathBuf,
    writer: ArrowWriter<File>,
    written: u64,
}

impl Part {
    /// Creates the table's folder in `directory` and an empty part in it.
    pub(crate) fn create(directory: &Path, table: &TableInfo) -> Result<Self, Error> {
        let folder = directory.join(table.name);
        fs::create_dir(&folder).map_err(|error| Error::write(&folder, error))?;
        let path = folder.join("part-0.parquet");
        let schema = arrow_schema(table);
        let file = create_file(&path)?;
        let properties = properties(&schema);
        let writer = ArrowWriter::try_new(file, schema, Some(properties))
            .map_err(|error| Error::write(&path, error))?;
        Ok(Self { path, writer, written: 0 })
    }

    /// Rows so far.
    pub(crate) const fn written(&self) -> u64 {
        self.written
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.written += batch.num_rows() as u64;
        self.writer.write(batch).map_err(|error| Error::write(&self.path, error))
    }

    /// Writes what is left and the footer.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.writer.close().map(drop).map_err(|error| Error::write(&self.path, error))
    }
}

#[expect(clippy::disallowed_methods, reason = "this room writes files")]
pub(crate) fn create_file(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|error| Error::write(path, error))
}

/// Level 1 is within a few percent of level 3 in size on these columns and twice as fast. Readers
/// skip by the statistics of row groups; an index of the pages would be held to the end of the run.
fn properties(schema: &Schema) -> WriterProperties {
    let words = schema.fields().iter().filter(|field| *field.data_type() == DataType::Utf8);
    words
        .map(|field| ColumnPath::from(field.name().as_str()))
        .fold(WriterProperties::builder(), |builder, column| {
            builder.set_column_dictionary_enabled(column, true)
        })
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .set_created_by(concat!("airmile ", env!("CARGO_PKG_VERSION")).to_owned())
        .build()
}

#[cfg(test)]
mod tests {
    use airmile_analyze::FlowColumn;
    use airmile_types::{Kind, RowSink};
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;
    use crate::rows::Rows;

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
        let mut gathered = Rows::new(arrow_schema(&table())).unwrap();
        for number in 0..rows {
            gathered.i64(Some(number));
            gathered.utf8((number % 2 == 0).then_some("even"));
            gathered.end_row().unwrap();
        }
        part.write(&gathered.take().unwrap()).unwrap();
        assert_eq!(part.written(), rows as u64);
        part.finish().unwrap();

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
