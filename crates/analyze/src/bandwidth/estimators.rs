//! Both estimators for one direction of a flow's data.

use airmile_read::TcpFlags;
use airmile_track::{Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Vantage};

use super::BandwidthSampleRow;
use super::c_rule::{CRule, Limits};
use super::delivery::{Arrival, Delivery, whole_rtt};
use super::link::SharedLink;
use super::passing::Passing;
use super::queue_evident::QueueEvident;
use super::sample::{Clock, Raw, Source, Waiting, WindowMean};
use super::utilisation::Carried;
use crate::Parameters;
use crate::tick::{self, Tick, TickFit};

/// A silence this long disqualifies a window of the paper's rule (methods E2).
const GAP: Duration = Duration::from_secs(1);
/// In flows too short for a fit, a clock this close to a known tick is taken for it; the known
/// ones differ by factors of two and more.
const SHORT_TOLERANCE: f64 = 0.05;
/// Least fit for that.
const SHORT_SPAN: Duration = Duration::from_secs(1);

/// Where the radio lies, and so what tells of delivery.
#[derive(Debug)]
enum Radio {
    /// Behind the tap: the receiver's ACKs.
    Behind(Delivery),
    /// Before the tap: the packets themselves.
    Before(Passing),
}

#[derive(Debug)]
pub(super) struct Estimators {
    uid: u64,
    direction: Direction,
    carried: Carried,
    /// Offset of the next byte of a sender without losses before the tap.
    expected: i64,
    /// Newest packet of either side.
    newest: Instant,
    fit: TickFit,
    radio: Radio,
    delivered: u64,
    queue_evident: QueueEvident,
    c_rule: CRule,
    waiting: Waiting,
    pub(super) mean: WindowMean,
    pub(super) c_rule_mean: WindowMean,
}

impl Estimators {
    /// Begins with a packet of the sender. Downlink data is measured behind the tap at monitor and
    /// server, uplink data before it; at the UE its uplink is behind it by interchange (methods
    /// E3), and the downlink shows no queue there.
    pub(super) fn begin(segment: &Segment<'_>) -> Option<Self> {
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
        Some(Self {
            uid: segment.flow.uid,
            direction: segment.direction,
            carried: Carried {
                first: segment.own.first_data().unwrap_or(segment.time),
                last: segment.time,
                payload_bytes: 0,
                unique_bytes: 0,
            },
            expected: segment.start,
            newest: segment.time,
            fit,
            radio,
            delivered: 0,
            queue_evident: QueueEvident::default(),
            c_rule: CRule::default(),
            waiting: Waiting::default(),
            mean: WindowMean::default(),
            c_rule_mean: WindowMean::default(),
        })
    }

