#![doc = include_str!("bandwidth.md")]

mod arrival;
mod c_rule;
mod delivery;
mod estimators;
mod link;
mod order;
mod passing;
mod queue_evident;
mod raw;
mod sample;
mod spans;
mod used;
mod utilisation;

use airmile_track::{Analysis, Events, FlowFacts, Scope, Segment};
use airmile_types::{Direction, Duration, EventTable, Instant, Parameters, PerDirection, Protocol, Vantage, columns};

use estimators::Estimators;
pub(crate) use link::SharedLink;
use raw::{Clock, Source};
use sample::WindowMean;
use utilisation::Beside;

/// A flow with less payload cannot fill a window of a quarter of a second at 1 Mbps.
const LEAST_BYTES: u64 = 32 * 1024;
/// Payload of any class.
const DATA: Events = Events::NEW.or(Events::OLD);

columns! {
    /// Bandwidth of the radio link, and how much of it the flow used.
    #[derive(Default)]
    pub struct BandwidthRow {
        /// Mean bandwidth of the downlink over windows of `bandwidth.utilisation_window_ms`, each with the sample nearest its centre, by the estimator that `bandwidth_source` names; null without a sample, and at the UE.
        #[unit("bps")] #[cite("E2, E4")] pub bandwidth_bps: Option<f64>,
        /// Samples of that estimator; null at the UE and for protocols other than TCP.
        #[unit("samples")] #[cite("E2")] pub bandwidth_samples: Option<u32>,
        /// Which estimator: `queue_evident`, or `c_rule` when `bandwidth.use_c_rule` is 1; null without a sample.
        #[unit("")] #[cite("E2")] pub bandwidth_source: Option<&'static str>,
        /// Whose clock measured its receive windows: `ue`, or `tap` without usable timestamps.
        #[unit("")] #[cite("E2")] pub bandwidth_clock: Option<&'static str>,
        /// Share of the windows from first to last downlink payload that have a sample; null where there is no window.
        #[unit("ratio")] #[cite("E2, E4")] pub bandwidth_coverage_ratio: Option<f64>,
        /// The same mean by the paper's rule; null without a sample.
        #[unit("bps")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_bps: Option<f64>,
        /// Share of the windows with a sample of the paper's rule.
        #[unit("ratio")] #[cite("E2, LTE13 section 6.1")] pub bandwidth_c_rule_coverage_ratio: Option<f64>,
        /// The fastest that a window of `bandwidth.min_ticks` was sent: with a larger C the paper's rule has no sample of this flow.
        #[unit("bps")] #[cite("E2, LTE13 section 6.1")] pub send_max_bps: Option<f64>,
        /// Share of the downlink's capacity that the flow used, over the time of its transfer without pauses above 1 s: what was delivered, of that and what the idle link could have carried beside it; null with `utilisation_reason`.
        #[unit("ratio")] #[cite("E4")] pub utilisation_ratio: Option<f64>,
        /// The same where every wait that a repetition (HARQ) could explain is none; null with `utilisation_ratio`.
        #[unit("ratio")] #[cite("E4")] pub utilisation_low_ratio: Option<f64>,
        /// The same where every wait is a queue.
        #[unit("ratio")] #[cite("E4")] pub utilisation_high_ratio: Option<f64>,
        /// The paper's: all payload over first to last packet, of `bandwidth_bps`, which only the time with a queue tells; null without a sample, and where the flow is not large or not alone.
        #[unit("ratio")] #[cite("E4, LTE13 section 6.3")] pub utilisation_paper_ratio: Option<f64>,
        /// Why `utilisation_ratio` is null: `not_tcp`, `vantage` (at the UE), `not_large` (T5), `shared` (another flow of the UE had downlink payload between the first and the last of this one), `unseen` (in less than `bandwidth.utilisation_seen_ratio` of the time anything waited), `uncertain` (with and without waits that may be repetitions it differs by more than `bandwidth.utilisation_range_ratio`).
        #[unit("")] #[cite("E4")] pub utilisation_reason: Option<&'static str>,
        /// Mean bandwidth of the uplink, as `bandwidth_bps`; null without a sample.
        #[unit("bps")] #[cite("E3")] pub ul_bandwidth_bps: Option<f64>,
        /// Samples of that estimator; null for protocols other than TCP, and away from the UE without timestamps, which alone tell of a queue before the tap.
        #[unit("samples")] #[cite("E3")] pub ul_bandwidth_samples: Option<u32>,
        /// Which estimator, as `bandwidth_source`.
        #[unit("")] #[cite("E3")] pub ul_bandwidth_source: Option<&'static str>,
        /// Share of the windows from first to last uplink payload that have a sample.
        #[unit("ratio")] #[cite("E3, E4")] pub ul_bandwidth_coverage_ratio: Option<f64>,
    }
}

