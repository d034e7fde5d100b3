//! Finds a flight that changes while the delay stays: then no queue stands before the radio.

use airmile_types::Direction;

use super::slicer::Slicer;
use crate::evidence::{BIN, HORIZON_BINS};

/// By what part of the smaller flight two flights differ. A cut of the window takes 0.3 of it (RFC 9438
/// section 4.6), or half (RFC 5681 section 3.1).
const DIFFERS: f64 = 0.25;
/// By how much a flight may be misjudged, in bytes: an ACK and a write of one segment each.
const EDGE_BYTES: i64 = 2_920;

impl Slicer<'_> {
    /// Whether before `bin` the only flow of the phone with data in flight had flights of two sizes,
    /// without a queue in sight.
    ///
    /// The round trip through a queue that never empties is the flight divided by the rate of the
    /// link, so that it changes with the flight. It must be so long that this would be seen.
    pub(super) fn flight_varied(&self, direction: Direction, bin: i64) -> bool {
        let changes_ms = self.sender.round_trip().as_millis_f64() * DIFFERS / (1.0 + DIFFERS);
        let seen = changes_ms >= self.parameters.queue_slack_ms;
        let alone = self.queues.alone_since(direction, self.own);
        let Some(alone) = alone.filter(|_| direction == self.direction && seen) else {
            return false;
        };
        // What was in flight when the flow was met has been acknowledged by then.
        let met = self.flow.start + self.sender.round_trip().times(2);
        let from = (bin - HORIZON_BINS).max(alone.max(met).bin(BIN).saturating_add(1));
        let (mut least, mut most) = (i64::MAX, 0);
        for counters in self.sender.bins_before(bin, from) {
            if counters.sent_bytes > 0 && self.link_mask(counters.bin) == 0 {
                least = least.min(counters.flight_known_bytes);
                most = most.max(counters.flight_known_bytes);
            }
            if differ(least, most) {
                return true;
            }
        }
        false
    }
}

fn differ(least: i64, most: i64) -> bool {
    let smaller = least.saturating_add(EDGE_BYTES) as f64;
    (most - EDGE_BYTES) as f64 >= (1.0 + DIFFERS) * smaller
}
