//! Finds a rate that changes while the delay stays: then no queue stands before the radio.

use airmile_types::Direction;

use super::slicer::Slicer;
use crate::evidence::{BIN, HORIZON_BINS};

/// The bins whose delivery is counted together, half a second: the ACKs of a burst may come in clumps.
const SPAN_BINS: i64 = 5;
/// The least delivery that shows a rate: ten full segments.
const LEAST_BYTES: i64 = 14_600;
/// By how much a span may hold more or less than its share: two full segments at its ends.
const EDGE_BYTES: i64 = 2_920;
/// By what part of the slower rate two rates differ: a queue without room cuts the window by 0.3 of it
/// (RFC 9438 section 4.6).
const DIFFERS: f64 = 0.25;

/// A change of the delay that is seen wherever a queue is, in seconds (methods T7: 12 ms).
const VISIBLE_S: f64 = 0.012;

impl Slicer<'_> {
    /// Whether before `bin` the only flow of the phone with data in flight was delivered at two rates,
    /// without a queue in sight.
    ///
    /// A queue that never empties passes on what the link carries. If its link changes, so does its
    /// delay; if the flight does, the delay changes with it, and the rate stays. The round trip must
    /// be so long that either would be seen.
    pub(super) fn rate_varied(&self, direction: Direction, bin: i64) -> bool {
        let alone = self.queues.alone_since(direction, self.own);
        let seen = self.sender.round_trip().as_secs_f64() * DIFFERS >= VISIBLE_S;
        let Some(alone) = alone.filter(|_| seen && direction == self.direction) else {
            return false;
        };
        let mut rates = Rates::default();
        let from = (bin - HORIZON_BINS).max(alone.bin(BIN).saturating_add(1));
        let mut span = Span::default();
        for counters in self.sender.bins_before(bin, from) {
            let free = self.link_mask(counters.bin) == 0;
            if let Some(bytes) = span.add(counters.bin, counters.acked_bytes, free) {
                rates.take(bytes);
            }
            if rates.differ() {
                return true;
            }
        }
        false
    }
}

/// Bins that follow one another, the newest first.
#[derive(Default)]
struct Span {
    /// The last of the bins, and how many were added.
    oldest: i64,
    bins: i64,
    bytes: i64,
}

impl Span {
    /// Adds a bin, and returns the bytes of a full span.
    fn add(&mut self, bin: i64, bytes: i64, free: bool) -> Option<i64> {
        if !free {
            *self = Self::default();
            return None;
        }
        if self.bins == 0 || bin + 1 != self.oldest {
            *self = Self { oldest: bin, bins: 1, bytes };
            return None;
        }
        self.oldest = bin;
        self.bins += 1;
        self.bytes += bytes;
        (self.bins == SPAN_BINS).then(|| std::mem::take(self).bytes)
    }
}

/// The least and the greatest delivery of spans.
#[derive(Default)]
struct Rates(Option<(i64, i64)>);

impl Rates {
    fn take(&mut self, bytes: i64) {
        let (least, most) = self.0.unwrap_or((bytes, bytes));
        self.0 = Some((least.min(bytes), most.max(bytes)));
    }

    fn differ(&self) -> bool {
        self.0.is_some_and(|(least, most)| {
            let slower = (least + EDGE_BYTES) as f64;
            least >= LEAST_BYTES && (most - EDGE_BYTES) as f64 >= (1.0 + DIFFERS) * slower
        })
    }
}
