//! Finds the times at which a sender waits for its timer, or repairs a loss.

use airmile_track::{Scoreboard, Segment};
use airmile_types::Instant;

use super::state::Sender;
use crate::evidence::bits::Mask;
use crate::evidence::limits::Limits;
use crate::evidence::sender_loop::loop_of;

impl Sender {
    /// The milliseconds of a bin in which the sender waited for its retransmission timer, or
    /// repaired losses after it fired.
    pub(crate) fn timeout_at(&self, bin: i64) -> Mask {
        self.repairs.as_ref().map_or(0, |repairs| repairs.timeout.at(bin))
    }

    /// The milliseconds of a bin in which the sender waited for a timer that fired although ACKs
    /// kept coming, or repaired losses after it (methods C4).
    pub(crate) fn undesired_at(&self, bin: i64) -> Mask {
        self.repairs.as_ref().map_or(0, |repairs| repairs.undesired.at(bin))
    }

    /// The milliseconds of a bin in which the sender waited for a timer, or repaired losses after it,
    /// if the flight that was lost never passed and only what followed shows it (methods C4).
    pub(crate) fn supposed_at(&self, bin: i64) -> Mask {
        self.repairs.as_ref().map_or(0, |repairs| repairs.supposed.at(bin))
    }

    /// The milliseconds of a bin in which the sender repaired a loss without a timeout.
    pub(crate) fn recovery_at(&self, bin: i64) -> Mask {
        self.repairs.as_ref().map_or(0, |repairs| repairs.recovery.at(bin))
    }

    /// Whether the sender was in a loss episode at the last event.
    #[inline]
    pub(super) fn is_recovering(&self) -> bool {
        self.repairs.as_ref().is_some_and(|repairs| repairs.recovering.is_some())
    }

    /// Adds the time from `since` to `now` to the timelines, if a loss episode is in progress.
    #[cold]
    pub(super) fn settle_recovery(&mut self, board: &Scoreboard, since: Instant, now: Instant) {
        // The sender is in recovery at its own time: half a round trip after the capture point saw
        // the ACKs.
        let lag = loop_of(board).over(2);
        let repairs = &mut **self.repairs.get_or_insert_default();
        match repairs.recovering {
            Some(recovery) if recovery.timeout.is_some() => {
                // A hole that was known before is part of the episode (methods T4).
                let from = if repairs.repairing { since } else { recovery.since.min(since) };
                repairs.timeout.mark(from + lag, now + lag);
                if repairs.premature {
                    repairs.undesired.mark(since + lag, now + lag);
                }
            }
            // Without a retransmission, duplicate ACKs show reordering, or packets that the capture
            // missed.
            Some(recovery) if recovery.retransmitted => {
                let from = if repairs.repairing { since } else { recovery.since };
                repairs.recovery.mark(from + lag, now + lag);
            }
            _ => {}
        }
        repairs.repairing = repairs.recovering.is_some_and(|recovery| recovery.retransmitted);
        if let Some(recovery) = repairs.recovering {
            // The window is cut when the loss is found, and regained after the repair.
            self.congestion.cut = recovery.since.into();
            self.recovered.extend(now + loop_of(board));
        }
        repairs.recovering = board.recovery();
    }

    /// Extends lasting states to `end`, where the flow's packets end. Data that nobody has
    /// acknowledged counts as in flight until then, and a repair in progress counts as waiting for
    /// its timer.
    pub(crate) fn settle_rest(&mut self, end: Instant) {
        self.settle_missing(end);
        let Some(since) = self.last_event.get().filter(|since| *since < end) else { return };
        if self.in_flight {
            self.busy.mark(since, end);
        }
        let Some(repairs) = &mut self.repairs else { return };
        match repairs.recovering {
            Some(recovery) if recovery.timeout.is_some() => repairs.timeout.mark(since, end),
            Some(recovery) if recovery.retransmitted => repairs.recovery.mark(since, end),
            _ => {}
        }
    }

    /// Notes that the retransmission timer fired. The wait began with the last data, because
    /// nothing was sent after it. When the receiver sent ACKs for most of the wait, the path was
    /// delivering and the timer was too short for the queue: an undesired slow start (LTE13 section
    /// 5).
    #[cold]
    pub(super) fn mark_timeout(&mut self, segment: &Segment<'_>, now: Instant, limits: &Limits) {
        let Some(last) = self.newest.last() else { return };
        let repairs = self.repairs.get_or_insert_default();
        repairs.timeout.mark(segment.tail_probe.map_or(last, |probe| probe.silent_since), now);
        let quiet = now - last;
        let kept_coming = quiet.as_secs_f64() * limits.kept_coming_ratio;
        repairs.premature =
            self.last_ack.get().is_some_and(|ack| (ack - last).as_secs_f64() > kept_coming)
                && segment.own.rtt_min().is_some();
        if repairs.premature {
            repairs.undesired.mark(last, now);
        }
    }
}