    pub(super) fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        late: Option<Duration>,
        link: &mut SharedLink,
        parameters: &Parameters,
    ) {
        if segment.time - self.newest > GAP {
            self.c_rule.disqualify();
        }
        self.newest = self.newest.max(segment.time);
        if segment.direction == self.direction {
            self.on_sender(segment, late, link, parameters);
        } else {
            self.on_receiver(segment, late, link, parameters);
        }
    }

    /// What the flow has carried.
    pub(super) const fn carried(&self) -> Carried {
        self.carried
    }

    /// The clock in force.
    pub(super) fn clock(&self) -> Option<Clock> {
        self.waiting.clock_in_force()
    }

    /// The fastest that a window was sent.
    pub(super) const fn send_max_bps(&self) -> Option<f64> {
        self.c_rule.send_max_bps()
    }

    /// Whether a queue could be told at all.
    pub(super) const fn sees_queue(&self) -> bool {
        match &self.radio {
            Radio::Behind(_) => true,
            Radio::Before(passing) => passing.is_stamped(),
        }
    }

    fn on_sender(&mut self, segment: &Segment<'_>, late: Option<Duration>, link: &mut SharedLink, parameters: &Parameters) {
        let Some(class) = segment.class else { return };
        self.carried.last = segment.time;
        self.carried.payload_bytes = segment.own.payload_bytes();
        self.carried.unique_bytes = segment.own.unique_bytes();
        link.pass(self.direction, segment.payload_bytes);
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
            Radio::Before(passing) => passing.on_sender(segment, late),
        };
        let Some(arrival) = arrival else { return };
        let arrival = self.note(arrival, segment, link, parameters);
        if let Some(raw) = self.apply_c_rule(segment, &arrival, parameters) {
            self.keep(link.admit(self.direction, raw, parameters));
        }
    }

    fn on_receiver(&mut self, segment: &Segment<'_>, late: Option<Duration>, link: &mut SharedLink, parameters: &Parameters) {
        let disqualifies = segment.duplicate_ack.is_some()
            || segment.class.is_some()
            || segment.flags.any(TcpFlags::SYN)
            || segment.peer.is_recovering();
        if disqualifies {
            self.c_rule.disqualify();
        }
        let arrival = match &mut self.radio {
            Radio::Behind(delivery) => delivery.on_receiver(segment, late),
            Radio::Before(_) => return,
        };
        if let Some(stamp) = segment.timestamps {
            self.fit.push(segment.time, stamp.value);
        }
        let Some(arrival) = arrival else { return };
        let arrival = self.note(arrival, segment, link, parameters);
        // A delayed ACK came later than what it tells of.
        let enough = parameters.sample_min_mss * f64::from(segment.peer.mss_bytes());
        if disqualifies || (segment.acked_bytes as f64) < enough {
            return;
        }
        if let Some(raw) = self.apply_c_rule(segment, &arrival, parameters) {
            self.keep(link.admit(self.direction, raw, parameters));
        }
    }

    /// An arrival, now with what all flows of the subscriber have delivered.
    fn note(
        &mut self,
        arrival: Arrival,
        segment: &Segment<'_>,
        link: &mut SharedLink,
        parameters: &Parameters,
    ) -> Arrival {
        let gained = arrival.delivered - self.delivered;
        self.delivered = arrival.delivered;
        let total = link.deliver(self.direction, self.uid, arrival.time, gained, parameters);
        let beside = link.beside(self.direction, segment.ue);
        let arrival = Arrival { delivered: total, beside, ..arrival };
        self.decide(&arrival, parameters);
        if let Some(raw) = self.queue_evident.on_arrival(&arrival, parameters) {
            self.keep(link.admit(self.direction, raw, parameters));
        }
        arrival
    }

    fn keep(&mut self, raw: Option<Raw>) {
        if let Some(raw) = raw {
            self.waiting.push(raw);
        }
    }

    fn apply_c_rule(
        &mut self,
        segment: &Segment<'_>,
        arrival: &Arrival,
        parameters: &Parameters,
    ) -> Option<Raw> {
        let tick_ns = self.waiting.tick_ns();
        let board = if segment.direction == self.direction { segment.own } else { segment.peer };
        let rtts = whole_rtt(board)?.as_nanos() as f64 * parameters.sample_max_rtts;
        let most = Duration::from_nanos(rtts.max(parameters.sample_max_ticks * tick_ns) as i64);
        self.c_rule.on_arrival(arrival, Limits { most, tick_ns }, parameters)
    }

    /// The receiver's clock measures as soon as its tick is known; without timestamps the tap's.
    fn decide(&mut self, arrival: &Arrival, parameters: &Parameters) {
        if arrival.ticks.is_none() {
            if !self.waiting.is_decided() {
                self.waiting.decide(Clock::Tap, 1e6);
            }
        } else if !self.waiting.is_decided() {
            let least = Duration::from_secs_f64(parameters.delta_g_s);
            if !self.fit.may_span(least) {
                return;
            }
            if let Some(tick) = self.fit.tick().filter(|tick| tick.span >= least) {
                self.waiting.decide(Clock::Ue, tick.best_ns(parameters.nominal_tolerance_ratio));
            }
        }
    }

    /// A flow too short for the fit: a known tick, when the clock is near one; else the tap's time.
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

    pub(super) fn publish(&mut self, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        while let Some((source, row)) = self.waiting.next(self.uid, self.direction) {
            let mean = match source {
                Source::QueueEvident => &mut self.mean,
                Source::CRule => &mut self.c_rule_mean,
            };
            mean.add(row.time_ns - self.carried.first, super::window(parameters), row.bandwidth_bps);
            out.push(row);
        }
    }
}
