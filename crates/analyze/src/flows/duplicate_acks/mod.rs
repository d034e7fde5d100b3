#![doc = include_str!("duplicate_acks.md")]

use airmile_read::TcpFlags;
use airmile_track::{Analysis, DuplicateAck, Events, FlowFacts, NoEvents, Scope, Segment, SegmentClass};
use airmile_types::{Direction, Parameters, PerDirection, Protocol, columns};

columns! {
    /// Signs of loss and reordering in the data of one direction; all null for protocols other than
    /// TCP.
    #[derive(Default)]
    pub struct DuplicateAcksRow {
        /// Packets with new or retransmitted bytes that begin below the highest byte seen.
        /// Keep-alives, probes and capture duplicates do not count.
        #[unit("packets")] #[cite("C3, LTE13 section 5")] pub out_of_order: Option<u32>,
        /// Duplicate ACKs for this direction's data: with the same ACK number, and with the same
        /// window or a new SACK block.
        #[unit("ACKs")] #[cite("C3")] pub duplicate_acks: Option<u32>,
        /// Duplicate ACKs by the strict rule of RFC 5681: the window is the same, too.
        #[unit("ACKs")] #[cite("C3, RFC 5681 section 2")] pub duplicate_acks_strict: Option<u32>,
        /// Duplicate ACKs that report bytes by SACK which no earlier one reported, or that report
        /// bytes by D-SACK.
        #[unit("ACKs")] #[cite("C3, LTE13 section 5, RFC 2018")] pub duplicate_acks_sack: Option<u32>,
        /// Bytes that SACK reported for the first time, in segments. This is the number of
        /// duplicate ACKs that a receiver that acknowledges every segment would have sent.
        #[unit("ACKs")] #[cite("C3, RFC 2018")] pub duplicate_ack_equivalents: Option<f64>,
        /// All ACKs for this direction's data that carry no data themselves, without SYN, FIN and
        /// RST; includes duplicate ACKs.
        #[unit("ACKs")] #[cite("C3, HWY18 section 5.7")] pub acks: Option<u32>,
        /// Packets with which the sender of this direction advertised a window of 0, without SYN
        /// and RST. A window of 0 stops the data of the other direction.
        #[unit("packets")] #[cite("C6, RFC 9293 section 3.8.6")] pub zero_windows: Option<u32>,
    }
}

/// Counts of both directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DuplicateAcks(Box<PerDirection<Counts>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Counts {
    out_of_order: u32,
    duplicates: u32,
    strict: u32,
    with_sack: u32,
    acks: u32,
    zero_windows: u32,
    mss_bytes: u32,
    sacked_bytes: u64,
}

airmile_types::held!(DuplicateAcks { 0 } Counts {});

/// Events of packets that do more than acknowledge new data.
const RARE: Events = Events::DUPLICATE.or(Events::SACK).or(Events::ODD).or(Events::ZERO_WINDOW);

impl Analysis for DuplicateAcks {
    const NAME: &'static str = "duplicate_acks";
    const PAGE: &'static str = include_str!("duplicate_acks.md");
    const SCOPE: Scope = Scope::Direction;
    const WANTS: Events = Events::BARE_ACK.or(RARE);
    type Row = DuplicateAcksRow;
    type Event = NoEvents;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        let acks = u32::from(segment.events.any(Events::BARE_ACK));
        self.0.of_mut(segment.direction.reverse()).acks += acks;
        if segment.events.any(RARE) {
            let own = self.0.of_mut(segment.direction);
            own.out_of_order += u32::from(is_out_of_order(segment));
            own.zero_windows += u32::from(is_zero_window(segment));
            self.0.of_mut(segment.direction.reverse()).doubly_acknowledged(segment);
        }
    }

    fn row(&self, flow: &FlowFacts, direction: Direction, _: &Parameters) -> DuplicateAcksRow {
        if flow.protocol != Protocol::Tcp {
            return DuplicateAcksRow::default();
        }
        let counts = self.0.of(direction);
        DuplicateAcksRow {
            out_of_order: Some(counts.out_of_order),
            duplicate_acks: Some(counts.duplicates),
            duplicate_acks_strict: Some(counts.strict),
            duplicate_acks_sack: Some(counts.with_sack),
            duplicate_ack_equivalents: Some(counts.sacked_bytes as f64 / f64::from(counts.mss_bytes.max(1))),
            acks: Some(counts.acks),
            zero_windows: Some(counts.zero_windows),
        }
    }
}

impl Counts {
    /// Takes a packet of the receiver of this direction's data; the packet may be a duplicate ACK.
    fn doubly_acknowledged(&mut self, segment: &Segment<'_>) {
        self.duplicates += u32::from(segment.duplicate_ack.is_some());
        self.strict += u32::from(segment.duplicate_ack == Some(DuplicateAck::Strict));
        let has_sack = segment.events.any(Events::SACK);
        self.with_sack += u32::from(segment.duplicate_ack.is_some() && has_sack);
        if segment.sacked_bytes > 0 {
            self.sacked_bytes += segment.sacked_bytes;
            self.mss_bytes = segment.peer.mss_bytes();
        }
    }
}

/// Whether the packet is out of order (methods C3). Retransmissions count, as in LTE13; probes,
/// keep-alives and capture duplicates do not.
fn is_out_of_order(segment: &Segment<'_>) -> bool {
    use SegmentClass::{CaptureDuplicate, KeepAlive, TailProbe, WindowProbe};
    segment.below_highest
        && !matches!(segment.class, None | Some(KeepAlive | WindowProbe | TailProbe | CaptureDuplicate))
}

/// Whether the packet advertises a window of 0. The window of a SYN belongs to a connection that
/// does not exist yet, and the window of an RST has no meaning (methods C6).
fn is_zero_window(segment: &Segment<'_>) -> bool {
    segment.window_field == 0
        && segment.flags.has(TcpFlags::ACK)
        && !segment.flags.any(TcpFlags(TcpFlags::SYN.0 | TcpFlags::RST.0))
}
