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
mod row;
mod sample;
mod spans;
mod used;
mod utilisation;

use airmile_track::{Analysis, Events, FlowFacts, Scope, Segment};
use airmile_types::{Direction, Duration, Instant, Parameters, PerDirection, Protocol, Vantage};

use estimators::Estimators;
pub(crate) use link::SharedLink;
use raw::{Clock, Source};
use row::BandwidthRow;
pub use row::BandwidthSampleRow;
use sample::WindowMean;
use utilisation::Beside;

/// A flow with less payload cannot fill a window of a quarter of a second at 1 Mbps.
const LEAST_BYTES: u64 = 32 * 1024;
/// The events of a packet with payload of any class.
const DATA: Events = Events::NEW.or(Events::OLD);

/// The bandwidth samples of a flow; taken from the time when it has carried enough.
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

    /// Does nothing: the engine calls [`Bandwidth::take`] with the subscriber's link instead.
    fn on_segment(&mut self, _: &Segment<'_>, _: &Parameters, _: &mut Vec<BandwidthSampleRow>) {}

    /// Does nothing: the engine calls [`Bandwidth::finish`] with the subscriber's link instead.
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
    /// Takes one segment, its lateness by its sender's timestamps, and the link, which knows what
    /// the subscriber's other flows have carried.
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

    /// Writes the samples that wait, because the flow has ended.
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
        let sees_queue = estimators.is_none_or(Estimators::sees_queue);
        BandwidthRow {
            ul_bandwidth_bps: found.bps,
            ul_bandwidth_samples: sees_queue.then_some(found.samples),
            ul_bandwidth_source: found.source,
            ul_bandwidth_coverage_ratio: found.coverage.filter(|_| sees_queue),
            ..BandwidthRow::default()
        }
    }
}

/// The result of the estimator in force in one direction.
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
    let width = sample::window(parameters).as_nanos().max(1);
    let windows = ((carried.last - carried.first).as_nanos() as f64 / width as f64).ceil();
    let covered = mean.mean().map_or(0, |(_, windows)| windows);
    (windows > 0.0).then(|| (f64::from(covered) / windows).min(1.0))
}
