//! When a sender waits for its timer, or repairs a loss.

use airmile_track::{Scoreboard, Segment};
use airmile_types::Instant;

use super::{Recovered, Sender, loop_of};
use crate::evidence::Limits;

impl Sender {
    /// Brings the states of a loss episode up to `now`: it is one before this packet, or after it.
    #[cold]
    pub(super) fn settle_recovery(&mut self, board: &Scoreboard, since: Instant, now: Instant) {
        // The sender is in recovery at its own time: half a loop after the tap saw the ACKs.
        let lag = loop_of(board).over(2);
        match self.recovering {
            Some(recovery) if recovery.timeout.is_some() => {
                // A hole that was known before is a part of the episode (methods T4).
                let from = if self.repairing { since } else { recovery.since.min(since) };
                self.timeout.mark(from + lag, now + lag);
                if self.premature {
                    self.undesired.mark(since + lag, now + lag);
                }
            }
            // Without a retransmission, duplicate ACKs show reordering, or a hole in the capture.
            Some(recovery) if recovery.retransmitted => {
                let from = if self.repairing { since } else { recovery.since };
                self.recovery.mark(from + lag, now + lag);
            }
            _ => {}
        }
        self.repairing = self.recovering.is_some_and(|recovery| recovery.retransmitted);
        if self.recovering.is_some() {
            self.congestion.cut = true;
            self.recovered = Recovered(now + loop_of(board));
        }
        self.recovering = board.recovery();
    }

    /// The flow's packets end at `end`, and what goes on lasts until then: data that nobody has
    /// acknowledged is in flight, and what is being repaired waits for its timer.
    pub(crate) fn settle_rest(&mut self, end: Instant) {
        let Some(since) = self.last_event.filter(|since| *since < end) else { return };
        if self.in_flight {
            self.busy.mark(since, end);
        }
        match self.recovering {
            Some(recovery) if recovery.timeout.is_some() => self.timeout.mark(since, end),
            Some(recovery) if recovery.retransmitted => self.recovery.mark(since, end),
            _ => {}
        }
    }

    /// The timer's wait began with the last data: nothing else was sent meanwhile. When the
    /// receiver went on acknowledging for most of that time, the path was delivering and the
    /// timer was too short for its queue: an undesired slow start (LTE13 section 5.1).
    #[cold]
    pub(super) fn mark_timeout(&mut self, segment: &Segment<'_>, now: Instant, limits: &Limits) {
        let Some(last) = self.last_data else { return };
        self.timeout.mark(segment.tail_probe.map_or(last, |probe| probe.silent_since), now);
        let quiet = now - last;
        let kept_coming = quiet.as_secs_f64() * limits.kept_coming_ratio;
        self.premature = self.last_ack.is_some_and(|ack| (ack - last).as_secs_f64() > kept_coming)
            && segment.own.rtt_min().is_some();
        if self.premature {
            self.undesired.mark(last, now);
        }
    }
}
