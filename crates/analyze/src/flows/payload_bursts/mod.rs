#![doc = include_str!("payload_bursts.md")]

use airmile_track::{Analysis, FlowFacts, NoEvents, Scope, Segment};
use airmile_types::{Direction, Duration, Instant, Parameters, PerDirection, Protocol, columns};

columns! {
    /// How long one direction of a flow was busy with payload.
    #[derive(Default)]
    pub struct PayloadBurstsRow {
        /// Sum of the bursts of payload; null for protocols other than TCP.
        #[unit("s")] #[cite("A9, UP16 section 3")] pub burst_s: Option<f64>,
        /// Payload over that time; null when it is below `payload_bursts.least_s`.
        #[unit("bps")] #[cite("A9, UP16 section 3")] pub burst_bps: Option<f64>,
    }
}

/// The burst in progress, and what the bursts so far add up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PayloadBursts {
    /// Direction of the burst in progress, and its last packet with payload.
    open: Option<(Direction, Instant)>,
    last_packet: Option<Instant>,
    lasted: PerDirection<Duration>,
    payload_bytes: PerDirection<u64>,
}

airmile_types::held!(PayloadBursts {});

impl Analysis for PayloadBursts {
    const NAME: &'static str = "payload_bursts";
    const PAGE: &'static str = include_str!("payload_bursts.md");
    const SCOPE: Scope = Scope::Direction;
    type Row = PayloadBurstsRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        let gap = Duration::from_secs_f64(parameters.burst_gap_s);
        if self.last_packet.is_some_and(|last| segment.time > last + gap) {
            self.open = None;
        }
        self.last_packet = self.last_packet.max(Some(segment.time));
        if segment.payload_bytes > 0 {
            self.extend(segment.direction, segment.time);
            *self.payload_bytes.of_mut(segment.direction) += u64::from(segment.payload_bytes);
        }
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, parameters: &Parameters) -> PayloadBurstsRow {
        if flow.protocol != Protocol::Tcp {
            return PayloadBurstsRow::default();
        }
        let burst_s = self.lasted.of(direction).as_secs_f64();
        let bits = *self.payload_bytes.of(direction) as f64 * 8.0;
        let long = burst_s > 0.0 && burst_s >= parameters.burst_least_s;
        PayloadBurstsRow { burst_s: Some(burst_s), burst_bps: long.then(|| bits / burst_s) }
    }
}

impl PayloadBursts {
    /// A burst grows by the time since its last packet; another direction begins another burst.
    fn extend(&mut self, direction: Direction, time: Instant) {
        match &mut self.open {
            Some((open, last)) if *open == direction => {
                if *last < time {
                    *self.lasted.of_mut(direction) += time - *last;
                    *last = time;
                }
            }
            _ => self.open = Some((direction, time)),
        }
    }
}