columns! {
    /// One bandwidth sample (E2).
    pub struct BandwidthSampleRow {
        /// The flow.
        #[unit("")] #[cite("E2")] pub uid: u64,
        /// Direction of the data.
        #[unit("")] #[cite("E2")] pub direction: Direction,
        /// Middle of its service by the link: of the window between its two ACKs at the tap, less what these were late themselves, and less the least RTT behind the tap.
        #[unit("ns")] #[cite("E2")] pub time_ns: Instant,
        /// How far the service may lie from it: the least RTT, in which the link lies somewhere, and what the ACKs were late; without timestamps the queue as well, which may have been theirs.
        #[unit("ms")] #[cite("E2")] pub time_uncertainty_ms: f64,
        /// Length of the receive window.
        #[unit("s")] #[cite("E2")] pub span_s: f64,
        /// Payload delivered in the window over the time of it in which the link was busy: R_rcv, where it always was.
        #[unit("bps")] #[cite("E2, LTE13 formula 2")] pub bandwidth_bps: f64,
        /// The same payload over the time in which it passed the tap: R_snd; null when that is unknown or none.
        #[unit("bps")] #[cite("E2, LTE13 formula 1")] pub send_bps: Option<f64>,
        /// Estimator: `queue_evident` or `c_rule`.
        #[unit("")] #[cite("E2")] pub source: &'static str,
        /// Clock of the window: `ue` (the receiver's timestamps) or `tap`.
        #[unit("")] #[cite("E2")] pub clock: &'static str,
        /// Flows of the UE whose payload it counts; the one of `uid` is the clock.
        #[unit("flows")] #[cite("E3")] pub flows: u32,
    }
}

impl EventTable for BandwidthSampleRow {
    const TABLE: &'static str = "bandwidth_samples";
    const DOC: &'static str = "One row per bandwidth sample of a flow: the rate at which the receiver took data while the link was busy.";
}

/// Bandwidth samples of a flow; begins when it has carried enough.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bandwidth {
    estimators: PerDirection<Option<Box<Estimators>>>,
    beside: Beside,
}

airmile_types::held!(Bandwidth { estimators });

impl Analysis for Bandwidth {
    const NAME: &'static str = "bandwidth";
    const PAGE: &'static str = include_str!("bandwidth.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = BandwidthRow;
    type Event = BandwidthSampleRow;

    /// Nothing: the engine calls [`Bandwidth::take`] with the subscriber's link instead.
    fn on_segment(&mut self, _: &Segment<'_>, _: &Parameters, _: &mut Vec<BandwidthSampleRow>) {}

    /// Nothing: the engine calls [`Bandwidth::finish`] with the subscriber's link instead.
    fn on_end(&mut self, _: &FlowFacts, _: &Parameters, _: &mut Vec<BandwidthSampleRow>) {}

    fn row(&self, flow: &FlowFacts, _: Direction, parameters: &Parameters) -> BandwidthRow {
        if flow.protocol != Protocol::Tcp {
            return BandwidthRow { utilisation_reason: Some("not_tcp"), ..BandwidthRow::default() };
        }
        let uplink = self.uplink(parameters);
        if flow.vantage == Some(Vantage::Ue) {
            return BandwidthRow { utilisation_reason: Some("vantage"), ..uplink };
        }
        let estimators = self.estimators.downlink.as_deref();
        let found = Found::new(estimators, parameters);
        let (carried, used) = (estimators.map(Estimators::carried), estimators.map(Estimators::used));
        let utilisation = self.beside.utilisation(flow, (carried, used), found.bps, parameters);
        BandwidthRow {
            bandwidth_bps: found.bps,
            bandwidth_samples: Some(found.samples),
            bandwidth_source: found.source,
            bandwidth_clock: estimators.filter(|_| found.bps.is_some()).and_then(Estimators::clock).map(Clock::as_str),
            bandwidth_coverage_ratio: found.coverage,
            bandwidth_c_rule_bps: estimators.and_then(|e| e.c_rule_mean.mean()).map(|(bps, _)| bps),
            bandwidth_c_rule_coverage_ratio: estimators.and_then(|e| coverage(e, &e.c_rule_mean, parameters)),
            send_max_bps: estimators.and_then(Estimators::send_max_bps),
            utilisation_ratio: utilisation.ratio,
            utilisation_low_ratio: utilisation.low,
            utilisation_high_ratio: utilisation.high,
            utilisation_paper_ratio: utilisation.paper,
            utilisation_reason: utilisation.reason,
            ..uplink
        }
    }
}

impl Bandwidth {
    /// Takes one segment, how late it was by its sender's timestamps, and what the subscriber's
    /// other flows have carried over the link.
    #[inline]
    pub(crate) fn take(
        &mut self,
        segment: &Segment<'_>,
        late: Option<Duration>,
        link: &mut SharedLink,
        parameters: &Parameters,
        out: &mut Vec<BandwidthSampleRow>,
    ) {
        if segment.events.any(DATA) && segment.direction == Direction::Downlink {
            self.beside.on_payload(segment);
        }
        let mut due = false;
        let sent = self.estimators.of_mut(segment.direction);
        if sent.is_none() && segment.own.payload_bytes() >= LEAST_BYTES {
            *sent = Estimators::begin(segment, parameters).map(Box::new);
        }
        if let Some(estimators) = sent {
            estimators.on_sender(segment, late, link, parameters);
            due |= estimators.is_due(segment.time);
        }
        if let Some(estimators) = self.estimators.of_mut(segment.direction.reverse()) {
            estimators.on_receiver(segment, late, link, parameters);
            due |= estimators.is_due(segment.time);
        }
        if due {
            self.publish(segment.time, link, parameters, out);
        }
        if segment.events.any(Events::OLD) {
            link.of_mut(segment.direction).pass(segment);
        }
    }

