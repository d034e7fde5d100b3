//! Tail loss probes (RFC 8985 section 7): a sender that has heard nothing for two round trips sends
//! one segment more, old or new, so that its answer shows what became of those before it.

use airmile_types::{Duration, Instant};

use super::inputs::{AckInput, DataInput};
use super::probes::{TailProbe, tenth_off};
use super::state::Scoreboard;
use crate::outcomes::{AckOutcome, ProbeAnswer, SegmentClass};

/// RFC 8985 section 7.2: where the ACK of the little that is in flight may be held back, the probe
/// waits for longer (`TLP.max_ack_delay`; Linux: `TCP_RTO_MIN`).
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);

impl Scoreboard {
    /// Data of this sender passes, not counted yet: whether it may be a probe of new data.
    pub(super) fn may_probe_new(&self, input: &DataInput) -> bool {
        let Some(srtt) = self.timer.srtt() else { return false };
        let flight = self.next - self.unacked;
        let few = 2 * i64::from(self.mss_bytes());
        let patience = if flight <= few { MAX_ACK_DELAY } else { Duration::ZERO };
        let least = tenth_off(srtt.times(2)) + patience;
        let one = input.end - input.start <= i64::from(self.mss_bytes());
        input.start == self.next
            && flight > 0
            && one
            && !self.is_recovering()
            && self.quiet_since(input.time).is_some_and(|since| {
                // Long after it was due it is no probe: nothing was in flight, as the sender knew.
                (least..=least.times(2)).contains(&(input.time - since))
            })
    }

    /// RFC 8985 section 7: the highest segment once more, two smoothed RTTs after the last send.
    /// Where it is the only one, the probe may wait as long as the retransmission timer, and one
    /// that knows of SACK sends it in the timer's place (section 7.2); others know of no probes. What
    /// fills a hole, or was retransmitted before, repairs a loss.
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

    /// A packet of the sender was counted. Gives what a timeout shows of a probe before it.
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
        // A sender that goes on by itself was not waiting for an answer.
        before.filter(|_| timeout).map(|probe| probe.answered(true))
    }

    /// The time at which the sender last sent something, or heard of something new.
    pub(super) fn quiet_since(&self, now: Instant) -> Option<Instant> {
        let heard =
            self.last_advance.get().map(|at| at + self.loop_or_zero()).filter(|at| *at <= now);
        self.last_data.get().max(heard)
    }

    /// An ACK passes: what it shows of the probe.
    pub(super) fn answer_probe(
        &mut self,
        input: &AckInput<'_>,
        out: &AckOutcome,
    ) -> Option<ProbeAnswer> {
        let probe = self.tail_probe.as_deref()?;
        let lost = self.shows_loss(probe, input, out)?;
        self.tail_probe.take().map(|probe| probe.answered(lost))
    }

    /// RFC 8985 section 7.4.2: SACKed bytes behind a hole show a loss; a D-SACK, and whatever answers
    /// a segment sent before the probe, that the ACKs were late; the ACK of old data without a
    /// D-SACK, that the probe repaired the loss itself, once it covers the probe. `None`: it shows
    /// nothing yet.
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

    /// The ACK came sooner than an answer to the probe could, or echoes an older packet (RFC 3522).
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
