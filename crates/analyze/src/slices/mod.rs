#![doc = include_str!("slices.md")]

mod row;

use airmile_track::FlowFacts;
use airmile_types::{Cause, CauseSource, Direction, Duration, Instant, Vantage};

pub use row::SliceRow;

use crate::Parameters;
use crate::evidence::{BIN, Counters, Mask, Sender, Spans, UeQueues, window};
use crate::verdict::{self, Evidence, Queue, Verdict};

/// What the slices of one transfer are cut from.
pub(crate) struct Slicer<'a> {
    pub(crate) flow: &'a FlowFacts,
    pub(crate) transfer_id: Option<u64>,
    pub(crate) direction: Direction,
    pub(crate) sender: &'a Sender,
    pub(crate) queues: &'a UeQueues,
    /// Queues that this flow has seen itself.
    pub(crate) own: &'a Spans,
    /// The request waits for its first byte in this span.
    pub(crate) waiting: (Instant, Instant),
    /// Both ends stamp their packets.
    pub(crate) timestamps: bool,
    pub(crate) parameters: &'a Parameters,
}

/// Bins older than this before the end of a span hold no evidence any more.
const KEPT: Duration = Duration::from_secs(60);

impl<'a> Slicer<'a> {
    /// Judges the uplink sender instead: a long request.
    pub(crate) const fn of_uplink(&mut self, sender: &'a Sender, timestamps: bool) {
        self.direction = Direction::Uplink;
        self.sender = sender;
        self.timestamps = timestamps;
    }

    /// Cuts `[from, to)` at the UTC multiples of 100 ms and judges each part; whole bins in which
    /// nothing moves and nothing is in flight become one longer row (methods T2).
    pub(crate) fn cut(&self, from: Instant, to: Instant, out: &mut Vec<SliceRow>) {
        let mut start = from;
        if to - from > KEPT {
            start = to - KEPT;
            out.push(self.unknown(from, start));
        }
        while start < to {
            let end =
                to.min(Instant::from_nanos((start.bin(BIN) + 1).saturating_mul(BIN.as_nanos())));
            let (row, still) = self.slice(start, end);
            match out.last_mut() {
                Some(last) if still && self.continues(last, &row) => lengthen(last, &row),
                _ => out.push(row),
            }
            start = end;
        }
    }

    /// A span of one known cause: the opening of a flow.
    pub(crate) fn given(
        &self,
        from: Instant,
        to: Instant,
        cause: Cause,
        reason: &'static str,
    ) -> SliceRow {
        self.row(from, to, None, &Evidence::default(), Verdict { cause, reason })
    }

    /// Milliseconds of `[start, end)` with a queue before the radio.
    pub(crate) fn queue_ms(&self, start: Instant, end: Instant) -> u32 {
        (self.link_mask(start.bin(BIN)) & window(start.bin(BIN), start, end)).count_ones()
    }

    fn unknown(&self, from: Instant, to: Instant) -> SliceRow {
        let reason = "silent for longer than evidence is kept";
        self.row(
            from,
            to,
            None,
            &Evidence::default(),
            Verdict { cause: Cause::Undetermined, reason },
        )
    }

    fn continues(&self, last: &SliceRow, row: &SliceRow) -> bool {
        last.transfer_id == row.transfer_id
            && last.end_ns == row.start_ns
            && last.cause == row.cause
            && last.reason == row.reason
            && last.in_flight_bytes.is_none()
            && last.rtt_ms.is_none()
            && last.idle_ms >= (last.end_ns - last.start_ns).as_millis_f64()
    }

    /// The slice, and whether nothing moves and nothing is in flight in it.
    fn slice(&self, start: Instant, end: Instant) -> (SliceRow, bool) {
        let counters = self.sender.bin(start.bin(BIN));
        let evidence = self.evidence(start, end, counters);
        let verdict = verdict::judge(&evidence, self.direction, self.parameters);
        let still = counters.is_none() && evidence.busy_ms == 0.0;
        (self.row(start, end, counters, &evidence, verdict), still)
    }

    fn evidence(&self, start: Instant, end: Instant, counters: Option<&Counters>) -> Evidence {
        let bin = start.bin(BIN);
        let span = window(bin, start, end);
        let length_ms = (end - start).as_millis_f64();
        let ms = |mask: Mask| f64::from((mask & span).count_ones()).min(length_ms);
        let before = self.sender.bin(bin - 1);
        let both = |count: fn(&Counters) -> i64| {
            (counters.map_or(0, count) + before.map_or(0, count)) as f64
        };
        Evidence {
            length_ms,
            link_ms: ms(self.link_mask(bin)),
            device_ms: ms(self.mask_of(Queue::Device, bin)),
            upstream_ms: ms(self.mask_of(Queue::Upstream, bin)),
            window_ms: ms(self.sender.window.at(bin)),
            zero_window_ms: ms(self.sender.zero_window.at(bin)),
            application_ms: ms(self.sender.application.at(bin) & !self.acks_queued(bin)),
            timeout_ms: ms(self.sender.timeout.at(bin)),
            undesired_ms: ms(self.sender.undesired.at(bin)),
            recovery_ms: ms(self.sender.recovery.at(bin)),
            waiting_ms: ms(window(bin, self.waiting.0, self.waiting.1)),
            busy_ms: ms(self.sender.busy.at(bin)),
            released_bytes: both(|c| c.new_bytes),
            acknowledged_bytes: both(|c| c.acked_bytes),
            flight_bytes: counters
                .filter(|c| c.sent_bytes > 0)
                .map(|c| c.flight_known_bytes as f64),
            flight_max_bytes: counters.map_or(0.0, |c| c.flight_max_bytes as f64),
            sent_max_bytes: counters.map_or(0.0, |c| c.sent_max_bytes as f64),
            rested: counters.is_some_and(|c| c.rested),
            upstream_losses: counters.map_or(0, |c| c.upstream_losses),
            sees_queue: self.sees_queue(counters),
            sees_acks: self.sender.sees().0,
            sees_window: self.sender.sees().1,
        }
    }

