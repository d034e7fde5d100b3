#![doc = include_str!("quality.md")]

use airmile_track::{Analysis, Events, Faults, FlowFacts, NoEvents, Scope, Scoreboard, Segment, Shared};
use airmile_types::{Direction, Instant, Parameters, PerDirection, Protocol, columns};

columns! {
    /// Faults in the record of one direction of a flow.
    #[derive(Default)]
    pub struct QualityRow {
        /// Bytes that the receiver acknowledged and the capture never contained; null when the
        /// capture contains nothing of the direction (`one_sided`), and for protocols other than
        /// TCP.
        #[unit("bytes")] #[cite("A10")] pub capture_lost_bytes: Option<i64>,
        /// Packets, data or ACKs, that the capture point recorded twice: the same sequence numbers
        /// and IP identification within 5 ms. In other columns each counts once.
        #[unit("packets")] #[cite("A10, C2")] pub recorded_twice: Option<u32>,
        /// Packets with data that were recorded after their ACK.
        #[unit("packets")] #[cite("A10")] pub recorded_late: Option<u32>,
        /// Records that contain several segments, joined by segmentation offload.
        #[unit("packets")] #[cite("A10, A1")] pub super_segments: Option<u32>,
        /// Packets whose TCP options were cut by the snap length, or malformed: timestamps and SACK blocks may be missing.
        #[unit("packets")] #[cite("A10")] pub cut_options: Option<u32>,
        /// Packets recorded earlier than a previous packet by `quality.clock_step_ms` or more: the
        /// capture point's clock stepped back.
        #[unit("packets")] #[cite("A10")] pub clock_steps: Option<u32>,
    }
}

/// The faults in the capture of one flow so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Quality {
    newest: Instant,
    /// Whether packets of each side were captured; known when the flow has ended.
    seen: PerDirection<bool>,
    /// Created at the first fault: most flows have none.
    counts: Option<Box<PerDirection<Counts>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    lost_bytes: u64,
    twice: u32,
    late: u32,
    super_segments: u32,
    cut_options: u32,
    clock_steps: u32,
    cut_by_snap_length: bool,
    malformed_options: bool,
    fragmented: bool,
    /// Whether no packet of the direction was captured, although the other direction acknowledges
    /// data of it.
    missing: bool,
}

airmile_types::held!(Quality { counts } Counts {});

impl Analysis for Quality {
    const NAME: &'static str = "quality";
    const PAGE: &'static str = include_str!("quality.md");
    const SCOPE: Scope = Scope::Direction;
    type Row = QualityRow;
    type Event = NoEvents;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, _: &mut Vec<NoEvents>) {
        if segment.events.any(Events::FAULT) || segment.time < self.newest {
            self.fault(segment, parameters);
        } else {
            self.newest = segment.time;
        }
    }

    fn share(&mut self, _: &FlowFacts, _: &Parameters, shared: &mut Shared) {
        self.seen = shared.seen;
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, _: &Parameters) -> QualityRow {
        if flow.protocol != Protocol::Tcp {
            return QualityRow::default();
        }
        let counts = self.of(direction);
        QualityRow {
            capture_lost_bytes: (!counts.missing)
                .then(|| i64::try_from(counts.lost_bytes).unwrap_or(i64::MAX)),
            recorded_twice: Some(counts.twice),
            recorded_late: Some(counts.late),
            super_segments: Some(counts.super_segments),
            cut_options: Some(counts.cut_options),
            clock_steps: Some(counts.clock_steps),
        }
    }
}

impl Quality {
    #[cold]
    fn fault(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let back = self.newest - segment.time;
        let counts = self.counts.get_or_insert_default().of_mut(segment.direction);
        counts.note(segment);
        if back.as_millis_f64() >= parameters.clock_step_ms {
            counts.clock_steps += 1;
            self.newest = segment.time;
        }
        self.newest = self.newest.max(segment.time);
    }

    /// Adds the counts of the scoreboards, after the flow has ended and the analyses have shared
    /// their facts.
    pub(crate) fn settle(&mut self, boards: &PerDirection<Scoreboard>) {
        for direction in [Direction::Uplink, Direction::Downlink] {
            let board = boards.of(direction);
            // One direction is missing, although the other direction acknowledges data that was
            // never seen and so proves that it existed. The reason is the place of the capture
            // point, not a loss of the capture. A SYN without an answer is neither.
            if !*self.seen.of(direction) && board.unacked() > 0 {
                self.counts.get_or_insert_default().of_mut(direction).missing = true;
                continue;
            }
            let lost_bytes = board.acked_unseen_bytes();
            if lost_bytes > 0 {
                self.counts.get_or_insert_default().of_mut(direction).lost_bytes = lost_bytes;
            }
        }
    }

    /// The faults as words joined by commas; empty when there are none. Only TCP shows faults.
    pub(crate) fn words(&self, flow: &FlowFacts) -> String {
        if flow.lacks_headers {
            return "no_header".to_owned();
        }
        if flow.protocol != Protocol::Tcp {
            return String::new();
        }
        let any = |count: fn(&Counts) -> u64| {
            count(&self.of(Direction::Uplink)) + count(&self.of(Direction::Downlink)) > 0
        };
        [
            (flow.initiator.is_none(), "mid_stream"),
            (any(|counts| counts.missing.into()), "one_sided"),
            (any(|counts| counts.lost_bytes), "capture_loss"),
            (any(|counts| counts.twice.into()), "capture_duplicates"),
            (any(|counts| counts.late.into()), "acks_before_data"),
            (any(|counts| counts.super_segments.into()), "super_segments"),
            (any(|counts| counts.cut_by_snap_length.into()), "cut_options"),
            (any(|counts| counts.malformed_options.into()), "malformed_options"),
            (any(|counts| counts.fragmented.into()), "fragments"),
            (any(|counts| counts.clock_steps.into()), "clock_steps"),
        ]
        .iter()
        .filter(|(present, _)| *present)
        .map(|(_, word)| *word)
        .collect::<Vec<_>>()
        .join(",")
    }

    fn of(&self, direction: Direction) -> Counts {
        self.counts.as_ref().map_or_else(Counts::default, |counts| *counts.of(direction))
    }
}

impl Counts {
    /// Counts the faults of one packet.
    fn note(&mut self, segment: &Segment<'_>) {
        self.twice += u32::from(segment.faults.has(Faults::RECORDED_TWICE));
        self.late += u32::from(segment.faults.has(Faults::AFTER_ITS_ACK));
        let malformed = segment.faults.has(Faults::OPTIONS_MALFORMED);
        self.cut_options += u32::from(malformed || segment.faults.has(Faults::OPTIONS_CUT));
        self.cut_by_snap_length |= segment.faults.has(Faults::OPTIONS_CUT);
        self.malformed_options |= malformed;
        self.fragmented |= segment.faults.has(Faults::FRAGMENTED);
        self.super_segments += u32::from(segment.super_segment);
    }
}
