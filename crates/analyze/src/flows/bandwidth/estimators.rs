//! Runs both bandwidth estimators for one direction of a flow's data.

use std::collections::VecDeque;

use airmile_track::{Events, Segment, SegmentClass, Tick};
use airmile_types::{Direction, Duration, Held, Instant, Parameters, Vantage};

use super::arrival::Arrival;
use super::c_rule::{CRule, Limits};
use super::delivery::{self, Delivery, whole_rtt};
use super::link::{Bearer, SharedLink};
use super::order::Order;
use super::passing::Passing;
use super::queue_evident::QueueEvident;
use super::raw::{Clock, Raw, Source};
use super::row::BandwidthSampleRow;
use super::sample::{Waiting, WindowMean, window};
use super::spans::Spans;
use super::used::{Slacks, Used};
use super::utilisation::Carried;
use crate::flows::tick::{self, TickFit};

/// A silence of this length disqualifies a window of the C rule (LTE13; methods E2).
const GAP: Duration = Duration::from_secs(1);
/// The relative distance from a known tick at which a clock counts as having that tick, in flows
/// that are too short for a fit. Known ticks differ by a fifth or more.
const SHORT_TOLERANCE: f64 = 0.05;
/// The shortest span of a fit that finds a known tick in a short flow.
const SHORT_SPAN: Duration = Duration::from_secs(1);
/// A packet waits at least for the next TTI (TS 36.211 section 4).
const TTI: Duration = Duration::from_millis(1);
/// How long an uplink packet may wait on an empty link: one grant and one HARQ retransmission
/// (methods B2).
const GRANT: Duration = Duration::from_millis(20);
/// The events of the receiver's packets that no window of the C rule may contain.
const DISQUALIFIES: Events = Events::DUPLICATE.or(Events::NEW).or(Events::OLD).or(Events::SYN);
/// The number of newest losses that a D-SACK can still correct: the tracker waits for this number
/// of D-SACKs.
const OPEN_LOSSES: usize = 8;

/// The side of the capture point on which the radio lies. It decides which packets show delivery.
#[derive(Clone, Debug, PartialEq)]
enum Radio {
    /// The radio lies behind the capture point: the receiver's ACKs show delivery.
    Behind(Delivery),
    /// The radio lies before the capture point: the packets themselves show delivery.
    Before(Passing),
}

impl Held for Radio {
    fn held_bytes(&self) -> usize {
        match self {
            Self::Behind(delivery) => delivery.held_bytes(),
            Self::Before(_) => 0,
        }
    }

    fn give_back(&mut self) {
        if let Self::Behind(delivery) = self {
            delivery.give_back();
        }
    }
}

/// Bytes that were retransmitted, and therefore lost when they first passed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Lost {
    start: i64,
    end: i64,
    passed: Instant,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Estimators {
    uid: u64,
    direction: Direction,
    carried: Carried,
    /// The offset of the next byte if the sender has no losses before the capture point.
    expected: i64,
    /// The time of the newest packet of either side.
    newest: Instant,
    fit: TickFit,
    radio: Radio,
    /// Payload of the flow that passed the capture point, each packet once.
    passed: u64,
    order: Order,
    /// The losses that a D-SACK may still revoke.
    lost: VecDeque<Lost>,
    /// The bytes that the phone's other flows had sent before the newest delivery.
    others: u64,
    newest_ticks: Option<u32>,
    noted: Option<Instant>,
    used: Used,
    queue_evident: QueueEvident,
    c_rule: CRule,
    spans: Spans,
    /// The error of a wait with the clock in force: only a wait above it is a queue.
    slacks: Slacks,
    waiting: Waiting,
    pub(super) mean: WindowMean,
    pub(super) c_rule_mean: WindowMean,
}

airmile_types::held!(Estimators { fit, radio, order, lost, queue_evident, c_rule, waiting });

