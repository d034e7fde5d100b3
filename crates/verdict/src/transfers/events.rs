//! The rows of transfers and slices on their way out.

use super::row::TransferRow;
use crate::slices::SliceRow;

/// Rows on their way out.
#[derive(Default)]
pub struct TransferEvents {
    /// Rows of `transfers`.
    pub transfers: Vec<TransferRow>,
    /// Rows of `slices`.
    pub slices: Vec<SliceRow>,
}
