//! Reads the cell bandwidths (N_RB) that the user gives.

use airmile_radio::{BadBandwidth, GivenBandwidths};

use crate::error::Error;

/// Reads the cell bandwidths in PRBs that the user has given.
///
/// # Errors
/// Returns an error for a value that is not a cell bandwidth.
pub(crate) fn cell_prbs(given: &[String]) -> Result<GivenBandwidths, Error> {
    let usage = |bad: BadBandwidth| Error::usage(bad.to_string()).hint(BadBandwidth::hint());
    GivenBandwidths::read(given).map_err(usage)
}