    /// What stands in the queue towards this sender delays its ACKs too: it is not the
    /// application that is silent then.
    fn acks_queued(&self, bin: i64) -> Mask {
        self.own.behind.of(self.direction.reverse()).at(bin)
            | self.queues.spans.behind.of(self.direction.reverse()).at(bin)
    }

    fn link_mask(&self, bin: i64) -> Mask {
        self.mask_of(Queue::Link, bin)
    }

    fn mask_of(&self, queue: Queue, bin: i64) -> Mask {
        let (behind, before) = verdict::queues(self.vantage(), self.direction);
        let mut mask = 0;
        let shared = [Some(self.own), (queue != Queue::Upstream).then_some(&self.queues.spans)];
        for spans in shared.into_iter().flatten() {
            if behind == queue {
                mask |= spans.behind.of(self.direction).at(bin);
            }
            if before == queue {
                mask |= spans.before.of(self.direction).at(bin);
            }
        }
        mask
    }

    /// A tap that nothing tells about is taken for one between radio and server.
    fn vantage(&self) -> Vantage {
        self.flow.vantage.unwrap_or(Vantage::Monitor)
    }

    fn sees_queue(&self, counters: Option<&Counters>) -> bool {
        match verdict::queues(self.vantage(), self.direction) {
            (Queue::Link, _) => counters.is_some_and(|c| c.rtt_min.is_some()),
            (_, Queue::Link) => self.timestamps,
            _ => false,
        }
    }

    fn row(
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
            let (behind, before) = verdict::queues(self.vantage(), self.direction);
            behind == Queue::Upstream || (before == Queue::Upstream && self.timestamps)
        };
        let idle_ms = length_ms - e.busy_ms;
        SliceRow {
            uid: self.flow.uid,
            transfer_id: self.transfer_id,
            direction: self.direction,
            start_ns: start,
            end_ns: end,
            bytes: counters.map_or(0, |c| c.new_bytes),
            in_flight_bytes: counters.and_then(|c| c.flight_bytes),
            flight_known_bytes: counters.filter(|c| c.sent_bytes > 0).map(|c| c.flight_known_bytes),
            window_bytes: counters.and_then(|c| c.window_bytes).map(i64::from),
            rtt_ms: counters.and_then(|c| c.rtt).map(Duration::as_millis_f64),
            rtt_min_ms: counters.and_then(|c| c.rtt_min).map(Duration::as_millis_f64),
            send_bps: bps(counters.map_or(0, |c| c.sent_bytes)),
            delivery_bps: bps(counters.map_or(0, |c| c.acked_bytes)),
            retransmissions: counters.map_or(0, |c| c.retransmissions),
            rto_wait_ms: e.timeout_ms,
            idle_ms,
            silent_side: (idle_ms >= length_ms && length_ms > 0.0).then(|| self.silent_side(e)),
            queue_ratio: self.sees_queue(counters).then(|| ratio(e.link_ms.max(e.device_ms))),
            upstream_queue_ratio: upstream.then(|| ratio(e.upstream_ms)),
            window_full_ratio: ratio(e.window_ms),
            application_ratio: ratio(e.application_ms),
            recovery_ratio: ratio(e.recovery_ms),
            cause: verdict.cause,
            cause_source: CauseSource::Tcp,
            reason: verdict.reason,
        }
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

/// Joins a still row to the one before it.
fn lengthen(last: &mut SliceRow, row: &SliceRow) {
    let (before, more) = (
        (last.end_ns - last.start_ns).as_millis_f64(),
        (row.end_ns - row.start_ns).as_millis_f64(),
    );
    let mean = |a: f64, b: f64| (a * before + b * more) / (before + more);
    last.window_full_ratio = mean(last.window_full_ratio, row.window_full_ratio);
    last.application_ratio = mean(last.application_ratio, row.application_ratio);
    last.recovery_ratio = mean(last.recovery_ratio, row.recovery_ratio);
    last.queue_ratio = last.queue_ratio.zip(row.queue_ratio).map(|(a, b)| mean(a, b));
    last.upstream_queue_ratio =
        last.upstream_queue_ratio.zip(row.upstream_queue_ratio).map(|(a, b)| mean(a, b));
    last.idle_ms += row.idle_ms;
    last.rto_wait_ms += row.rto_wait_ms;
    last.delivery_bps = mean(last.delivery_bps, row.delivery_bps);
    last.end_ns = row.end_ns;
}
