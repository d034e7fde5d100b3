//! Finds the data that a reset leaves in flight.

use airmile_types::Direction;

use super::cells::{Cells, at};
use super::live::{Live, Piece};

/// The data of a direction that never arrived because a reset ended the flow: the transfer, and the
/// number of bytes.
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
    let last = of_transfers.max_by_key(latest);
    let bytes = live.slices.iter().filter(known).max_by_key(latest);
    (last.and_then(|piece| piece.transfer), bytes.and_then(|piece| piece.in_flight_bytes))
}

/// The order of slices by their end. Of slices that end together, the one that begins last is the
/// latest; after a step of the clock several may have the same begin and end.
fn latest(piece: &&Piece) -> (i64, i64, Option<u64>, Option<i64>) {
    (piece.end_ns, piece.start_ns, piece.transfer, piece.in_flight_bytes)
}
