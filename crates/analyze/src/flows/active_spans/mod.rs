#![doc = include_str!("active_spans.md")]

use airmile_track::{Analysis, Events, FlowFacts, NoColumns, Scope, Segment};
use airmile_types::{Direction, EventTable, Instant, Parameters, PerDirection, columns};

columns! {
    /// A span in which a flow kept sending payload in one direction.
    pub struct ActiveSpan {
        /// The flow that the span belongs to.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// The direction of the payload.
        #[unit("")] #[cite("A8")] pub direction: Direction,
        /// Time of the first packet with payload.
        #[unit("ns")] #[cite("A8")] pub start_ns: Instant,
        /// Time of the last packet with payload. The flow counts as active for `active_spans.gap_s`
        /// longer.
        #[unit("ns")] #[cite("A8")] pub end_ns: Instant,
        /// Payload of the packets in the span, retransmissions included.
        #[unit("bytes")] #[cite("A5")] pub bytes: i64,
    }
}

impl EventTable for ActiveSpan {
    const TABLE: &'static str = "active_spans";
    const DOC: &'static str = "One row per TCP flow, direction and span in which no two successive packets with payload are more than `active_spans.gap_s` apart (methods A8).";
}

/// The open span of each direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ActiveSpans(PerDirection<Option<Span>>);

airmile_types::held!(ActiveSpans {});

#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    start: Instant,
    end: Instant,
    bytes: i64,
}

impl Analysis for ActiveSpans {
    const NAME: &'static str = "active_spans";
    const PAGE: &'static str = include_str!("active_spans.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::PAYLOAD;
    type Row = NoColumns;
    type Event = ActiveSpan;

    #[inline(always)]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<ActiveSpan>) {
        if segment.payload_bytes == 0 {
            return;
        }
        let open = self.0.of_mut(segment.direction);
        match open {
            Some(span) if !(segment.time - span.end).exceeds_secs_f64(parameters.active_gap_s) => {
                span.end = span.end.max(segment.time);
                span.bytes += i64::from(segment.payload_bytes);
            }
            _ => {
                out.extend(open.map(|span| span.row(segment.flow.uid, segment.direction)));
                *open = Some(Span::new(segment));
            }
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, out: &mut Vec<ActiveSpan>) {
        for direction in [Direction::Uplink, Direction::Downlink] {
            let span = self.0.of_mut(direction).take();
            out.extend(span.map(|span| span.row(flow.uid, direction)));
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}

impl Span {
    fn new(segment: &Segment<'_>) -> Self {
        Self { start: segment.time, end: segment.time, bytes: segment.payload_bytes.into() }
    }

    fn row(self, uid: u64, direction: Direction) -> ActiveSpan {
        ActiveSpan { uid, direction, start_ns: self.start, end_ns: self.end, bytes: self.bytes }
    }
}