impl Estimators {
    /// Begins with a packet of the sender. At a monitor and at the server, downlink data is
    /// measured behind the capture point, and uplink data before it. At the UE, uplink data is
    /// measured behind the capture point by interchange (methods E3), and downlink data shows no
    /// queue.
    pub(super) fn begin(segment: &Segment<'_>, parameters: &Parameters) -> Option<Self> {
        let at_ue = segment.flow.vantage == Some(Vantage::Ue);
        let mut fit = TickFit::default();
        let radio = match (segment.direction, at_ue) {
            (Direction::Downlink, true) => return None,
            (Direction::Uplink, true) => Radio::Behind(Delivery::default()),
            (Direction::Downlink, false) => {
                tick::handshake(segment.flow).for_each(|(time, value)| fit.push(time, value));
                Radio::Behind(Delivery::default())
            }
            (Direction::Uplink, false) => Radio::Before(Passing::default()),
        };
        let first = segment.own.first_data().unwrap_or(segment.time);
        let in_flight = segment.own.in_flight_bytes().max(0) as u64;
        let delivered = segment.own.payload_bytes().saturating_sub(in_flight);
        let followed = if delivered == 0 { first } else { segment.time };
        let spans = Spans::new(parameters);
        let mut begun = Self {
            uid: segment.flow.uid,
            direction: segment.direction,
            carried: Carried {
                first,
                last: segment.time,
                payload_bytes: 0,
            },
            expected: segment.start,
            newest: segment.time,
            fit,
            radio,
            passed: 0,
            order: Order::default(),
            lost: VecDeque::new(),
            others: 0,
            newest_ticks: None,
            noted: None,
            used: Used::new(first, followed, delivered),
            queue_evident: QueueEvident::default(),
            c_rule: CRule::default(),
            spans,
            slacks: Slacks::default(),
            waiting: Waiting::default(),
            mean: WindowMean::default(),
            c_rule_mean: WindowMean::default(),
        };
        begun.renew_slacks();
        Some(begun)
    }

    /// Ends all windows of the C rule after a silence.
    #[inline]
    fn note_time(&mut self, segment: &Segment<'_>) {
        if segment.time > self.newest {
            if segment.time - self.newest > GAP {
                self.c_rule.disqualify();
            }
            self.newest = segment.time;
        }
    }

    /// How much the flow used of the link.
    pub(super) const fn used(&self) -> &Used {
        &self.used
    }

    /// The payload that the flow has carried.
    pub(super) const fn carried(&self) -> Carried {
        self.carried
    }

    /// The clock that measures the flow's bandwidth samples.
    pub(super) fn clock(&self) -> Option<Clock> {
        self.waiting.clock_in_force()
    }

    /// The highest sending rate of any window.
    pub(super) const fn send_max_bps(&self) -> Option<f64> {
        self.c_rule.send_max_bps()
    }

    /// Whether this capture could show a queue at all.
    pub(super) const fn sees_queue(&self) -> bool {
        match &self.radio {
            Radio::Behind(_) => true,
            Radio::Before(passing) => passing.is_stamped(),
        }
    }

