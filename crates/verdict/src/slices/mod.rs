#![doc = include_str!("slices.md")]

mod row;
mod slicer;
mod wait;
mod waiting;

use airmile_types::{Cause, CauseSource, Direction, Duration, Instant, Vantage};

pub use row::SliceRow;
pub(crate) use slicer::Slicer;

use crate::evidence::{BIN, Counters, Mask, RadioMasks, window};

use crate::rule::{self, Evidence, Queue, Verdict};

use crate::rule::LOSSY;
use crate::rule::SCANT;

/// Milliseconds of a bin in which something was in a queue.
struct QueueMasks {
    /// Before the radio.
    link: Mask,
    /// ... with data of this flow in it, where the tap can tell.
    own_link: Mask,
    standing: Mask,
    device: Mask,
    /// Data of this flow was in flight.
    busy: Mask,
}

/// After so long without a packet, bins of one cause are one row although something is in flight:
/// what waits for a sparse packet would fill tables with hundreds of rows for each.
const CALM: Duration = Duration::from_secs(1);

/// What was delivered is held against the most in any bin of the two seconds before.
const DELIVERED_BINS: i64 = 20;

/// When nothing has passed for so long, all that may still come of it has: the deepest queues hold
/// seconds.
const QUIET: Duration = Duration::from_secs(10);

impl<'a> Slicer<'a> {
    /// Cuts `[from, to)` at the UTC multiples of 100 ms and judges each part; whole bins in which
    /// nothing moves and nothing is in flight become one longer row (methods T2), and those in
    /// which nothing has moved for a second.
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

    /// A span of one known cause: the opening of a flow.
    pub(crate) fn given(
        &self,
        from: Instant,
        to: Instant,
        cause: Cause,
        reason: &'static str,
    ) -> SliceRow {
        let verdict = if self.lossy { LOSSY } else { Verdict { cause, reason } };
        self.row(from, to, None, &Evidence::default(), verdict)
    }

    /// Milliseconds of `[start, end)` in which data of this sender is in flight before the radio.
    pub(crate) fn draining_ms(&self, start: Instant, end: Instant) -> u32 {
        let bin = start.bin(BIN);
        let queued = self.link_mask(bin) & self.sender.busy.at(bin);
        (queued & window(bin, start, end)).count_ones()
    }

    /// Whether a loss is repaired, or a timer waited for, in `[start, end)`.
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

    /// How long nothing had passed before a bin, as far as a piece of a transfer needs it.
    fn quiet_before(&self, bin: i64) -> Duration {
        let calm = CALM.as_nanos() / BIN.as_nanos() + 1;
        let silent = self.sender.bins_before(bin, bin - calm).next().is_none();
        if silent { CALM + BIN } else { Duration::ZERO }
    }

    /// Where a silence ends that lasts from `bin` for longer than is worth a look at each of its
    /// bins; `None` when it is shorter.
    fn silence_end(&self, bin: i64, to: Instant) -> Option<Instant> {
        let next = self.sender.next_bin(bin).map_or(to, begin_of).min(to);
        let end = begin_of(next.bin(BIN));
        (end - begin_of(bin) > QUIET).then_some(end)
    }

    /// Nothing passed and nothing had for a while: what its last bin tells holds for all of it.
    fn silence(&self, from: Instant, to: Instant) -> SliceRow {
        let last = to - BIN;
        let (row, _) = self.slice(last, to, self.sender.bin(last.bin(BIN)));
        let (whole_ms, part_ms) = ((to - from).as_millis_f64(), (to - last).as_millis_f64());
        // Exact where the part is all of its bin: still rows are joined by it.
        let scaled = |ms: f64| if ms >= part_ms { whole_ms } else { ms * whole_ms / part_ms };
        let (idle_ms, rto_wait_ms) = (scaled(row.idle_ms), scaled(row.rto_wait_ms));
        let (first_frame, last_frame) = self.frames_of(from, to);
        SliceRow { start_ns: from, first_frame, last_frame, idle_ms, rto_wait_ms, ..row }
    }

    fn continues(&self, last: &SliceRow, row: &SliceRow) -> bool {
        last.transfer_id == row.transfer_id
            && last.end_ns == row.start_ns
            && last.cause == row.cause
            && last.reason == row.reason
            && last.in_flight_bytes.is_none()
            && last.rtt_ms.is_none()
            && last.silent_side.is_some() == row.silent_side.is_some()
    }

