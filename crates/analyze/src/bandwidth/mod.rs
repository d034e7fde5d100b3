#![doc = include_str!("bandwidth.md")]

mod c_rule;
mod delivery;
mod queue_evident;
mod sample;

use airmile_read::TcpFlags;
use airmile_track::{FlowFacts, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Vantage, columns};

use crate::tick::{self, Tick, TickFit};
use crate::{Analysis, EventTable, Parameters, Scope};
use c_rule::{CRule, Limits};
use delivery::{Arrival, Delivery, whole_rtt};
use queue_evident::QueueEvident;
use sample::{Clock, Raw, Source, Waiting, WindowMean};

/// A flow with less payload cannot fill a window of a quarter of a second at 1 Mbps.
const LEAST_BYTES: u64 = 32 * 1024;
/// A silence this long disqualifies a window of the paper's rule (methods E2).
const GAP: Duration = Duration::from_secs(1);
/// In flows too short for a fit, a clock this close to a known tick is taken for it; the known
/// ones differ by factors of two and more.
const SHORT_TOLERANCE: f64 = 0.05;
/// Least fit for that.
const SHORT_SPAN: Duration = Duration::from_secs(1);

columns! {
    /// Bandwidth of the downlink behind the tap.
    #[derive(Default)]
    pub struct BandwidthRow {
        /// Mean bandwidth over windows of `e4.window_ms`, each with the sample nearest its centre, by the estimator that `bandwidth_source` names; null without a sample, and at the UE.
        #[unit("bps")] #[cite("E2, E4")] pub bandwidth_bps: Option<f64>,
        /// Samples of that estimator.
        #[unit("samples")] #[cite("E2")] pub bandwidth_samples: u32,
        /// Which estimator: `queue_evident`, or `c_rule` when `e2.use_c_rule` is 1; null without a sample.
        #[unit("")] #[cite("E2")] pub bandwidth_source: Option<&'static str>,
        /// Whose clock measured its receive windows: `ue`, or `tap` without usable timestamps.
        #[unit("")] #[cite("E2")] pub bandwidth_clock: Option<&'static str>,
        /// Share of the windows from first to last downlink payload that have a sample; null where there is no window.
        #[unit("ratio")] #[cite("E2, E4")] pub bandwidth_coverage_ratio: Option<f64>,
        /// The same mean by the paper's rule; null without a sample.
        #[unit("bps")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_bps: Option<f64>,
        /// Share of the windows with a sample of the paper's rule.
        #[unit("ratio")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_coverage_ratio: Option<f64>,
    }
}

columns! {
    /// One bandwidth sample (E2).
    pub struct BandwidthSampleRow {
        /// The flow.
        #[unit("")] #[cite("E2")] pub uid: u64,
        /// Direction of the data.
        #[unit("")] #[cite("E2")] pub direction: Direction,
        /// Middle of the receive window at the tap.
        #[unit("ns")] #[cite("E2")] pub time_ns: Instant,
        /// Length of the receive window.
        #[unit("s")] #[cite("E2")] pub span_s: f64,
        /// Payload delivered in the window over its length: R_rcv.
        #[unit("bps")] #[cite("E2, LTE13 formula 2")] pub bandwidth_bps: f64,
        /// The same payload over the time in which it passed the tap: R_snd; null when that is unknown or none.
        #[unit("bps")] #[cite("E2, LTE13 formula 1")] pub send_bps: Option<f64>,
        /// Estimator: `queue_evident` or `c_rule`.
        #[unit("")] #[cite("E2")] pub source: &'static str,
        /// Clock of the window: `ue` (the receiver's timestamps) or `tap`.
        #[unit("")] #[cite("E2")] pub clock: &'static str,
    }
}

impl EventTable for BandwidthSampleRow {
    const TABLE: &'static str = "bandwidth_samples";
    const DOC: &'static str = "One row per bandwidth sample of a flow: the rate at which the receiver took data while the link was busy.";
}

/// Bandwidth samples of a flow; begins when it has carried enough.
#[derive(Debug, Default)]
pub(crate) struct Bandwidth(Option<Box<Estimators>>);

#[derive(Debug)]
struct Estimators {
    uid: u64,
    direction: Direction,
    first_payload: Instant,
    last_payload: Instant,
    /// Offset of the next byte of a sender without losses before the tap.
    expected: i64,
    /// Newest packet of either side.
    newest: Instant,
    fit: TickFit,
    delivery: Delivery,
    queue_evident: QueueEvident,
    c_rule: CRule,
    waiting: Waiting,
    mean: WindowMean,
    c_rule_mean: WindowMean,
}

impl Analysis for Bandwidth {
    const NAME: &'static str = "bandwidth";
    const PAGE: &'static str = include_str!("bandwidth.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = BandwidthRow;
    type Event = BandwidthSampleRow;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        if self.0.is_none() {
            self.0 = Estimators::begin(segment).map(Box::new);
        }
        if let Some(estimators) = &mut self.0 {
            estimators.on_segment(segment, parameters);
            estimators.publish(parameters, out);
        }
    }

    fn on_end(&mut self, _: &FlowFacts, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        if let Some(estimators) = &mut self.0 {
            estimators.decide_at_end();
            estimators.publish(parameters, out);
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, parameters: &Parameters) -> BandwidthRow {
        match &self.0 {
            Some(estimators) if estimators.direction == Direction::Downlink => estimators.row(parameters),
            _ => BandwidthRow::default(),
        }
    }
}

