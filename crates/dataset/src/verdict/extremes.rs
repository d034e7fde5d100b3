//! The first of the latest, and what a reset leaves in flight.

use airmile_types::Direction;

use super::cells::{Cells, at};
use super::live::{Live, Piece};

/// The one with the greatest key; of several the first.
pub(super) fn latest<T>(items: impl Iterator<Item = T>, key: impl Fn(&T) -> i64) -> Option<T> {
    items.reduce(|best, item| if key(&item) > key(&best) { item } else { best })
}

/// What never arrived in a direction, because a reset ended the flow: of which transfer, and how
/// many bytes.
pub(super) fn left_over(
    live: &Live,
    direction: Direction,
    cells: &Cells,
) -> (Option<u64>, Option<i64>) {
    if !cells.text(at!("ending")).is_some_and(|ending| ending.starts_with("rst")) {
        return (None, None);
    }
    let known = |piece: &&Piece| piece.direction == direction && piece.in_flight_bytes.is_some();
    let of_transfers = live.slices.iter().filter(known).filter(|piece| piece.transfer.is_some());
    let last = latest(of_transfers, |piece| piece.end_ns);
    let bytes = latest(live.slices.iter().filter(known), |piece| piece.end_ns);
    (last.and_then(|piece| piece.transfer), bytes.and_then(|piece| piece.in_flight_bytes))
}