    /// The slice, and whether nothing moves and nothing is in flight in it.
    fn slice(&self, start: Instant, end: Instant, counters: Option<&Counters>) -> (SliceRow, bool) {
        let evidence = self.evidence(start, end, counters);
        let verdict = match &self.waiting {
            Some(waiting) => rule::judge_wait(&evidence, waiting.part, self.parameters),
            None if self.scant => SCANT,
            None => rule::judge(&evidence, self.direction, self.parameters),
        };
        let still = counters.is_none() && evidence.busy_ms == 0.0;
        (self.row(start, end, counters, &evidence, verdict), still)
    }

    fn evidence(&self, start: Instant, end: Instant, counters: Option<&Counters>) -> Evidence {
        let bin = start.bin(BIN);
        let span = window(bin, start, end);
        let length_ms = (end - start).as_millis_f64();
        let ms = |mask: Mask| count_ms(mask & span).min(length_ms);
        let mut earlier = self.sender.bins_before(bin, bin - DELIVERED_BINS);
        let newest = earlier.next();
        let before = newest.filter(|c| c.bin == bin - 1);
        let delivered_max = newest.into_iter().chain(earlier).map(|c| c.acked_bytes).max();
        // It is not the application that is silent while ACKs are late.
        let acks_queued = self.queues.acks_queued(self.direction, self.own, bin);
        let (radio_ms, handover_ms) = self.radio(bin, span, length_ms);
        let both = |count: fn(&Counters) -> i64| {
            (counters.map_or(0, count) + before.map_or(0, count)) as f64
        };
        let held = self.waiting.as_ref().map(|waiting| self.held(waiting, bin)).unwrap_or_default();
        let queues = self.queue_masks(bin);
        Evidence {
            length_ms,
            lossy: self.lossy,
            link_ms: ms(queues.own_link),
            standing_ms: ms(queues.standing),
            queue_bin_ms: count_ms(queues.link | queues.device),
            queue_samples: self.queues.samples(self.direction),
            radio_ms,
            handover_ms,
            device_ms: ms(queues.device),
            upstream_ms: ms(self.mask_of(Queue::Upstream, bin)),
            window_ms: ms(self.sender.window.at(bin)),
            zero_window_ms: ms(self.sender.window.unread_at(bin)),
            application_ms: ms(self.sender.application.at(bin) & !acks_queued),
            timeout_ms: ms(self.sender.timeout_at(bin)),
            undesired_ms: ms(self.sender.undesired_at(bin)),
            recovery_ms: ms(self.sender.recovery_at(bin)),
            resent_ms: ms(held.resent),
            uplink_queue_ms: ms(held.uplink),
            downlink_queue_ms: ms(held.downlink),
            busy_ms: ms(queues.busy),
            released_bytes: both(|c| c.new_bytes),
            acknowledged_bytes: both(|c| c.acked_bytes),
            delivered_bytes: counters.map_or(0, |c| c.acked_bytes) as f64,
            delivered_max_bytes: delivered_max.unwrap_or(0) as f64,
            flight_bytes: counters
                .filter(|c| c.sent_bytes > 0)
                .map(|c| c.flight_known_bytes as f64),
            flight_max_bytes: counters.map_or(0.0, |c| c.judged.flight_max_bytes as f64),
            sent_max_bytes: counters.map_or(0.0, |c| c.judged.sent_max_bytes as f64),
            window_least_bytes: counters.map_or(0.0, |c| c.judged.window_least_bytes as f64),
            rested: counters.is_some_and(|c| c.judged.rested),
            upstream_losses: counters.map_or(0, |c| c.upstream_losses),
            sees_queue: self.sees_queue(counters),
            sees_acks: self.sender.sees().0,
            sees_window: self.sender.sees().1,
            has_room: counters.is_some_and(|c| c.judged.has_room),
            below_initial: counters.is_some_and(|c| c.judged.below_initial),
            probes_rtt: counters.is_some_and(|c| c.judged.probes_rtt),
            emptied: [counters, before].into_iter().flatten().any(|c| c.emptied_at_bytes.is_some()),
            emptied_in_room: emptied_in_room(counters, before),
        }
    }

    /// What the modem log tells of a part of a bin. It never decides alone: where the queue is
    /// behind the tap, what the log calls one while nothing is in flight here is none.
    fn radio(&self, bin: i64, span: Mask, length_ms: f64) -> (Option<f64>, f64) {
        let Some(radio) = &self.queues.radio else { return (None, 0.0) };
        let logged = RadioMasks::of(radio, self.direction, bin);
        let ms = |mask: Mask| count_ms(mask & span).min(length_ms);
        let known = ms(logged.known) >= self.parameters.majority_ratio * length_ms;
        let (behind, _) = rule::queues(self.vantage(), self.direction);
        let busy = if behind == Queue::Link { self.sender.busy.at(bin) } else { Mask::MAX };
        let queued = ms(logged.backlogged & busy);
        (known.then_some(queued), ms(logged.handover))
    }

