#![doc = include_str!("segment_classes.md")]

mod wireshark;

use airmile_track::{Analysis, Events, Faults, FlowFacts, NoEvents, Scope, Segment, SegmentClass};
use airmile_types::{Direction, Parameters, PerDirection, Protocol, columns};

use wireshark::Wireshark;

columns! {
    /// Counts of the packets of one direction that carried bytes again or out of order, by class;
    /// all null for protocols other than TCP.
    #[derive(Default)]
    pub struct SegmentClassesRow {
        /// Packets with bytes that had passed here before without being acknowledged, and that no
        /// D-SACK showed to be needless: lost between capture point and receiver.
        #[unit("packets")] #[cite("C2")] pub retransmissions: Option<u32>,
        /// Packets with bytes that were already acknowledged here, or that a D-SACK showed to be
        /// needless.
        #[unit("packets")] #[cite("C2, RFC 2883")] pub spurious_retransmissions: Option<u32>,
        /// Single retransmissions of the highest segment after two smoothed RTTs of silence.
        #[unit("packets")] #[cite("C2, RFC 8985 section 7")] pub tail_probes: Option<u32>,
        /// Packets that fill a hole whose bytes never passed here, late enough to be
        /// retransmissions: lost between sender and capture point.
        #[unit("packets")] #[cite("C2")] pub upstream_losses: Option<u32>,
        /// Packets that fill a hole whose bytes never passed here, too early to be retransmissions.
        #[unit("packets")] #[cite("C2")] pub reordered: Option<u32>,
        /// Packets that the capture recorded twice.
        #[unit("packets")] #[cite("C2, A10")] pub capture_duplicates: Option<u32>,
        /// Keep-alives: packets with one byte that was acknowledged already, or without data and
        /// with the sequence number of that byte, as Linux sends them.
        #[unit("packets")] #[cite("C2, RFC 9293 section 3.8.4")] pub keep_alives: Option<u32>,
        /// Keep-alives without data, which `keep_alives` counts too.
        #[unit("packets")] #[cite("C2, RFC 9293 section 3.8.4")] pub empty_keep_alives: Option<u32>,
        /// Packets with data beyond the edge of a closed window, which ask whether it has opened.
        #[unit("packets")] #[cite("C2, RFC 9293 section 3.8.6.1")] pub window_probes: Option<u32>,
        /// Window probes without data, with the sequence number before the first unacknowledged
        /// byte, as Linux sends them.
        #[unit("packets")] #[cite("C2, RFC 9293 section 3.8.6.1")] pub empty_window_probes: Option<u32>,
        /// Packets that match Wireshark's filter tcp.analysis.retransmission.
        #[unit("packets")] #[cite("C2")] pub wireshark_retransmissions: Option<u32>,
    }
}

/// The counts of both directions, kept once a packet was not new data; and the state of Wireshark's
/// rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SegmentClasses {
    counts: Option<Box<PerDirection<Counts>>>,
    wireshark: Option<Box<Wireshark>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Counts {
    retransmissions: u32,
    spurious: u32,
    tail_probes: u32,
    upstream_losses: u32,
    reordered: u32,
    capture_duplicates: u32,
    keep_alives: u32,
    empty_keep_alives: u32,
    window_probes: u32,
    empty_window_probes: u32,
}

airmile_types::held!(SegmentClasses { counts, wireshark } Counts {});

impl Analysis for SegmentClasses {
    const NAME: &'static str = "segment_classes";
    const PAGE: &'static str = include_str!("segment_classes.md");
    const SCOPE: Scope = Scope::Direction;
    type Row = SegmentClassesRow;
    type Event = NoEvents;

    fn on_segment(&mut self, segment: &Segment<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        if segment.events.any(Events::ODD.or(Events::ASKS)) {
            self.count(segment);
        }
        match &mut self.wireshark {
            Some(wireshark) => wireshark.on_segment(segment),
            None => self.wireshark.get_or_insert_default().on_segment(segment),
        }
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, _: &Parameters) -> SegmentClassesRow {
        if flow.protocol != Protocol::Tcp {
            return SegmentClassesRow::default();
        }
        let none = Counts::default();
        let counts = self.counts.as_ref().map_or(&none, |counts| counts.of(direction));
        let wireshark = self.wireshark.as_ref().map_or(0, |wireshark| wireshark.retransmissions(direction));
        SegmentClassesRow {
            retransmissions: Some(counts.retransmissions),
            spurious_retransmissions: Some(counts.spurious),
            tail_probes: Some(counts.tail_probes),
            upstream_losses: Some(counts.upstream_losses),
            reordered: Some(counts.reordered),
            capture_duplicates: Some(counts.capture_duplicates),
            keep_alives: Some(counts.keep_alives),
            empty_keep_alives: Some(counts.empty_keep_alives),
            window_probes: Some(counts.window_probes),
            empty_window_probes: Some(counts.empty_window_probes),
            wireshark_retransmissions: Some(wireshark),
        }
    }
}

impl SegmentClasses {
    #[cold]
    fn count(&mut self, segment: &Segment<'_>) {
        if segment.window_probe && segment.class.is_none() {
            let counts = self.counts.get_or_insert_default().of_mut(segment.direction);
            counts.empty_window_probes += 1;
        }
        if segment.is_empty_keep_alive() && !segment.faults.has(Faults::RECORDED_TWICE) {
            let counts = self.counts.get_or_insert_default().of_mut(segment.direction);
            counts.keep_alives += 1;
            counts.empty_keep_alives += 1;
        }
        let class = counted(segment);
        if class.is_some() {
            self.counts.get_or_insert_default().of_mut(segment.direction).add(class);
        }
        if segment.unneeded_retransmission {
            self.counts.get_or_insert_default().of_mut(segment.direction.reverse()).acquit();
        }
    }
}

/// The class of a packet, which counts once: by its payload, or else by its SYN or FIN, which take
/// a sequence number too (RFC 9293 section 3.4).
fn counted(segment: &Segment<'_>) -> Option<SegmentClass> {
    use SegmentClass::{New, Reordered, UpstreamLoss};
    match segment.class {
        Some(New) | None => segment.repeated_control,
        Some(Reordered | UpstreamLoss) => segment.repeated_control.or(segment.class),
        repeated => repeated,
    }
}

impl Counts {
    fn add(&mut self, class: Option<SegmentClass>) {
        let count = match class {
            Some(SegmentClass::Retransmission) => &mut self.retransmissions,
            Some(SegmentClass::Spurious) => &mut self.spurious,
            Some(SegmentClass::TailProbe) => &mut self.tail_probes,
            Some(SegmentClass::UpstreamLoss) => &mut self.upstream_losses,
            Some(SegmentClass::Reordered) => &mut self.reordered,
            Some(SegmentClass::CaptureDuplicate) => &mut self.capture_duplicates,
            Some(SegmentClass::KeepAlive) => &mut self.keep_alives,
            Some(SegmentClass::WindowProbe) => &mut self.window_probes,
            Some(SegmentClass::New) | None => return,
        };
        *count += 1;
    }

    /// Corrects the counts after a D-SACK, which shows that the receiver had the bytes already (RFC
    /// 2883 section 4).
    const fn acquit(&mut self) {
        if self.retransmissions > 0 {
            self.retransmissions -= 1;
            self.spurious += 1;
        }
    }
}
