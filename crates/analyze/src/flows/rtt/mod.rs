#![doc = include_str!("rtt.md")]

mod quantiles;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use airmile_track::{Analysis, Events, FlowFacts, RttSample, RttSum, Scope, Segment, Shared};
use airmile_types::{Direction, Duration, EventTable, Instant, Parameters, PerDirection, Protocol, Vantage, columns};

use crate::flows::in_flight::in_flight_bytes;
pub(crate) use quantiles::Quantiles;

columns! {
    /// Round-trip times of one direction's data, from the capture point to the receiver and back.
    #[derive(Default)]
    pub struct RttRow {
        /// Least RTT of the data. Null without samples, and when the capture point is at the
        /// receiver (downlink data at the phone, uplink data at the server), because the time would
        /// be the delay inside the host.
        #[unit("ms")] #[cite("B4")] pub rtt_min_ms: Option<f64>,
        /// Mean of all RTT samples.
        #[unit("ms")] #[cite("B4")] pub rtt_mean_ms: Option<f64>,
        /// Median of all RTT samples, within 0.5 % (exact up to 64 samples).
        #[unit("ms")] #[cite("B4")] pub rtt_p50_ms: Option<f64>,
        /// 95th percentile of all RTT samples, within 0.5 % (exact up to 64 samples).
        #[unit("ms")] #[cite("B4")] pub rtt_p95_ms: Option<f64>,

        /// Largest RTT.
        #[unit("ms")] #[cite("B4")] pub rtt_max_ms: Option<f64>,
        /// Number of RTT samples; null for protocols other than TCP, and when the capture point is
        /// at the receiver.
        #[unit("samples")] #[cite("B4")] pub rtt_samples: Option<i64>,
    }
}

columns! {
    /// One RTT sample.
    pub struct RttSampleRow {
        /// The flow that the sample belongs to.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The direction of the data.
        #[unit("")] #[cite("B4")] pub direction: Direction,
        /// Time at which the ACK passed the capture point.
        #[unit("ns")] #[cite("B4")] pub time_ns: Instant,
        /// Time from the passing of the acknowledged byte to the passing of its ACK.
        #[unit("ms")] #[cite("B4")] pub rtt_ms: f64,
        /// Bytes in flight just after the acknowledged packet passed (C1); null when that packet
        /// gave no sample of the bytes in flight.
        #[unit("bytes")] #[cite("C1")] pub in_flight_bytes: Option<i64>,
        /// What the round trip covers: downstream, upstream, whole; tap when the vantage is not
        /// known.
        #[unit("")] #[cite("B4")] pub source: &'static str,
        /// Whether the ACK covers a single segment, so that it may have been delayed.
        #[unit("")] #[cite("B4, RFC 9293 section 3.8.6.3")] pub single_segment: bool,
    }
}

impl EventTable for RttSampleRow {
    const TABLE: &'static str = "rtt_samples";
    const DOC: &'static str = "One row per RTT sample (methods B4); filled with --samples only.";
}

/// The samples of both directions; empty until there are any.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rtt {
    sides: Option<Box<PerDirection<Samples>>>,
    pairs: Option<Box<PerDirection<InFlightPairs>>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Samples {
    sum: RttSum,
    most: Option<Duration>,
    quantiles: Quantiles,
}

airmile_types::held!(Rtt { sides, pairs } Samples { quantiles });

/// The offset after each unacknowledged packet, with the bytes in flight when the packet passed.
type InFlightPairs = VecDeque<(i64, i64)>;

/// Events that add a pair, or use one.
const PAIRED: Events = Events::NEW.or(Events::ACK);

