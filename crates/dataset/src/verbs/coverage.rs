//! Writes the rows of `coverage`.

use airmile_analyze::{CoverageRow, Output, TableInfo};

use crate::error::Error;
use crate::shards::captures::Coverage;
use crate::write::batches::{Batches, Ready};

/// Passes a row for each capture to `put`, in the order in which the captures began.
///
/// # Errors
/// Fails when `put` refuses a batch, for example because the disk is full.
pub(super) fn coverage_rows(
    coverage: Vec<Coverage>,
    tables: &[TableInfo],
    put: &mut dyn FnMut(Ready) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut batches = Batches::new(tables);
    batches.rows(&mut coverage.into_iter().map(row).collect());
    batches.close();
    batches.take_ready()?.into_iter().try_for_each(put)
}

fn row(covered: Coverage) -> CoverageRow {
    let count = |packets| i64::try_from(packets).unwrap_or(i64::MAX);
    CoverageRow {
        capture: covered.capture,
        name: covered.name,
        files: covered.files,
        start_ns: covered.start,
        end_ns: covered.end,
        packets: count(covered.packets),
        dropped: covered.dropped.map(count),
    }
}
