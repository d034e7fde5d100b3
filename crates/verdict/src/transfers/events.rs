//! Collects the rows of transfers and slices that are ready to be written.

use super::row::TransferRow;
use crate::slices::SliceRow;

/// The rows of transfers and slices that are ready to be written.
#[derive(Default)]
pub struct TransferEvents {
    /// Rows of `transfers`.
    pub transfers: Vec<TransferRow>,
    /// Rows of `slices`.
    pub slices: Vec<SliceRow>,
}
