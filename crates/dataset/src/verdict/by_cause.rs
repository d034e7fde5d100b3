//! Says what was in flight and what was retransmitted while each cause limited a flow.

use std::collections::BTreeMap;

use airmile_types::{Direction, PerDirection};

use super::bins::bin_of;
use super::live::Piece;

/// Values by cause.
pub(super) type ByCause = BTreeMap<&'static str, i64>;

/// For each cause, in the direction with most of its time: the most bytes in flight at the end of a
/// slice, and the number of retransmissions. Values of 0 are left out.
pub(super) fn by_cause(judged: &[&Piece]) -> (ByCause, ByCause) {
    let mut causes: BTreeMap<&'static str, PerDirection<Seen>> = BTreeMap::new();
    for piece in judged.iter().filter(|piece| piece.weight_ns() > 0) {
        let ways = causes.entry(piece.cause.as_str()).or_default();
        ways.of_mut(piece.direction).add(piece);
    }
    let of = |value: fn(&Seen) -> i64| {
        let values = causes.iter().map(|(cause, ways)| (*cause, value(mainly(ways))));
        values.filter(|(_, value)| *value > 0).collect()
    };
    (of(|seen| seen.in_flight_bytes), of(Seen::retransmitted))
}

/// The direction with most time; the downlink when both took as long.
fn mainly(ways: &PerDirection<Seen>) -> &Seen {
    let uplink = ways.uplink.every_ns > ways.downlink.every_ns;
    ways.of(if uplink { Direction::Uplink } else { Direction::Downlink })
}

/// What the slices of a cause and direction show.
#[derive(Default)]
struct Seen {
    every_ns: i128,
    in_flight_bytes: i64,
    /// Retransmissions by bin, because slices of the same bin repeat its number.
    retransmissions: BTreeMap<i64, u32>,
}

impl Seen {
    fn add(&mut self, piece: &Piece) {
        self.every_ns += piece.weight_ns();
        self.in_flight_bytes = self.in_flight_bytes.max(piece.in_flight_bytes.unwrap_or_default());
        if piece.retransmissions > 0 {
            let known = self.retransmissions.entry(bin_of(piece.start_ns)).or_default();
            *known = piece.retransmissions.max(*known);
        }
    }

    fn retransmitted(&self) -> i64 {
        self.retransmissions.values().map(|number| i64::from(*number)).sum()
    }
}
