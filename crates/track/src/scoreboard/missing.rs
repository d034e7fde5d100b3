//! Finds out whether the capture misses ACKs of the sender's data (methods A10): nothing of the
//! receiver passes, and the sender does what only an ACK allows.

use airmile_types::{Duration, Instant};

use super::state::Scoreboard;

/// The greatest disorder of a capture's queues (methods A10, `quality.clock_step_ms`).
const DISORDER: Duration = Duration::from_millis(10);
/// The least timeout of RFC 6298 section 2.4, and the one without a sample of section 5.7.
const RTO_LEAST: Duration = Duration::from_secs(1);
const RTO_UNKNOWN: Duration = Duration::from_secs(3);

impl Scoreboard {
    /// The time since when ACKs of this sender's data must have passed unseen; `None` if the sender
    /// does nothing that the ACKs that were seen do not allow. To be asked when new data has just
    /// passed; `heard` is when the receiver's newest packet did.
    #[must_use]
    pub fn acks_missing_since(&self, heard: Instant, now: Instant) -> Option<Instant> {
        if self.data_end <= self.unacked || self.finished {
            return None;
        }
        let oldest = self.ranges.lowest().map_or(now, |range| range.time);
        let since = heard.max(oldest);
        let goes_on = now - self.last_repeat.get().unwrap_or(since).max(since);
        let is_shown =
            goes_on > self.rto_most() || (now - since > self.round_trip() && self.knows_more());
        is_shown.then_some(since)
    }

    /// The longest time for which a sender goes on with new data when no ACK comes. The sender's
    /// own estimate may be longer than the one from here.
    #[must_use]
    pub fn rto_most(&self) -> Duration {
        match self.timer.srtt() {
            Some(_) => self.timer.rto().times(2).max(RTO_LEAST),
            None => RTO_UNKNOWN,
        }
    }

    /// Whether the sender knows more of the receiver than passed here.
    fn knows_more(&self) -> bool {
        self.goes_beyond() || self.path.echoes_ahead()
    }

    /// The time within which an ACK passes that the sender has already heard of, whatever the
    /// disorder of the capture.
    fn round_trip(&self) -> Duration {
        self.timer.srtt().unwrap_or(RTO_LEAST).max(DISORDER)
    }

    /// Whether more than one segment lies beyond the greatest edge that the receiver announced. One
    /// may be a window probe (RFC 9293 section 3.8.6.1).
    fn goes_beyond(&self) -> bool {
        let most = |edge: i64| edge.saturating_add(i64::from(self.mss_bytes()));
        self.window.right().is_some_and(|edge| self.data_end > most(edge))
    }
}
