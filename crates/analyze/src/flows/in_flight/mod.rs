#![doc = include_str!("in_flight.md")]

use airmile_track::{Analysis, Events, FlowFacts, Scope, Segment};
use airmile_types::{Direction, EventTable, Instant, Parameters, PerDirection, columns};

columns! {
    /// The most bytes that one direction had in flight.
    pub struct InFlightRow {
        /// Most bytes between capture point and receiver. Null without new data, when no ACK of the
        /// receiver was captured, or when the capture lost `quality.lost_max_ratio` of the bytes.
        #[unit("bytes")] #[cite("C1, LTE13 section 4.3")] pub in_flight_max_bytes: Option<i64>,
    }
}

columns! {
    /// One sample of the bytes in flight.
    pub struct InFlightSample {
        /// The flow that the sample belongs to.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The direction of the data.
        #[unit("")] #[cite("C1")] pub direction: Direction,
        /// Time at which the data packet passed the capture point.
        #[unit("ns")] #[cite("C1")] pub time_ns: Instant,
        /// Bytes between capture point and receiver, this packet included.
        #[unit("bytes")] #[cite("C1")] pub in_flight_bytes: i64,
        /// Newest window that the receiver announced; null when its scale is unknown.
        #[unit("bytes")] #[cite("C6")] pub window_bytes: Option<u32>,
    }
}

impl EventTable for InFlightSample {
    const TABLE: &'static str = "in_flight_samples";
    const DOC: &'static str = "One row per packet with new data (methods C1); filled with --samples only.";
}

/// The greatest flight so far, for each direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InFlight(PerDirection<Side>);

airmile_types::held!(InFlight {});

/// The state of one direction of data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Side {
    most: i64,
    acked: bool,

    /// Whether the capture lost too many bytes.
    loses: bool,
    /// The share of the bytes that the capture lost.
    lost: f64,
}

impl Analysis for InFlight {
    const NAME: &'static str = "in_flight";
    const PAGE: &'static str = include_str!("in_flight.md");
    const SCOPE: Scope = Scope::Direction;
    type Row = InFlightRow;
    type Event = InFlightSample;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<InFlightSample>) {
        let heard = self.0.of_mut(segment.direction.reverse());
        if segment.events.any(Events::ACK) {
            heard.acked = true;
        }
        if heard.loses || segment.peer.acked_unseen_bytes() > 0 {
            heard.loses = true;
            heard.lost = segment.peer.lost_ratio();
        }
        if !segment.events.any(Events::NEW) {
            return;
        }
        let Some(bytes) = in_flight_bytes(segment) else { return };
        let own = self.0.of_mut(segment.direction);
        if own.most < bytes {
            own.most = bytes;
        }
        if parameters.samples {
            out.push(InFlightSample {
                uid: segment.flow.uid,
                direction: segment.direction,
                time_ns: segment.time,
                in_flight_bytes: bytes,
                window_bytes: segment.own.window_bytes(),
            });
        }
    }

    fn row(&self, _: &FlowFacts, direction: Direction, parameters: &Parameters) -> InFlightRow {
        let side = self.0.of(direction);
        let known = side.acked && side.lost < parameters.lost_max_ratio;
        InFlightRow { in_flight_max_bytes: Some(side.most).filter(|most| *most > 0 && known) }
    }
}

/// The highest byte sent minus the highest cumulative ACK, for new data only; otherwise `None`. A
/// SYN takes a sequence number but is no byte. When the start was not captured, an ACK may be below
/// the first byte seen.
pub(crate) fn in_flight_bytes(segment: &Segment<'_>) -> Option<i64> {
    let unacked = segment.own.unacked();
    let syn_counts = unacked == 0 && segment.own.is_synchronized();
    segment.events.any(Events::NEW).then(|| segment.end - unacked - i64::from(syn_counts))
}
