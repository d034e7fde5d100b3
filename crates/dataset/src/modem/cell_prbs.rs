//! The cell bandwidths (N_RB) that the user gives.

use airmile_radio::{BadCellPrbs, CellPrbs};

use crate::error::Error;

/// The PRB totals that the user has given.
///
/// # Errors
/// One that is none.
pub(crate) fn cell_prbs(given: &[String]) -> Result<CellPrbs, Error> {
    let usage = |bad: BadCellPrbs| Error::usage(bad.to_string()).hint(BadCellPrbs::hint());
    CellPrbs::read(given).map_err(usage)
}
