//! The rows of transfers and slices on their way out.

use super::row::TransferRow;
use crate::slices::SliceRow;

/// Rows on their way out.
#[derive(Default)]
pub struct TransferEvents {
    /// Of `transfers`.
    pub transfers: Vec<TransferRow>,
    /// Of `slices`.
    pub slices: Vec<SliceRow>,
}