impl Analysis for Rtt {
    const NAME: &'static str = "rtt";
    const PAGE: &'static str = include_str!("rtt.md");
    const SCOPE: Scope = Scope::Direction;
    const WANTS: Events = Events::RTT.or(PAIRED);
    type Row = RttRow;
    type Event = RttSampleRow;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<RttSampleRow>) {
        if let Some(sample) = segment.rtt {
            let sides = self.sides.get_or_insert_default();
            sides.of_mut(segment.direction.reverse()).add(sample.rtt);
        }
        if parameters.samples && segment.events.any(PAIRED) {
            self.pair(segment, out);
        }
    }

    fn share(&mut self, _: &FlowFacts, _: &Parameters, shared: &mut Shared) {
        let sum = |direction| self.sides.as_ref().map_or_else(RttSum::default, |sides| sides.of(direction).sum);
        shared.rtt = PerDirection { downlink: sum(Direction::Downlink), uplink: sum(Direction::Uplink) };
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, _: &Parameters) -> RttRow {
        if flow.protocol != Protocol::Tcp || covers(flow.vantage, direction).is_none() {
            return RttRow::default();
        }
        match &self.sides {
            Some(sides) => sides.of(direction).row(),
            None => RttRow { rtt_samples: Some(0), ..RttRow::default() },
        }
    }
}

impl Rtt {
    /// Joins each sample with the bytes in flight when its packet passed.
    fn pair(&mut self, segment: &Segment<'_>, out: &mut Vec<RttSampleRow>) {
        let pairs = self.pairs.get_or_insert_default();
        if let Some(bytes) = in_flight_bytes(segment) {
            pairs.of_mut(segment.direction).push_back((segment.end, bytes));
        }
        let data = segment.direction.reverse();
        let Some(ack) = segment.ack else { return };
        let pending = pairs.of_mut(data);
        let mut newest = None;
        while let Some(pair) = pending.front().filter(|(end, _)| *end <= ack).copied() {
            newest = Some(pair);
            pending.pop_front();
        }
        // A packet that the ACK covers only in part also contains the acknowledged byte.
        let partly = pending.front().filter(|_| newest.is_none_or(|(end, _)| end < ack)).copied();
        let bytes = partly.or(newest).map(|(_, bytes)| bytes);
        if let (Some(sample), Some(source)) = (segment.rtt, covers(segment.flow.vantage, data)) {
            out.push(row(segment, data, sample, bytes, source));
        }
    }
}

impl Samples {
    fn add(&mut self, rtt: Duration) {
        self.sum.add(rtt);
        if self.most.is_none_or(|most| most < rtt) {
            self.most = Some(rtt);
        }
        self.quantiles.add(rtt);
    }

    fn row(&self) -> RttRow {
        RttRow {
            rtt_min_ms: self.sum.least.map(Duration::as_millis_f64),
            rtt_mean_ms: self.sum.mean_ms(),
            rtt_p50_ms: self.quantile_ms(0.5),
            rtt_p95_ms: self.quantile_ms(0.95),
            rtt_max_ms: self.most.map(Duration::as_millis_f64),
            rtt_samples: Some(self.sum.count),
        }
    }

    /// A quantile in milliseconds, between the least and the largest sample.
    fn quantile_ms(&self, share: f64) -> Option<f64> {
        let (least, most) = (self.sum.least?.as_millis_f64(), self.most?.as_millis_f64());
        Some((self.quantiles.at(share)? / 1e6).clamp(least, most))
    }
}

/// What the round trip of one direction's data covers (methods B4). `None` when the capture point
/// is at the receiver: the time would be the delay inside the host (B7), which is not an RTT.
pub(crate) const fn covers(vantage: Option<Vantage>, data: Direction) -> Option<&'static str> {
    match (vantage, data) {
        (Some(Vantage::Monitor), Direction::Downlink) => Some("downstream"),
        (Some(Vantage::Monitor), Direction::Uplink) => Some("upstream"),
        (Some(Vantage::Server), Direction::Downlink) | (Some(Vantage::Ue), Direction::Uplink) => Some("whole"),
        (Some(Vantage::Ue), Direction::Downlink) | (Some(Vantage::Server), Direction::Uplink) => None,
        (None, _) => Some("tap"),
    }
}

fn row(
    segment: &Segment<'_>,
    direction: Direction,
    sample: RttSample,
    in_flight_bytes: Option<i64>,
    source: &'static str,
) -> RttSampleRow {
    RttSampleRow {
        uid: segment.flow.uid,
        direction,
        time_ns: segment.time,
        rtt_ms: sample.rtt.as_millis_f64(),
        in_flight_bytes,
        source,
        single_segment: sample.single_segment,
    }
}