    /// Takes a packet of the sender that is `late` by its timestamps.
    #[inline(always)]
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>, late: Option<Duration>, link: &mut SharedLink, parameters: &Parameters) {
        self.note_time(segment);
        let Some(class) = segment.class else { return };
        self.carried.last = segment.time;
        self.carried.payload_bytes = segment.own.payload_bytes();
        let bearer = link.of_mut(self.direction);
        let before = bearer.passed_before(segment, self.direction);
        self.pass(segment, class, before, bearer);
        let leaves_hole = segment.start > self.expected;
        self.expected = segment.own.next();
        if class != SegmentClass::New || leaves_hole {
            self.c_rule.disqualify();
        }
        let arrival = match &mut self.radio {
            Radio::Behind(delivery) => {
                delivery.on_sender(segment);
                return;
            }
            Radio::Before(passing) => {
                passing.on_sender(segment, late, before + u64::from(segment.payload_bytes))
            }
        };
        if let Some(mut arrival) = arrival {
            self.note(&mut arrival, bearer, parameters);
            self.apply_c_rule(segment, &arrival, bearer, parameters);
        }
    }

    /// Remembers the packet's place in the queue and, if it is a retransmission, the bytes that
    /// were lost.
    fn pass(&mut self, segment: &Segment<'_>, class: SegmentClass, before: u64, bearer: &mut Bearer) {
        if class == SegmentClass::CaptureDuplicate {
            return;
        }
        let others = before.saturating_sub(self.passed);
        self.order.pass(segment.time, segment.start, others, class == SegmentClass::New);
        self.passed += u64::from(segment.payload_bytes);
        if class == SegmentClass::Retransmission
            && let Some(passed) = self.order.passed_at(segment.start)
        {
            let bytes = i64::from(segment.payload_bytes);
            bearer.lose(self.uid, passed, bytes);
            if self.lost.len() == OPEN_LOSSES {
                self.lost.pop_front();
            }
            self.lost.push_back(Lost { start: segment.start, end: segment.start + bytes, passed });
        }
    }

    /// Revokes a loss, because bytes that arrived twice were not lost. If a loss was noted for
    /// them, it is removed from the window that contains it.
    fn take_back(&mut self, (left, right): (i64, i64), bearer: &mut Bearer) {
        let is_covered = |lost: &Lost| left <= lost.start && lost.end <= right;
        let place = self.lost.iter().position(is_covered);
        if let Some(lost) = place.and_then(|place| self.lost.remove(place)) {
            bearer.lose(self.uid, lost.passed, lost.start - lost.end);
        }
    }

    /// Takes a packet of the receiver that is `late` by its timestamps.
    #[inline(always)]
    pub(super) fn on_receiver(&mut self, segment: &Segment<'_>, late: Option<Duration>, link: &mut SharedLink, parameters: &Parameters) {
        self.note_time(segment);
        let disqualifies = segment.events.any(DISQUALIFIES) || segment.peer.is_recovering();
        if disqualifies {
            self.c_rule.disqualify();
        }
        if matches!(self.radio, Radio::Before(_)) {
            return;
        }
        let bearer = link.of_mut(self.direction);
        if let Some(twice) = segment.dsack {
            self.take_back(twice, bearer);
        }
        // Once the clock is decided, its tick is not needed any more.
        if !self.waiting.is_decided()
            && let Some(stamp) = segment.timestamps
        {
            self.fit.push(segment.time, stamp.value);
        }
        let Radio::Behind(delivery) = &mut self.radio else { return };
        if !delivery::reports_delivery(segment) {
            return;
        }
        let mut arrival = delivery.on_receiver(segment, late, bearer);
        self.join(&mut arrival, segment.peer.unacked());
        self.note(&mut arrival, bearer, parameters);
        // A delayed ACK came later than the data that it acknowledges.
        let enough = parameters.sample_min_mss * f64::from(segment.peer.mss_bytes());
        if !disqualifies && (segment.acked_bytes as f64) >= enough {
            self.apply_c_rule(segment, &arrival, bearer, parameters);
        }
    }

    /// Adds to a delivery the bytes that the subscriber's other flows sent before it.
    fn join(&mut self, arrival: &mut Arrival, acked: i64) {
        let others = arrival.sent.and_then(|sent| self.order.others_before(sent));
        self.others = self.others.max(others.unwrap_or_default());
        if let Some(sent) = arrival.sent {
            self.order.forget(acked, sent);
        }
        let ticks = arrival.ticks;
        arrival.begins = others.is_some() && (ticks.is_none() || ticks != self.newest_ticks);
        arrival.delivered += self.others;
        self.newest_ticks = ticks;
    }

    /// Takes a delivery, and adds the time for which the link was busy.
    #[inline(always)]
    fn note(&mut self, arrival: &mut Arrival, bearer: &mut Bearer, parameters: &Parameters) {
        arrival.busy = match (arrival.sent, arrival.queued) {
            // A shorter wait is not a queue: the clock cannot show it, or an empty link takes as
            // long.
            (Some(sent), Some(queued)) if queued > self.slacks.queue() => {
                bearer.wait(sent, sent + queued)
            }
            _ => bearer.busy(),
        };
        if self.noted.is_none_or(|noted| arrival.served - noted >= self.spans.spacing) {
            self.noted = Some(arrival.served);
            bearer.note_active(self.uid, arrival.served);
        }
        // The limits are those of the clock in force after this delivery.
        if !self.waiting.is_decided() {
            self.decide(arrival, parameters);
        }
        if self.direction == Direction::Downlink {
            // Bytes that other flows carried before count in the sum of the link, but not in the
            // flow's own use.
            let own = arrival.delivered.saturating_sub(self.others);
            self.used.on_arrival(arrival, own, self.slacks, parameters);
        }
        if let Some(raw) = self.queue_evident.on_arrival(arrival, &self.spans, parameters) {
            self.keep(raw, bearer);
        }
    }

    /// The error that a wait may have.
    fn jitter(&self) -> Duration {
        let tick = match self.waiting.clock_in_force() {
            Some(Clock::Tap) => GRANT,
            _ => Duration::from_nanos(self.waiting.tick_ns() as i64),
        };
        if self.direction == Direction::Uplink { tick.max(GRANT) } else { tick }
    }

    /// Computes the three limits anew: for any wait, for a wait that shows a queue, and for a wait
    /// that shows a queue even if it contains a HARQ retransmission.
    fn renew_slacks(&mut self) {
        let jitter = self.jitter();
        self.slacks = Slacks([jitter.min(TTI), jitter + self.spans.excess, jitter + self.spans.harq]);
    }

    fn keep(&mut self, raw: Raw, bearer: &Bearer) {
        self.waiting.push(raw.of(bearer.flows_since(raw.from)));
    }

    #[inline(always)]
    fn apply_c_rule(&mut self, segment: &Segment<'_>, arrival: &Arrival, bearer: &Bearer, parameters: &Parameters) {
        let tick_ns = self.waiting.tick_ns();
        let board = if segment.direction == self.direction { segment.own } else { segment.peer };
        let Some(rtt) = whole_rtt(board) else { return };
        let rtts = rtt.as_nanos() as f64 * parameters.sample_max_rtts;
        let most = Duration::from_nanos(rtts.max(parameters.sample_max_ticks * tick_ns) as i64);
        if let Some(raw) = self.c_rule.on_arrival(arrival, Limits { most, tick_ns, spacing: self.spans.spacing }, parameters) {
            self.keep(raw, bearer);
        }
    }

    /// Decides the clock: the receiver's clock as soon as its tick is known, or, without
    /// timestamps, that of the capture point.
    fn decide(&mut self, arrival: &Arrival, parameters: &Parameters) {
        if arrival.ticks.is_none() {
            self.waiting.decide(Clock::Tap, 1e6);
        } else if self.fit.may_span(self.spans.least_fit)
            && let Some(tick) = self.fit.tick().filter(|tick| tick.span >= self.spans.least_fit)
        {
            self.waiting.decide(Clock::Ue, tick.best_ns(parameters.nominal_tolerance_ratio));
        }
        if self.waiting.is_decided() {
            self.renew_slacks();
        }
    }

    /// Decides the clock of a flow that is too short for the fit: a known tick when the clock is
    /// close to one, else the capture point's time.
    pub(super) fn decide_at_end(&mut self) {
        if self.waiting.is_decided() {
            return;
        }
        let near = |tick: Tick| tick.nominal_ms(SHORT_TOLERANCE);
        match self.fit.tick().filter(|tick| tick.span >= SHORT_SPAN).and_then(near) {
            Some(tick_ms) => self.waiting.decide(Clock::Ue, tick_ms * 1e6),
            None => self.waiting.decide(Clock::Tap, 1e6),
        }
    }

    /// Whether a sample may be written at `now`.
    #[inline]
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.waiting.is_due(now)
    }

    /// Writes the samples that are due at `now`.
    pub(super) fn publish(&mut self, now: Instant, link: &SharedLink, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        while self.is_due(now) {
            self.publish_next(link, parameters, out);
        }
    }

    /// Writes all samples, because the flow has ended.
    pub(super) fn publish_all(&mut self, link: &SharedLink, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        while !self.waiting.is_empty() {
            self.publish_next(link, parameters, out);
        }
    }

    fn publish_next(&mut self, link: &SharedLink, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        let bearer = link.of(self.direction);
        let Some((source, row)) = self.waiting.next(self.uid, self.direction, bearer) else { return };
        let mean = match source {
            Source::QueueEvident => &mut self.mean,
            Source::CRule => &mut self.c_rule_mean,
        };
        mean.add(row.time_ns - self.carried.first, window(parameters), row.bandwidth_bps);
        out.push(row);
    }
}
