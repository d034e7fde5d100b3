#![doc = include_str!("fair.md")]

use airmile_track::{Analysis, FlowFacts, NoEvents, Scope, Segment};
use airmile_types::{Direction, Duration, Instant, Parameters, PerDirection, Protocol, columns};

use crate::flows::handshake::is_proxied;

columns! {
    /// Whether the rates of a flow may be compared with those of bulk tests.
    #[derive(Default)]
    pub struct FairRow {
        /// Longest time between two successive packets of the flow, of either direction; null for
        /// protocols other than TCP.
        #[unit("s")] #[cite("D1, LTE13 section 4.4")] pub longest_gap_s: Option<f64>,
        /// Whether the download is comparable: it is large enough (`fair.downlink_bytes`), without
        /// a pause (`fair.gap_s`), and from a port at which no proxy answers
        /// (`handshake.pep_ports`).
        #[unit("")] #[cite("D1, LTE13 section 4.4")] pub dl_fair: Option<bool>,
        /// Whether the upload is comparable: it is large enough (`fair.uplink_bytes`), without a
        /// pause (`fair.gap_s`), and to a port at which no proxy answers (`handshake.pep_ports`).
        #[unit("")] #[cite("D1, LTE13 section 4.4")] pub ul_fair: Option<bool>,
        /// Whether the flow is large: it has more than `flows.large_bytes` of downlink payload, and
        /// more than `flows.large_s` pass from the first packet with downlink payload to the last.
        #[unit("")] #[cite("T5, LTE13 section 5")] pub large: Option<bool>,
    }
}

/// The volumes of a flow and its longest pause.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fair {
    last: Option<Instant>,
    longest_gap: Duration,
    payload_bytes: PerDirection<u64>,
    downlink_payload: Option<(Instant, Instant)>,
}

airmile_types::held!(Fair {});

impl Analysis for Fair {
    const NAME: &'static str = "fair";
    const PAGE: &'static str = include_str!("fair.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = FairRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        match self.last {
            Some(last) if segment.time <= last => {}
            Some(last) => {
                self.longest_gap = self.longest_gap.max(segment.time - last);
                self.last = Some(segment.time);
            }
            None => self.last = Some(segment.time),
        }
        if segment.payload_bytes > 0 {
            self.payload(segment);
        }
    }

    fn row(&self, flow: &FlowFacts, _: Direction, parameters: &Parameters) -> FairRow {
        if flow.protocol != Protocol::Tcp {
            return FairRow::default();
        }
        let gap_s = self.longest_gap.as_secs_f64();
        let even = gap_s < parameters.fair_gap_s && !is_proxied(flow, parameters);
        let fair = |direction, least_bytes| {
            even && *self.payload_bytes.of(direction) as f64 >= least_bytes
        };
        FairRow {
            longest_gap_s: Some(gap_s),
            dl_fair: Some(fair(Direction::Downlink, parameters.fair_downlink_bytes)),
            ul_fair: Some(fair(Direction::Uplink, parameters.fair_uplink_bytes)),
            large: Some(self.is_large(parameters)),
        }
    }
}

impl Fair {
    fn payload(&mut self, segment: &Segment<'_>) {
        *self.payload_bytes.of_mut(segment.direction) += u64::from(segment.payload_bytes);
        if segment.direction == Direction::Downlink {
            let (first, last) = self.downlink_payload.get_or_insert((segment.time, segment.time));
            if *last < segment.time {
                *last = segment.time;
            } else {
                *first = (*first).min(segment.time);
            }
        }
    }

    fn is_large(&self, parameters: &Parameters) -> bool {
        self.downlink_payload.is_some_and(|(first, last)| {
            self.payload_bytes.downlink as f64 > parameters.large_bytes
                && (last - first).as_secs_f64() > parameters.large_s
        })
    }
}