impl Estimators {
    /// Begins with a packet of the sender, when enough has passed. Downlink data is measured from
    /// monitor and server; from the UE the same works for its uplink (methods E3), and the
    /// downlink shows no queue there.
    fn begin(segment: &Segment<'_>) -> Option<Self> {
        let at_ue = segment.flow.vantage == Some(Vantage::Ue);
        let direction = if at_ue { Direction::Uplink } else { Direction::Downlink };
        if segment.direction != direction || segment.own.payload_bytes() < LEAST_BYTES {
            return None;
        }
        let mut fit = TickFit::default();
        if direction == Direction::Downlink {
            tick::handshake(segment.flow).for_each(|(time, value)| fit.push(time, value));
        }
        Some(Self {
            uid: segment.flow.uid,
            direction,
            first_payload: segment.own.first_data().unwrap_or(segment.time),
            last_payload: segment.time,
            expected: segment.start,
            newest: segment.time,
            fit,
            delivery: Delivery::default(),
            queue_evident: QueueEvident::default(),
            c_rule: CRule::default(),
            waiting: Waiting::default(),
            mean: WindowMean::default(),
            c_rule_mean: WindowMean::default(),
        })
    }

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if segment.time - self.newest > GAP {
            self.c_rule.disqualify();
        }
        self.newest = self.newest.max(segment.time);
        if segment.direction == self.direction {
            self.on_sender(segment);
        } else {
            self.on_receiver(segment, parameters);
        }
    }

    fn on_sender(&mut self, segment: &Segment<'_>) {
        let Some(class) = segment.class else { return };
        self.last_payload = segment.time;
        self.delivery.on_sender(segment);
        let leaves_hole = segment.start > self.expected;
        self.expected = segment.own.next();
        if class != SegmentClass::New || leaves_hole {
            self.c_rule.disqualify();
        }
    }

    fn on_receiver(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if let Some(stamp) = segment.timestamps {
            self.fit.push(segment.time, stamp.value);
        }
        let Some(arrival) = self.delivery.on_receiver(segment) else { return };
        self.decide(&arrival, parameters);
        if let Some(raw) = self.queue_evident.on_arrival(&arrival, parameters) {
            self.waiting.push(raw);
        }
        let disqualifies = segment.duplicate_ack.is_some()
            || segment.class.is_some()
            || segment.flags.any(TcpFlags::SYN)
            || segment.peer.is_recovering();
        if disqualifies {
            self.c_rule.disqualify();
        } else if let Some(raw) = self.apply_c_rule(segment, &arrival, parameters) {
            self.waiting.push(raw);
        }
    }

    fn apply_c_rule(&mut self, segment: &Segment<'_>, arrival: &Arrival, parameters: &Parameters) -> Option<Raw> {
        let enough = parameters.sample_min_mss * f64::from(segment.peer.mss_bytes());
        if (segment.acked_bytes as f64) < enough {
            return None;
        }
        let tick_ns = self.waiting.tick_ns();
        let rtts = whole_rtt(segment.peer)?.as_nanos() as f64 * parameters.sample_max_rtts;
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
    fn decide_at_end(&mut self) {
        if self.waiting.is_decided() {
            return;
        }
        let near = |tick: Tick| tick.nominal_ms(SHORT_TOLERANCE);
        match self.fit.tick().filter(|tick| tick.span >= SHORT_SPAN).and_then(near) {
            Some(tick_ms) => self.waiting.decide(Clock::Ue, tick_ms * 1e6),
            None => self.waiting.decide(Clock::Tap, 1e6),
        }
    }

    fn publish(&mut self, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        while let Some((source, row)) = self.waiting.next(self.uid, self.direction) {
            let mean = match source {
                Source::QueueEvident => &mut self.mean,
                Source::CRule => &mut self.c_rule_mean,
            };
            mean.add(row.time_ns - self.first_payload, window(parameters), row.bandwidth_bps);
            out.push(row);
        }
    }

    fn row(&self, parameters: &Parameters) -> BandwidthRow {
        let width = window(parameters).as_nanos().max(1);
        let windows = ((self.last_payload - self.first_payload).as_nanos() as f64 / width as f64).ceil();
        let coverage = |mean: &WindowMean| {
            let covered = mean.mean().map_or(0, |(_, windows)| windows);
            (windows > 0.0).then(|| (f64::from(covered) / windows).min(1.0))
        };
        let by_c_rule = parameters.use_c_rule != 0.0;
        let (mean, source) = if by_c_rule {
            (&self.c_rule_mean, Source::CRule)
        } else {
            (&self.mean, Source::QueueEvident)
        };
        let bandwidth_bps = mean.mean().map(|(bps, _)| bps);
        BandwidthRow {
            bandwidth_bps,
            bandwidth_samples: mean.samples(),
            bandwidth_source: bandwidth_bps.map(|_| source.as_str()),
            bandwidth_clock: bandwidth_bps.and_then(|_| self.waiting.clock_in_force()).map(Clock::as_str),
            bandwidth_coverage_ratio: coverage(mean),
            bandwidth_c_rule_bps: self.c_rule_mean.mean().map(|(bps, _)| bps),
            bandwidth_c_rule_coverage_ratio: coverage(&self.c_rule_mean),
        }
    }
}

fn window(parameters: &Parameters) -> Duration {
    Duration::from_secs_f64(parameters.utilisation_window_ms / 1e3)
}
