//! Finds the timer of a sender whose whole flight was lost before the capture point (methods C4).
//!
//! Neither the flight nor its loss is seen, but a silence, and then new data: one segment, as a
//! timer allows it, after its ACK two, and then four.

use airmile_track::{Segment, SegmentClass};
use airmile_types::Instant;

use super::sent::Sent;

/// The segments of the first round trips after a timer: the window is one segment, and grows by one
/// for each segment that is acknowledged (RFC 5681 section 3.1).
const ROUNDS: [i64; 3] = [1, 2, 4];

/// What a sender has sent since a silence in which its timer may have fired.
#[derive(Clone, Copy, Debug)]
pub(super) struct LostFlight {
    /// The time at which the sender last sent anything that is seen, or heard of an ACK.
    since: Instant,
    /// The number of the round trip, the offset of its first byte, and the segments sent in it.
    round: (usize, i64, i64),
    /// The offset at which the lost flight ended, if the numbers of the packets prove the loss.
    end: Option<i64>,
}

airmile_types::held!(LostFlight {});

/// What is known after a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The numbers of the packets show that a flight was lost, and it is being sent again.
    Repair,
    /// All that was sent is what a sender sends after its timer.
    Timer,
    /// It may still become that.
    Nothing,
    /// It is not that, or no longer.
    Over,
}

impl LostFlight {
    /// The state before the first data after a silence: since when the sender was silent, the offset
    /// of that data, and that at which the lost flight ended if the loss is proven.
    pub(super) const fn new(since: Instant, start: i64, end: Option<i64>) -> Self {
        Self { since, round: (0, start, 0), end }
    }

    /// The time at which the sender last sent anything that is seen, or heard of an ACK.
    pub(super) const fn since(&self) -> Instant {
        self.since
    }

    /// Counts a packet in its round trip, which ends when the sender sends after it has heard of the
    /// ACK of the first byte.
    pub(super) fn take(&mut self, segment: &Segment<'_>, sent: &Sent) -> Shown {
        if let Some(end) = self.end {
            return if segment.start < end { Shown::Repair } else { Shown::Over };
        }
        let is_full = i64::from(segment.payload_bytes).checked_rem(sent.mss) == Some(0);
        let is_asked = segment.peer.last_data().is_some_and(|at| at >= self.since);
        if segment.class != Some(SegmentClass::New) || !is_full || is_asked {
            return Shown::Over;
        }
        let (number, start, segments) = self.round;
        if sent.acked > start {
            if ROUNDS.get(number) != Some(&segments) {
                return Shown::Over;
            }
            self.round = (number + 1, segment.start, 0);
        }
        self.round.2 += i64::from(segment.payload_bytes) / sent.mss;
        self.shown()
    }

    fn shown(&self) -> Shown {
        let (number, _, segments) = self.round;
        match ROUNDS.get(number) {
            Some(expected) if segments > *expected => Shown::Over,
            Some(expected) if number + 1 == ROUNDS.len() && segments == *expected => Shown::Timer,
            Some(_) => Shown::Nothing,
            None => Shown::Over,
        }
    }
}
