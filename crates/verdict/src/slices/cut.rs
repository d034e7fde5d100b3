//! Cuts a transfer into slices (methods T2).

use airmile_types::{Cause, Duration, Instant};

use super::row::SliceRow;
use super::slicer::Slicer;
use crate::evidence::{BIN, Counters, begin_of, window};
use crate::rule::{self, Evidence};

/// After this time without a packet, consecutive bins with one cause become one row even when
/// something is in flight. Otherwise a wait for a rare packet would fill the table with hundreds of
/// rows.
const CALM: Duration = Duration::from_secs(1);

/// After this time without a packet, no packet that is still under way can arrive: the deepest
/// queues hold seconds of data.
const QUIET: Duration = Duration::from_secs(10);

impl<'a> Slicer<'a> {
    /// Cuts `[from, to)` at the UTC multiples of 100 ms and judges each part. Whole bins in which
    /// no packet passes and nothing is in flight become one longer row (methods T2). The same holds
    /// for bins in which no packet has passed for a second.
    pub(crate) fn cut(&self, from: Instant, to: Instant, out: &mut Vec<SliceRow>) {
        let mut start = from;
        let mut quiet = self.quiet_before(from.bin(BIN));
        while start < to {
            let bin = start.bin(BIN);
            if quiet > QUIET
                && let Some(end) = self.silence_end(bin, to)
            {
                self.add((self.silence(start, end), true), out);
                (start, quiet) = (end, Duration::ZERO);
                continue;
            }
            let end = to.min(begin_of(bin + 1));
            let counters = self.sender.bin(bin);
            let silent = counters.is_none();
            let (row, still) = self.slice(start, end, counters);
            self.add((row, still || (silent && quiet > CALM)), out);
            quiet = if silent { quiet + (end - start) } else { Duration::ZERO };
            start = end;
        }
    }

    /// The row of a span whose cause is already known: the opening of a flow.
    pub(crate) fn given(
        &self,
        from: Instant,
        to: Instant,
        cause: Cause,
        reason: &'static str,
    ) -> SliceRow {
        let verdict = if self.lossy { rule::LOSSY } else { rule::verdict(cause, reason) };
        self.row(from, to, None, &Evidence::default(), verdict)
    }

    /// The milliseconds in `[start, end)` in which data of this sender is in flight before the
    /// radio.
    pub(crate) fn draining_ms(&self, start: Instant, end: Instant) -> u32 {
        let bin = start.bin(BIN);
        let queued = self.link_mask(bin) & self.sender.busy.at(bin);
        (queued & window(bin, start, end)).count_ones()
    }

    /// Whether the sender repairs a loss or waits for its timer in `[start, end)`.
    pub(crate) fn repairs(&self, start: Instant, end: Instant) -> bool {
        let bin = start.bin(BIN);
        let repaired = self.sender.timeout_at(bin) | self.sender.recovery_at(bin);
        repaired & window(bin, start, end) != 0
    }

    fn add(&self, (row, still): (SliceRow, bool), out: &mut Vec<SliceRow>) {
        match out.last_mut() {
            Some(last) if still && self.continues(last, &row) => lengthen(last, &row),
            _ => out.push(row),
        }
    }

    /// How long no packet had passed before a bin, as far as cutting a part of a transfer needs to
    /// know.
    fn quiet_before(&self, bin: i64) -> Duration {
        let calm = CALM.as_nanos() / BIN.as_nanos() + 1;
        let silent = self.sender.bins_before(bin, bin - calm).next().is_none();
        if silent { CALM + BIN } else { Duration::ZERO }
    }

    /// The end of a silence that begins at `bin`, when the silence is so long that its bins need
    /// not be examined one by one; otherwise `None`.
    fn silence_end(&self, bin: i64, to: Instant) -> Option<Instant> {
        let next = self.sender.next_bin(bin).map_or(to, begin_of).min(to);
        let end = begin_of(next.bin(BIN));
        (end - begin_of(bin) > QUIET).then_some(end)
    }

    /// The row of a silence after which no packet passes: the state of its last bin applies to all
    /// of it.
    fn silence(&self, from: Instant, to: Instant) -> SliceRow {
        let last = to - BIN;
        let (row, _) = self.slice(last, to, self.sender.bin(last.bin(BIN)));
        let (whole_ms, part_ms) = ((to - from).as_millis_f64(), (to - last).as_millis_f64());
        // This is exact when the part is the whole of its bin, because still rows are joined with
        // it.
        let scaled = |ms: f64| if ms >= part_ms { whole_ms } else { ms * whole_ms / part_ms };
        let (idle_ms, rto_wait_ms) = (scaled(row.idle_ms), scaled(row.rto_wait_ms));
        let (first_frame, last_frame) = self.frames_of(from, to);
        SliceRow { start_ns: from, first_frame, last_frame, idle_ms, rto_wait_ms, ..row }
    }

    fn continues(&self, last: &SliceRow, row: &SliceRow) -> bool {
        last.transfer_id == row.transfer_id
            && last.end_ns == row.start_ns
            && last.cause == row.cause
            && last.second == row.second
            && last.reason == row.reason
            && last.in_flight_bytes.is_none()
            && last.rtt_ms.is_none()
            && last.silent_side.is_some() == row.silent_side.is_some()
    }

    /// The row of a slice, and whether the slice is still: no packet passes and nothing is in
    /// flight.
    fn slice(&self, start: Instant, end: Instant, counters: Option<&Counters>) -> (SliceRow, bool) {
        let evidence = self.evidence(start, end, counters);
        let verdict = match &self.waiting {
            Some(waiting) => rule::judge_wait(&evidence, waiting.part, self.parameters),
            None if self.scant => rule::judge_scant(&evidence, self.direction, self.parameters),
            None => rule::judge(&evidence, self.direction, self.parameters),
        };
        let verdict = rule::with_twin(verdict, &evidence, (self.vantage(), self.direction));
        let still = counters.is_none() && evidence.busy_ms == 0.0;
        (self.row(start, end, counters, &evidence, verdict), still)
    }
}

/// Joins a row without packets with the row before it.
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
    last.first_frame = last.first_frame.or(row.first_frame);
    last.last_frame = row.last_frame.or(last.last_frame);
    last.delivery_bps = mean(last.delivery_bps, row.delivery_bps);
    last.end_ns = row.end_ns;
}
