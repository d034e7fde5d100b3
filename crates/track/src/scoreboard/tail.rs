//! Recognises tail loss probes (RFC 8985 section 7): a sender that has received nothing for two
//! round trips sends one more segment, old or new, whose answer shows whether the segments before
//! it arrived.

use airmile_types::{Duration, Instant};

use super::inputs::{AckInput, DataInput};
use super::probes::{TailProbe, tenth_off};
use super::state::Scoreboard;
use crate::outcomes::{AckOutcome, ProbeAnswer, SegmentClass};

/// The additional wait of the probe where the receiver may hold back the ACK of the one segment in
/// flight (RFC 8985 section 7.2 `TLP.max_ack_delay`; Linux: `TCP_RTO_MIN`).
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);

impl Scoreboard {
    /// Whether data of this sender, which is not counted yet, may be a probe with new data.
    pub(super) fn may_probe_new(&self, input: &DataInput) -> bool {
        let Some(srtt) = self.timer.srtt() else { return false };
        let flight = self.next - self.unacked;
        let single = flight <= i64::from(self.mss_bytes());
        let patience = if single { MAX_ACK_DELAY } else { Duration::ZERO };
        let least = tenth_off(srtt.times(2)) + patience;
        let one = input.end - input.start <= i64::from(self.mss_bytes());
        input.start == self.next
            && flight > 0
            && one
            && !self.is_recovering()
            && self.quiet_since(input.time).is_some_and(|since| {
                // Data that comes long after a probe was due is no probe: from the sender's view
                // nothing was in flight.
                (least..=least.times(2)).contains(&(input.time - since))
            })
    }

    /// Whether a segment is a tail loss probe (RFC 8985 section 7): the highest segment once more,
    /// two smoothed RTTs after the last transmission. If the segment is the only one in flight, the
    /// probe may wait as long as the retransmission timer. A sender that supports SACK sends the
    /// probe in place of that timer (section 7.2); other senders send no probes. A segment that
    /// fills a hole or was retransmitted before repairs a loss, and is no probe.
    pub(super) fn is_tail_probe(&self, input: &DataInput, repairs: bool) -> bool {
        let (Some(srtt), Some(last)) = (self.timer.srtt(), self.last_data.get()) else {
            return false;
        };
        let quiet = input.time - last;
        let lowest_too = input.start <= self.unacked;
        input.end == self.data_end
            && !repairs
            && quiet >= tenth_off(srtt.times(2))
            && (!lowest_too || self.sacks || quiet < self.timer.rto())
    }

    /// Notes the probe, if any, after a packet of the sender was counted. Returns what a timeout
    /// shows about an earlier probe.
    pub(super) fn note_probe(
        &mut self,
        input: &DataInput,
        class: SegmentClass,
        (is_new, quiet_since): (bool, Option<Instant>),
        timeout: bool,
    ) -> Option<ProbeAnswer> {
        if class == SegmentClass::CaptureDuplicate {
            return None;
        }
        let before = self.tail_probe.take();
        let repeated = class == SegmentClass::TailProbe;
        if (repeated || is_new)
            && !self.is_recovering()
            && let Some(silent_since) = quiet_since
        {
            let &DataInput { start, end, time: sent, tsval, .. } = input;
            self.tail_probe =
                Some(Box::new(TailProbe { silent_since, sent, start, end, tsval, repeated }));
        }
        // A sender that continues without an answer was not waiting for one.
        before.filter(|_| timeout).map(|probe| probe.answered(true))
    }

    /// The time at which the sender last sent something, or received something new.
    pub(super) fn quiet_since(&self, now: Instant) -> Option<Instant> {
        let heard =
            self.last_advance.get().map(|at| at + self.loop_or_zero()).filter(|at| *at <= now);
        self.last_data.get().max(heard)
    }

    /// What an ACK shows about the probe.
    pub(super) fn answer_probe(
        &mut self,
        input: &AckInput<'_>,
        out: &AckOutcome,
    ) -> Option<ProbeAnswer> {
        let probe = self.tail_probe.as_deref()?;
        let lost = self.shows_loss(probe, input, out)?;
        self.tail_probe.take().map(|probe| probe.answered(lost))
    }

    /// Whether the ACK shows a loss (RFC 8985 section 7.4.2). SACKed bytes behind a hole show a
    /// loss. A D-SACK, or an answer to a segment sent before the probe, shows that the ACKs were
    /// late. If a probe with old data is covered by an ACK without a D-SACK, the probe itself
    /// repaired the loss. `None` if the ACK shows nothing yet.
    fn shows_loss(
        &self,
        probe: &TailProbe,
        input: &AckInput<'_>,
        out: &AckOutcome,
    ) -> Option<bool> {
        let needless = |block: (i64, i64)| block.0 < probe.end && probe.start < block.1;
        if out.dsack.is_some_and(needless) {
            return Some(false);
        }
        if out.sacked_bytes > 0 && self.unacked < probe.end {
            return Some(true);
        }
        if out.acked_bytes == 0 {
            return None;
        }
        if probe.repeated && self.unacked < probe.end {
            return None;
        }
        Some(probe.repeated && !self.answers_earlier(probe, input))
    }

    /// Whether the ACK came sooner than an answer to the probe could, or echoes the timestamp of an
    /// older packet (RFC 3522).
    fn answers_earlier(&self, probe: &TailProbe, input: &AckInput<'_>) -> bool {
        let soon =
            self.rtt_min.get().is_some_and(|least| input.time - probe.sent < tenth_off(least));
        let older = input
            .tsecr
            .zip(probe.tsval)
            .is_some_and(|(echo, value)| (echo.wrapping_sub(value) as i32) < 0);
        soon || older
    }
}
