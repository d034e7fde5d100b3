//! Collects the rows of transfers and slices, and the idle gaps, that are ready to be written.

use super::row::TransferRow;
use crate::evidence::GapSeen;
use crate::slices::SliceRow;

/// The rows of transfers and slices, and the idle gaps, that are ready to be written.
#[derive(Default)]
pub struct TransferEvents {
    /// Rows of `transfers`.
    pub transfers: Vec<TransferRow>,
    /// Rows of `slices`.
    pub slices: Vec<SliceRow>,
    /// The idle gaps of the flow that has just had a packet, or has ended.
    pub gaps: Vec<GapSeen>,
}
