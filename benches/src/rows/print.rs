//! The tables of a dataset as lines of text, and their hashes.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use airmile_dataset::Manifest;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt16Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sha2::{Digest, Sha256};

/// Prints `table,rows,ordered,order_free` for each table that has rows.
#[expect(clippy::print_stdout, reason = "what the tool is for")]
pub(crate) fn hashes(dataset: &Path, manifest: &Manifest) -> io::Result<()> {
    println!("table,rows,ordered,order_free");
    for (table, rows) in manifest.rows.iter().filter(|(_, rows)| **rows > 0) {
        let (mut ordered, mut free) = (Sha256::new(), 0_u128);
        lines(dataset, table, |line| {
            ordered.update(line);
            ordered.update("\n");
            // A sum does not depend on the order; a row that occurs twice counts twice.
            free = free.wrapping_add(low(&Sha256::digest(line)));
            Ok(())
        })?;
        println!("{table},{rows},{:032x},{free:032x}", low(&ordered.finalize()));
    }
    Ok(())
}

/// Prints every row as the name of its table and its cells, separated by tabs.
pub(crate) fn cells(dataset: &Path, manifest: &Manifest) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for table in manifest.rows.keys() {
        lines(dataset, table, |line| writeln!(out, "{table}{line}"))?;
    }
    out.flush()
}

fn low(digest: &[u8]) -> u128 {
    digest.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes))
}

/// Passes every row of a table on, as text.
#[expect(clippy::disallowed_methods, reason = "reads back what the pass has written")]
fn lines(
    dataset: &Path,
    table: &str,
    mut take: impl FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let file = File::open(dataset.join(table).join("part-0.parquet"))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(io::Error::other)?;
    let mut line = String::new();
    for batch in reader.build().map_err(io::Error::other)? {
        let batch: RecordBatch = batch.map_err(io::Error::other)?;
        for row in 0..batch.num_rows() {
            line.clear();
            batch.columns().iter().for_each(|column| cell(column, row, &mut line));
            take(&line)?;
        }
    }
    Ok(())
}

/// Writes a cell. Different floating-point numbers always give different texts.
fn cell(column: &dyn Array, row: usize, line: &mut String) {
    line.push('\t');
    if column.is_null(row) {
        return line.push_str("null");
    }
    // Writing to a `String` does not fail.
    let _ = match column.data_type() {
        DataType::Int64 => write!(line, "{}", column.as_primitive::<Int64Type>().value(row)),
        DataType::UInt64 => write!(line, "{}", column.as_primitive::<UInt64Type>().value(row)),
        DataType::UInt16 => write!(line, "{}", column.as_primitive::<UInt16Type>().value(row)),
        DataType::Float64 => write!(line, "{:?}", column.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => write!(line, "{}", column.as_boolean().value(row)),
        _ => write!(line, "{:?}", column.as_string::<i32>().value(row)),
    };
}
