//! Collects the evidence of one slice.

use airmile_types::{Direction, Instant};

use super::slicer::Slicer;
use crate::evidence::{
    BIN, Counters, HORIZON_BINS, Mask, NEVER_CUT, RadioMasks, Scale, begin_of, window,
};
use crate::rule::{self, Evidence, Queue};

/// For one bin, the milliseconds in which there was a queue or data in flight.
struct QueueMasks {
    /// The milliseconds with data in the queue before the radio.
    link: Mask,
    /// The milliseconds with data of this flow in the queue before the radio, as far as the capture
    /// point can show them.
    own_link: Mask,
    standing: Mask,
    device: Mask,
    /// The milliseconds with data of this flow in flight.
    busy: Mask,
}

/// The number of bins, two seconds, whose greatest delivered bytes a slice is compared with.
const DELIVERED_BINS: i64 = 20;

impl Slicer<'_> {
    pub(super) fn evidence(
        &self,
        start: Instant,
        end: Instant,
        counters: Option<&Counters>,
    ) -> Evidence {
        let bin = start.bin(BIN);
        let span = window(bin, start, end);
        let length_ms = (end - start).as_millis_f64();
        let ms = |mask: Mask| count_ms(mask & span).min(length_ms);
        let mut earlier = self.sender.bins_before(bin, bin - DELIVERED_BINS);
        let newest = earlier.next();
        let before = newest.filter(|c| c.bin == bin - 1);
        // What waits for its ACK may have been sent in an earlier bin.
        let sent = self.sender.bins_before(bin, bin - DELIVERED_BINS);
        let in_flight = counters.into_iter().chain(sent).find(|c| c.judged.flight_bytes.is_some());
        let delivered_max = newest.into_iter().chain(earlier).map(|c| c.acked_bytes).max();
        // While ACKs are late, the application does not count as silent.
        let acks_queued = self.queues.acks_queued(self.direction, self.own, bin);
        let (radio_ms, handover_ms) = self.radio(bin, span, length_ms);
        let round = self.bins_of_growth(bin, counters);
        let both = |count: fn(&Counters) -> i64| {
            let earlier = self.sender.bins_before(bin, bin - round).map(count);
            (counters.map_or(0, count) + earlier.sum::<i64>()) as f64
        };
        let held = self.waiting.as_ref().map(|waiting| self.held(waiting, bin)).unwrap_or_default();
        let queues = self.queue_masks(bin);
        let scale = Scale::of(self.flow, self.direction.reverse());
        Evidence {
            length_ms,
            lossy: self.lossy,
            acks_missing_ms: ms(self.sender.acks_missing_at(bin)),
            link_ms: ms(queues.own_link),
            standing_ms: ms(queues.standing),
            queue_bin_ms: count_ms(queues.link | queues.device),
            queue_earlier_ms: count_ms(self.queue_masks(bin - 1).own_link),
            queue_samples: self.queues.samples(self.direction),
            queue_shown: *self.own.shown.of(self.direction),
            radio_ms,
            handover_ms,
            device_ms: ms(queues.device),
            upstream_ms: ms(self.mask_of(Queue::Upstream, bin)),
            window_ms: ms(self.sender.window.at(bin, scale)),
            window_doubt_ms: ms(self.sender.window.doubted_at(bin, scale)),
            zero_window_ms: ms(self.sender.window.unread_at(bin)),
            behind_ms: ms(self.sender.window.behind_at(bin)),
            begun_before: !self.has_handshake(),
            application_ms: ms(self.sender.application.at(bin) & !acks_queued),
            released_ms: ms(self.sender.released_at(bin) & !acks_queued),
            nagle_ms: ms(self.sender.nagle_at(bin)),
            timeout_ms: ms(self.sender.timeout_at(bin)),
            undesired_ms: ms(self.sender.undesired_at(bin)),
            supposed_ms: ms(self.sender.supposed_at(bin)),
            recovery_ms: ms(self.sender.recovery_at(bin)),
            resent_ms: ms(held.resent),
            uplink_queue_ms: ms(held.uplink),
            downlink_queue_ms: ms(held.downlink),
            busy_ms: ms(queues.busy),
            released_bytes: both(|c| c.new_bytes),
            grown_ms: counters.map_or(0.0, Counters::grown_ms),
            acknowledged_bytes: both(|c| c.acked_bytes),
            delivered_bytes: counters.map_or(0, |c| c.acked_bytes) as f64,
            delivered_max_bytes: delivered_max.unwrap_or(0) as f64,
            flight_bytes: counters
                .filter(|c| c.sent_bytes > 0)
                .map(|c| c.flight_known_bytes as f64),
            flight_max_bytes: counters.map_or(0.0, |c| c.judged.flight_max_bytes as f64),
            sent_max_bytes: counters.map_or(0.0, |c| c.judged.sent_max_bytes as f64),
            window_least_bytes: counters.map_or(0.0, |c| c.judged.window_least_bytes as f64),
            restarts: self.sender.restarts_at(bin) & span != 0,
            upstream_losses: counters.map_or(0, |c| c.upstream_losses.into()),
            sees_queue: self.sees_queue(counters),
            saw_queue: self.sees_queue(
                counters.or_else(|| self.sender.bins_before(bin, bin - HORIZON_BINS).next()),
            ),
            base_unknown: self.base_unknown(self.direction, end),
            waits: self.waiting.is_some(),
            before_radio: self.is_before_radio(),
            blind: radio_ms.is_none() && self.is_before_radio() && !self.timestamps,
            shares_rate: ms(self.queues.shared_at(self.direction, bin))
                > self.parameters.majority_ratio * length_ms,
            sees_acks: self.sender.sees().0 || self.has_handshake(),
            hears_acks: self.hears_acks(bin - round),
            has_room: counters.is_some_and(|c| c.judged.has_room),
            below_initial: counters.is_some_and(|c| c.judged.below_initial),
            probes_rtt: counters.is_some_and(|c| c.judged.probes_rtt),
            below_segment: in_flight.is_some_and(|c| c.judged.below_segment),
            cut_by_link: counters.is_some_and(|c| self.is_cut_by_link(c)),
            cut_lately: counters
                .is_some_and(|c| i64::from(c.judged.bins_since_cut) < DELIVERED_BINS),
            link_marks: self.marks_of(Queue::Link, bin - DELIVERED_BINS, bin),
            upstream_marks: self.marks_of(Queue::Upstream, bin - DELIVERED_BINS, bin),
            acks_in_uplink_ms: ms(self.acks_in_uplink(bin)),
            emptied: [counters, before].into_iter().flatten().any(|c| c.emptied_at_bytes.is_some()),
            emptied_in_room: emptied_in_room(counters, before),
        }
    }

    /// Whether a queue that hardly emptied stood before the radio until a loss or a mark last reduced
    /// the window: then that was likely the link's, but a packet may have been lost elsewhere at the
    /// same time. A loss on the air comes at any depth of a queue, a drop when it has no room. A mark
    /// of the queue before the radio shows that it stood.
    fn is_cut_by_link(&self, counters: &Counters) -> bool {
        let bin = counters.bin - i64::from(counters.judged.bins_since_cut);
        let before = self.link_mask(bin - 1);
        let was_cut = counters.judged.bins_since_cut != NEVER_CUT;
        let lasts = |mask, ratio: f64| count_ms(mask) >= ratio * BIN.as_millis_f64();
        let queued = lasts(before, self.parameters.link_sure_ratio)
            && lasts(self.queue_masks(bin - 1).standing, self.parameters.standing_ratio);
        was_cut && (queued || self.is_cut_by_mark(bin, counters.bin))
    }

    /// Whether the queue before the radio marked data within the round trip before the bin of a cut.
    /// The delivery before the cut is known for two seconds.
    fn is_cut_by_mark(&self, cut: i64, bin: i64) -> bool {
        let round = self.sender.round_trip().as_nanos() / BIN.as_nanos() + 1;
        let round_bins = round.min(DELIVERED_BINS);
        bin - cut <= DELIVERED_BINS && self.marks_of(Queue::Link, cut - round_bins, cut) > 0
    }

    /// The number of round trips in the bins `[from, to]` in which a queue marked this sender's data.
    fn marks_of(&self, queue: Queue, from: i64, to: i64) -> u32 {
        if !self.sender.has_marks() {
            return 0;
        }
        let (behind, before) = rule::queues(self.vantage(), self.direction);
        let of = |place: Queue, mask: Mask| if place == queue { mask.count_ones() } else { 0 };
        let marks = (from..=to).map(|bin| self.sender.marks_at(bin));
        marks.map(|(came, echoed)| of(before, came) + of(behind, echoed)).sum()
    }

    /// The milliseconds of a bin in which ACKs of a download waited in the queue before the phone's
    /// uplink, which its other data fills.
    fn acks_in_uplink(&self, bin: i64) -> Mask {
        if self.direction == Direction::Uplink {
            return 0;
        }
        let (behind, before) = rule::queues(self.vantage(), Direction::Uplink);
        let queues = &self.queues.timelines;
        match (behind, before) {
            (Queue::Link, _) => queues.behind.uplink.at(bin),
            (_, Queue::Link) => queues.before.uplink.at(bin),
            _ => 0,
        }
    }

    /// The number of earlier bins over which growth is counted. A sender that waits for the ACKs of
    /// its flight grows, if at all, from round trip to round trip, which shows where the capture
    /// holds the ACKs of one.
    fn bins_of_growth(&self, bin: i64, counters: Option<&Counters>) -> i64 {
        let sends = counters.is_some_and(|c| c.sent_bytes > 0);
        let round_trip = self.sender.round_trip();
        let round = (round_trip.as_nanos() / BIN.as_nanos() + 1).min(DELIVERED_BINS);
        if sends || !self.hears_acks(bin - round) { 1 } else { round }
    }

    /// Whether the ACKs that the sender heard of since a bin began have passed the capture point. It
    /// misses those that passed before a flow was met in mid-stream.
    fn hears_acks(&self, since: i64) -> bool {
        let opened = self.flow.syn.is_some() || self.flow.syn_ack.is_some();
        opened || self.sender.hears_since(self.flow.start) <= begin_of(since)
    }

    /// Whether both sides' packets of the handshake were captured, and so both directions.
    const fn has_handshake(&self) -> bool {
        self.flow.syn.is_some() && self.flow.syn_ack.is_some()
    }

    /// What the modem log shows for a part of a bin. The log never decides alone: when the queue is
    /// after the capture point, a queue in the log does not count while nothing is in flight here.
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

    /// The milliseconds of a bin in which there were queues. A queue after the capture point delays
    /// this flow while data of the flow is in flight there. It is a standing queue when even the
    /// quickest packets waited, as far as the capture point can show that.
    fn queue_masks(&self, bin: i64) -> QueueMasks {
        let (behind, before) = rule::queues(self.vantage(), self.direction);
        let (link, device) = (self.link_mask(bin), self.mask_of(Queue::Device, bin));
        let busy = self.sender.busy.at(bin);
        let known = if behind == Queue::Link { busy } else { Mask::MAX };
        let (fine, all_waited) = match self.direction {
            Direction::Uplink => self.queues.fine_uplink_at(bin),
            Direction::Downlink => (0, 0),
        };
        let own_link = (link | fine) & known;
        let standing = match (behind, before, self.direction) {
            (Queue::Link, _, Direction::Downlink) => self.queues.standing_at(self.own, bin) & busy,
            (_, Queue::Link, Direction::Downlink) => self.queues.standing_before_at(bin),
            _ => (link | all_waited) & known | device,
        };
        QueueMasks { link: link | fine, own_link, standing, device, busy }
    }

    pub(super) fn link_mask(&self, bin: i64) -> Mask {
        self.mask_of(Queue::Link, bin)
    }

    fn mask_of(&self, queue: Queue, bin: i64) -> Mask {
        let (behind, before) = rule::queues(self.vantage(), self.direction);
        let mut mask = 0;
        let shared = [Some(self.own), (queue != Queue::Upstream).then_some(&self.queues.timelines)];
        for timelines in shared.into_iter().flatten() {
            if behind == queue {
                mask |= timelines.behind.of(self.direction).at(bin);
            }
            if before == queue {
                mask |= timelines.before.of(self.direction).at(bin);
            }
        }
        mask
    }

    /// Whether the queue before the radio lies before the capture point, where only timestamps can
    /// show it.
    fn is_before_radio(&self) -> bool {
        let (behind, before) = rule::queues(self.vantage(), self.direction);
        behind != Queue::Link && before == Queue::Link
    }

    /// Whether nothing has shown the delay of an empty queue before the radio by `end`: then a queue
    /// that was never empty looks like a longer path.
    pub(super) fn base_unknown(&self, direction: Direction, end: Instant) -> bool {
        let (behind, _) = rule::queues(self.vantage(), direction);
        let opened = self.flow.syn.zip(self.flow.syn_ack).map(|(syn, _)| syn.time);
        let how = (opened, behind == Queue::Link);
        !self.queues.base_known(direction, self.own, end, how)
            && !self.flight_varied(direction, end.bin(BIN))
    }

    pub(super) fn sees_queue(&self, counters: Option<&Counters>) -> bool {
        match rule::queues(self.vantage(), self.direction) {
            (Queue::Link, _) => counters.is_some_and(|c| c.rtt_min.is_some()),
            (_, Queue::Link) => self.timestamps,
            _ => false,
        }
    }
}

/// The number of milliseconds in a mask. It tests for an empty mask first, because most masks are
/// empty and not every processor counts bits in one instruction.
fn count_ms(mask: Mask) -> f64 {
    if mask == 0 { 0.0 } else { f64::from(mask.count_ones()) }
}

/// Whether in each of two consecutive bins a segment emptied the send buffer although the window
/// held more just before or after. A sender with a backlog cuts a segment short only at the edge of
/// its window.
fn emptied_in_room(counters: Option<&Counters>, before: Option<&Counters>) -> bool {
    let (Some(now), Some(before)) = (counters, before) else { return false };
    let most = now.flight_known_bytes.max(before.flight_known_bytes);
    let in_room = |c: &Counters| c.emptied_at_bytes.get().is_some_and(|least| least <= most);
    in_room(now) && in_room(before)
}
