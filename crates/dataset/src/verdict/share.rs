//! Selects the share of one flow in a class: the flow's transfers and slices that count.

use super::live::{Live, Moved, Piece};

/// The transfers and slices of a flow that belong to one class.
pub(super) struct Share<'a> {
    pub(super) live: &'a Live,
    pub(super) transfers: Vec<&'a Moved>,
    /// The slices of these transfers.
    pub(super) judged: Vec<&'a Piece>,
}

impl<'a> Share<'a> {
    pub(super) fn new(small: bool, live: &'a Live) -> Self {
        let transfers: Vec<&Moved> =
            live.transfers.iter().filter(|transfer| transfer.control == small).collect();
        let mut ids: Vec<u64> = transfers.iter().map(|transfer| transfer.id).collect();
        ids.sort_unstable();
        let of = |piece: &&Piece| piece.transfer.is_some_and(|id| ids.binary_search(&id).is_ok());
        Self { live, transfers, judged: live.slices.iter().filter(of).collect() }
    }

    pub(super) fn judged_ns(&self) -> i128 {
        self.judged.iter().map(|piece| piece.weight_ns()).sum()
    }

    pub(super) fn slice_bytes(&self) -> i128 {
        self.judged.iter().map(|piece| i128::from(piece.bytes)).sum()
    }
}
