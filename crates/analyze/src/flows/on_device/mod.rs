#![doc = include_str!("on_device.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoEvents, RttSample, Scope, Segment};
use airmile_types::{Direction, Duration, Parameters, Vantage, columns};

use crate::flows::rtt::Quantiles;

columns! {
    /// How long the phone takes to acknowledge the data that it has received.
    #[derive(Default)]
    pub struct OnDeviceRow {
        /// Median time from a downlink data packet to its ACK, both captured at the phone; the
        /// error is at most 0.5 %. Null without samples, and at other capture points.
        #[unit("ms")] #[cite("B7, LTE13 section 6.1, UP16 section 3")] pub on_device_delay_ms: Option<f64>,
        /// Mean time from a downlink data packet to its ACK, both captured at the phone. Null
        /// without samples, and at other capture points.
        #[unit("ms")] #[cite("B7, A9")] pub on_device_delay_mean_ms: Option<f64>,
        /// Number of samples of the time from a downlink data packet to its ACK; null at other
        /// capture points.
        #[unit("samples")] #[cite("B7")] pub on_device_delay_samples: Option<u32>,
    }
}

/// The samples of the delay on the device; `None` before the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OnDevice(Option<Box<Samples>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Samples {
    count: u32,
    total_ns: i64,
    quantiles: Quantiles,
}

airmile_types::held!(OnDevice { 0 } Samples { quantiles });

impl Analysis for OnDevice {
    const NAME: &'static str = "on_device";
    const PAGE: &'static str = include_str!("on_device.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::RTT;
    type Row = OnDeviceRow;
    type Event = NoEvents;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        if let Some(sample) = sample(segment, parameters) {
            self.0.get_or_insert_default().add(sample.rtt);
        }
    }

    fn row(&self, flow: &FlowFacts, _: Direction, _: &Parameters) -> OnDeviceRow {
        if flow.vantage != Some(Vantage::Ue) || flow.protocol != airmile_types::Protocol::Tcp {
            return OnDeviceRow::default();
        }
        let samples = self.0.as_deref();
        OnDeviceRow {
            on_device_delay_ms: samples.and_then(|s| s.quantiles.at(0.5)).map(|ns| ns / 1e6),
            on_device_delay_mean_ms: samples.map(|s| s.total_ns as f64 / f64::from(s.count) / 1e6),
            on_device_delay_samples: Some(samples.map_or(0, |s| s.count)),
        }
    }
}

/// The delay within the phone that a packet shows (methods B7).
#[inline]
pub(crate) fn sample(segment: &Segment<'_>, parameters: &Parameters) -> Option<RttSample> {
    let sample = segment.rtt?;
    if segment.direction != Direction::Uplink || segment.flow.vantage != Some(Vantage::Ue) {
        return None;
    }
    // A record of several segments, joined by segmentation offload, does not count as a single
    // segment.
    let single = parameters.sample_min_mss * f64::from(segment.peer.mss_bytes());
    (!sample.single_segment || (segment.acked_bytes as f64) >= single).then_some(sample)
}

impl Samples {
    fn add(&mut self, delay: Duration) {
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(delay.as_nanos());
        self.quantiles.add(delay);
    }
}
