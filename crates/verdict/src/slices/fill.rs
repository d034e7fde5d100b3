//! Fills in the row of a slice.

use airmile_types::{CauseSource, Certainty, Duration, Instant};

use super::row::SliceRow;
use super::slicer::Slicer;
use crate::evidence::Counters;
use crate::rule::{self, Evidence, Queue, Verdict};

impl Slicer<'_> {
    pub(super) fn row(
        &self,
        start: Instant,
        end: Instant,
        counters: Option<&Counters>,
        e: &Evidence,
        verdict: Verdict,
    ) -> SliceRow {
        let length_ms = (end - start).as_millis_f64();
        let ratio = |ms: f64| if length_ms > 0.0 { ms / length_ms } else { 0.0 };
        let bps = |bytes: i64| if length_ms > 0.0 { bytes as f64 * 8e3 / length_ms } else { 0.0 };
        let upstream = {
            let (behind, before) = rule::queues(self.vantage(), self.direction);
            behind == Queue::Upstream || (before == Queue::Upstream && self.timestamps)
        };
        let idle_ms = length_ms - e.busy_ms;
        let (first_frame, last_frame) = self.frames_of(start, end);
        // Bytes are counted per bin. In a bin that a wait shares, the bytes passed outside the
        // wait.
        let carried = counters.filter(|_| self.waiting.is_none());
        SliceRow {
            uid: self.flow.uid,
            transfer_id: self.transfer_id,
            direction: self.direction,
            start_ns: start,
            end_ns: end,
            first_frame,
            last_frame,
            bytes: carried.map_or(0, |c| c.new_bytes),
            in_flight_bytes: counters.and_then(|c| c.judged.flight_bytes.get()),
            flight_known_bytes: counters.filter(|c| c.sent_bytes > 0).map(|c| c.flight_known_bytes),
            window_bytes: counters.and_then(|c| c.window_bytes.get()).map(i64::from),
            rtt_ms: counters.and_then(|c| c.rtt.get()).map(Duration::as_millis_f64),
            rtt_min_ms: counters.and_then(|c| c.rtt_min.get()).map(Duration::as_millis_f64),
            send_bps: bps(carried.map_or(0, |c| c.sent_bytes)),
            delivery_bps: bps(carried.map_or(0, |c| c.acked_bytes)),
            retransmissions: counters.map_or(0, |c| c.retransmissions.into()),
            rto_wait_ms: e.timeout_ms,
            idle_ms,
            silent_side: (idle_ms >= length_ms && length_ms > 0.0).then(|| self.silent_side(e)),
            queue_ratio: e
                .radio_ms
                .or_else(|| self.sees_queue(counters).then_some(e.link_ms))
                .map(|ms| ratio(ms.max(e.device_ms))),
            // The modem log shows any queue; without a known base, one of any length may not show.
            least_queue_ms: match e.radio_ms {
                None if !e.base_unknown => self.least_queue_ms(start, counters),
                _ => None,
            },
            upstream_queue_ratio: upstream.then(|| ratio(e.upstream_ms)),
            window_full_ratio: ratio(e.window_ms),
            application_ratio: ratio(e.application_ms),
            recovery_ratio: ratio(e.recovery_ms),
            cause: verdict.cause,
            certainty: Certainty::of(verdict.cause, verdict.second),
            second: verdict.second,
            cause_source: source(e),
            reason: verdict.reason,
        }
    }

    /// The first and the last frame, in the type of the table's columns.
    pub(super) fn frames_of(&self, start: Instant, end: Instant) -> (Option<i64>, Option<i64>) {
        let number = |frame: u64| i64::try_from(frame).unwrap_or(i64::MAX);
        let found = self.frames.within(start, end);
        (found.map(|(first, _)| number(first)), found.map(|(_, last)| number(last)))
    }

    fn silent_side(&self, e: &Evidence) -> &'static str {
        let receiver_holds = e.window_ms > 0.0;
        let silent = if receiver_holds {
            self.direction.reverse().sender()
        } else {
            self.direction.sender()
        };
        silent.as_str()
    }
}

/// The sources that decided the cause. The modem log counts as one for every slice whose queue it
/// shows.
const fn source(e: &Evidence) -> CauseSource {
    if e.radio_ms.is_some() || e.handover_ms > 0.0 { CauseSource::Both } else { CauseSource::Tcp }
}