    /// Where queues stood in a bin. One behind the tap holds this flow up while its data is in flight
    /// there; it stood when even the quickest packets waited, as far as the tap can tell.
    fn queue_masks(&self, bin: i64) -> QueueMasks {
        let (behind, _) = rule::queues(self.vantage(), self.direction);
        let (link, device) = (self.link_mask(bin), self.mask_of(Queue::Device, bin));
        let busy = self.sender.busy.at(bin);
        let own_link = if behind == Queue::Link { link & busy } else { link };
        let standing = match (behind, self.direction) {
            (Queue::Link, Direction::Downlink) => self.queues.standing_at(self.own, bin) & busy,
            _ => own_link | device,
        };
        QueueMasks { link, own_link, standing, device, busy }
    }

    fn link_mask(&self, bin: i64) -> Mask {
        self.mask_of(Queue::Link, bin)
    }

    fn mask_of(&self, queue: Queue, bin: i64) -> Mask {
        let (behind, before) = rule::queues(self.vantage(), self.direction);
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
        match rule::queues(self.vantage(), self.direction) {
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
            let (behind, before) = rule::queues(self.vantage(), self.direction);
            behind == Queue::Upstream || (before == Queue::Upstream && self.timestamps)
        };
        let idle_ms = length_ms - e.busy_ms;
        let (first_frame, last_frame) = self.frames_of(start, end);
        SliceRow {
            uid: self.flow.uid,
            transfer_id: self.transfer_id,
            direction: self.direction,
            start_ns: start,
            end_ns: end,
            first_frame,
            last_frame,
            bytes: counters.map_or(0, |c| c.new_bytes),
            in_flight_bytes: counters.and_then(|c| c.judged.flight_bytes.get()),
            flight_known_bytes: counters.filter(|c| c.sent_bytes > 0).map(|c| c.flight_known_bytes),
            window_bytes: counters.and_then(|c| c.window_bytes).map(i64::from),
            rtt_ms: counters.and_then(|c| c.rtt.get()).map(Duration::as_millis_f64),
            rtt_min_ms: counters.and_then(|c| c.rtt_min.get()).map(Duration::as_millis_f64),
            send_bps: bps(counters.map_or(0, |c| c.sent_bytes)),
            delivery_bps: bps(counters.map_or(0, |c| c.acked_bytes)),
            retransmissions: counters.map_or(0, |c| c.retransmissions),
            rto_wait_ms: e.timeout_ms,
            idle_ms,
            silent_side: (idle_ms >= length_ms && length_ms > 0.0).then(|| self.silent_side(e)),
            queue_ratio: e
                .radio_ms
                .or_else(|| self.sees_queue(counters).then_some(e.link_ms))
                .map(|ms| ratio(ms.max(e.device_ms))),
            upstream_queue_ratio: upstream.then(|| ratio(e.upstream_ms)),
            window_full_ratio: ratio(e.window_ms),
            application_ratio: ratio(e.application_ms),
            recovery_ratio: ratio(e.recovery_ms),
            cause: verdict.cause,
            cause_source: source(e),
            reason: verdict.reason,
        }
    }

    /// First and last frame, as a table holds them.
    fn frames_of(&self, start: Instant, end: Instant) -> (Option<i64>, Option<i64>) {
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

/// Most masks are empty, and bits are not counted at once on every processor.
fn count_ms(mask: Mask) -> f64 {
    if mask == 0 { 0.0 } else { f64::from(mask.count_ones()) }
}

/// The modem log has a part in every slice of which it knows the queue.
const fn source(e: &Evidence) -> CauseSource {
    if e.radio_ms.is_some() || e.handover_ms > 0.0 { CauseSource::Both } else { CauseSource::Tcp }
}

/// In two bins one after the other a segment emptied the send buffer although the window held more
/// a moment before or after: a sender with a backlog cuts a segment short only at the edge of its
/// window.
fn emptied_in_room(counters: Option<&Counters>, before: Option<&Counters>) -> bool {
    let (Some(now), Some(before)) = (counters, before) else { return false };
    let most = now.flight_known_bytes.max(before.flight_known_bytes);
    let in_room = |c: &Counters| c.emptied_at_bytes.get().is_some_and(|least| least <= most);
    in_room(now) && in_room(before)
}

const fn begin_of(bin: i64) -> Instant {
    Instant::from_nanos(bin.saturating_mul(BIN.as_nanos()))
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
    last.first_frame = last.first_frame.or(row.first_frame);
    last.last_frame = row.last_frame.or(last.last_frame);
    last.delivery_bps = mean(last.delivery_bps, row.delivery_bps);
    last.end_ns = row.end_ns;
}