    #[cold]
    fn publish(&mut self, now: Instant, link: &SharedLink, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        for direction in [Direction::Downlink, Direction::Uplink] {
            if let Some(estimators) = self.estimators.of_mut(direction) {
                estimators.publish(now, link, parameters, out);
            }
        }
    }

    /// The flow has ended: what waits leaves.
    pub(crate) fn finish(&mut self, link: &SharedLink, parameters: &Parameters, out: &mut Vec<BandwidthSampleRow>) {
        for direction in [Direction::Downlink, Direction::Uplink] {
            if let Some(estimators) = self.estimators.of_mut(direction) {
                estimators.decide_at_end();
                estimators.publish_all(link, parameters, out);
            }
        }
    }

    fn uplink(&self, parameters: &Parameters) -> BandwidthRow {
        let estimators = self.estimators.uplink.as_deref();
        let found = Found::new(estimators, parameters);
        let tells = estimators.is_none_or(Estimators::sees_queue);
        BandwidthRow {
            ul_bandwidth_bps: found.bps,
            ul_bandwidth_samples: tells.then_some(found.samples),
            ul_bandwidth_source: found.source,
            ul_bandwidth_coverage_ratio: found.coverage.filter(|_| tells),
            ..BandwidthRow::default()
        }
    }
}

/// What the estimator in force found in one direction.
#[derive(Default)]
struct Found {
    bps: Option<f64>,
    samples: u32,
    source: Option<&'static str>,
    coverage: Option<f64>,
}

impl Found {
    fn new(estimators: Option<&Estimators>, parameters: &Parameters) -> Self {
        let Some(estimators) = estimators else { return Self::default() };
        let (mean, source) = if parameters.use_c_rule != 0.0 {
            (&estimators.c_rule_mean, Source::CRule)
        } else {
            (&estimators.mean, Source::QueueEvident)
        };
        let bps = mean.mean().map(|(bps, _)| bps);
        Self {
            bps,
            samples: mean.samples(),
            source: bps.map(|_| source.as_str()),
            coverage: coverage(estimators, mean, parameters),
        }
    }
}

/// Share of the windows from first to last payload that have a sample.
fn coverage(estimators: &Estimators, mean: &WindowMean, parameters: &Parameters) -> Option<f64> {
    let carried = estimators.carried();
    let width = window(parameters).as_nanos().max(1);
    let windows = ((carried.last - carried.first).as_nanos() as f64 / width as f64).ceil();
    let covered = mean.mean().map_or(0, |(_, windows)| windows);
    (windows > 0.0).then(|| (f64::from(covered) / windows).min(1.0))
}

fn window(parameters: &Parameters) -> Duration {
    Duration::from_secs_f64(parameters.utilisation_window_ms / 1e3)
}
