//! Finds the times in which a congestion window regains what it held before an idle gap (methods
//! C7).

use airmile_track::Segment;
use airmile_types::{Duration, Instant};

use super::sent::Sent;
use crate::evidence::timeline::Timeline;

/// The number of round trips after the first in which the flight must double.
const ROUNDS: u32 = 4;

/// The time over which the growth of a flight is counted (methods T8), so that it shows for so long
/// after its end.
const GROWTH_SPAN: Duration = Duration::from_millis(200);

/// The restarts of a sender; made at its first idle gap.
#[derive(Clone, Debug, Default)]
pub(super) struct Restarts {
    pub(super) times: Timeline,
    /// The newest gap, while what follows may still be a restart.
    pub(super) watch: Option<Watch>,
}

/// What a sender has sent since an idle gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    since: Instant,
    /// The most bytes in flight before the gap.
    before: i64,
    /// The offset of the first byte after the gap.
    start: i64,
    /// The offset of the first byte of the round trip, and the bytes sent in it.
    round: (i64, i64),
    /// The number of round trips that are over.
    rounds: u32,
    /// The bytes of the first round trip.
    first: i64,
    doubled: bool,
}

airmile_types::held!(Restarts { times });

impl Restarts {
    pub(super) fn follow(&mut self, segment: &Segment<'_>, sent: &Sent) {
        let Some(watch) = &mut self.watch else { return };
        if watch.start < segment.start && has_drained(segment, sent) {
            self.watch = None;
            return;
        }
        watch.take(segment, sent);
        let is_over = watch.is_over(sent.flight);
        if watch.is_restart(segment.end) {
            let still = if is_over { GROWTH_SPAN } else { Duration::ZERO };
            self.times.mark(watch.since, segment.time + still);
        }
        if is_over {
            self.watch = None;
        }
    }
}

/// Whether the sender waited for more than half a round trip although it knew that all its data was
/// acknowledged. It had no more then, so that the flights before show what it had to send, and not
/// what the window allowed (methods C7).
fn has_drained(segment: &Segment<'_>, sent: &Sent) -> bool {
    let board = segment.own;
    let Some(advanced) = board.last_advance().filter(|_| sent.acked >= segment.start) else {
        return false;
    };
    let waited = segment.time - advanced - sent.loop_time;
    waited > board.srtt().unwrap_or_else(|| board.rto()).over(2)
}

impl Watch {
    pub(super) fn new(segment: &Segment<'_>, before: i64) -> Self {
        Self {
            since: segment.time,
            before,
            start: segment.start,
            round: (segment.start, 0),
            rounds: 0,
            first: 0,
            doubled: false,
        }
    }

    /// Counts a packet in its round trip, which ends when the sender sends after it has received
    /// the ACK of the first byte.
    fn take(&mut self, segment: &Segment<'_>, sent: &Sent) {
        if sent.acked > self.round.0 {
            self.rounds = self.rounds.saturating_add(1);
            self.round = (segment.start, 0);
        }
        self.round.1 += i64::from(segment.payload_bytes);
        if self.rounds == 0 {
            self.first = self.round.1;
        } else {
            self.doubled |= self.rounds <= ROUNDS && self.round.1 >= 2 * self.first;
        }
    }

    /// Whether this is known to be a restart. With less than was in flight before, the sender may
    /// have had no more to send.
    const fn is_restart(&self, end: i64) -> bool {
        self.doubled && (self.rounds > ROUNDS || end - self.start >= self.before)
    }

    /// Whether what follows is no restart, or no more: the first flight is more than half of that
    /// before, the flight has not doubled, or is as large as before.
    const fn is_over(&self, flight: i64) -> bool {
        self.first > self.before / 2
            || (self.rounds > ROUNDS && !self.doubled)
            || flight >= self.before
    }
}
