//! The rows of transfers and slices on their way out.

use super::row::TransferRow;
use crate::slices::SliceRow;

/// The rows of transfers and slices that are to be written.
#[derive(Default)]
pub struct TransferEvents {
    /// Rows of `transfers`.
    pub transfers: Vec<TransferRow>,
    /// Rows of `slices`.
    pub slices: Vec<SliceRow>,
}
