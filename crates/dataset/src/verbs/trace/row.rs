//! Makes a row of one packet of a chosen flow.

use airmile_read::TcpHeader;
use airmile_track::{DuplicateAck, Segment, SegmentClass, Timeouts};
use airmile_types::{Direction, Duration, Instant, Parameters, columns};

columns! {
    /// One packet of the chosen flow. Offsets count from the initial sequence number of their
    /// direction: the first byte of payload has offset 1.
    pub struct PacketRow {
        /// Time at which the packet passed the capture point.
        #[unit("ns")] #[cite("A1")] pub time_ns: Instant,
        /// Direction of the packet.
        #[unit("")] #[cite("A2")] pub direction: Direction,
        /// Control bits, as in tcpdump: S, F, R, P, `.` for ACK.
        #[unit("")] #[cite("A1")] pub flags: String,
        /// Offset of the packet's first byte in its sender's data.
        #[unit("bytes")] #[cite("A5")] pub start_offset: i64,
        /// Offset after the packet's last byte of payload.
        #[unit("bytes")] #[cite("A5")] pub end_offset: i64,
        /// Bytes of payload, by IP length.
        #[unit("bytes")] #[cite("A5")] pub payload_bytes: u32,
        /// Class of the payload: new, retransmission, spurious, tail_probe, upstream_loss,
        /// reordered, capture_duplicate, keep_alive, window_probe; null without payload.
        #[unit("")] #[cite("C2")] pub class: Option<&'static str>,
        /// Whether the sender had waited for its retransmission timer.
        #[unit("")] #[cite("C4")] pub timeout: bool,
        /// Whether the record contains several segments.
        #[unit("")] #[cite("A10")] pub super_segment: bool,
        /// Cumulative acknowledgement of the other side's data, as an offset.
        #[unit("bytes")] #[cite("C1")] pub ack_offset: Option<i64>,
        /// Receive window that the packet announces; null when the scale is unknown.
        #[unit("bytes")] #[cite("C6")] pub window_bytes: Option<u32>,
        /// Rule by which the packet is a duplicate ACK: strict, sack; null when it is not one.
        #[unit("")] #[cite("C3")] pub duplicate_ack: Option<&'static str>,
        /// Whether the packet reports bytes as received twice (D-SACK).
        #[unit("")] #[cite("RFC 2883")] pub dsack: bool,
        /// Bytes that the packet is the first to report as received, by ACK or SACK.
        #[unit("bytes")] #[cite("E2")] pub delivered_bytes: i64,
        /// Bytes of the sender's own data in flight after the packet.
        #[unit("bytes")] #[cite("C1")] pub own_in_flight_bytes: i64,
        /// Bytes in flight after the packet, of the data that it acknowledges.
        #[unit("bytes")] #[cite("C1")] pub peer_in_flight_bytes: i64,
        /// Round trip that the packet's ACK measures.
        #[unit("ms")] #[cite("B4")] pub rtt_ms: Option<Duration>,
        /// Round trip that the packet's SACK block or duplicate ACK measures.
        #[unit("ms")] #[cite("B4")] pub sack_rtt_ms: Option<Duration>,
        /// Timeout by RFC 6298 of the sender whose data the packet acknowledges, after the packet;
        /// null where the packet measures no round trip, where the round trip between capture point
        /// and sender is unknown, and at the receiver of the data.
        #[unit("ms")] #[cite("C5, RFC 6298 section 2")] pub rto_rfc_ms: Option<Duration>,
        /// The same timeout by the rule of LTE13.
        #[unit("ms")] #[cite("C5, LTE13 section 5")] pub rto_lte13_ms: Option<Duration>,
        /// The same timeout by the rule of Linux.
        #[unit("ms")] #[cite("C5")] pub rto_linux_ms: Option<Duration>,
        /// First SACK block: left edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_1_left_offset: Option<i64>,
        /// First SACK block: right edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_1_right_offset: Option<i64>,
        /// Second SACK block: left edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_2_left_offset: Option<i64>,
        /// Second SACK block: right edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_2_right_offset: Option<i64>,
        /// Third SACK block: left edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_3_left_offset: Option<i64>,
        /// Third SACK block: right edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_3_right_offset: Option<i64>,
        /// Fourth SACK block: left edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_4_left_offset: Option<i64>,
        /// Fourth SACK block: right edge.
        #[unit("bytes")] #[cite("RFC 2018")] pub sack_4_right_offset: Option<i64>,
        /// Value of the sender's timestamp clock; null without the option.
        #[unit("ticks")] #[cite("RFC 7323 section 3.2")] pub timestamp: Option<u32>,
        /// Timestamp of the other side that the packet echoes; null without the option.
        #[unit("ticks")] #[cite("RFC 7323 section 3.2")] pub timestamp_echo: Option<u32>,
    }
}

impl PacketRow {
    /// The row of a segment whose header is `header`.
    pub(super) fn new(
        segment: &Segment<'_>,
        header: Option<&TcpHeader>,
        parameters: &Parameters,
    ) -> Self {
        let timeouts = timeouts(segment, parameters);
        let [one, two, three, four] = header.map(|h| blocks(h, segment)).unwrap_or_default();
        let left = |block: Block| block.map(|(left, _)| left);
        let right = |block: Block| block.map(|(_, right)| right);
        Self {
            time_ns: segment.time,
            direction: segment.direction,
            flags: format!("{:?}", segment.flags),
            start_offset: segment.start,
            end_offset: segment.end,
            payload_bytes: segment.payload_bytes,
            class: segment.class.map(class_word),
            timeout: segment.timeout,
            super_segment: segment.super_segment,
            ack_offset: segment.ack,
            window_bytes: segment.window_bytes,
            duplicate_ack: segment.duplicate_ack.map(|rule| match rule {
                DuplicateAck::Strict => "strict",
                DuplicateAck::Sack => "sack",
            }),
            dsack: segment.dsack.is_some(),
            delivered_bytes: i64::try_from(segment.delivered_bytes).unwrap_or(i64::MAX),
            own_in_flight_bytes: segment.own.in_flight_bytes(),
            peer_in_flight_bytes: segment.peer.in_flight_bytes(),
            rtt_ms: segment.rtt.map(|sample| sample.rtt),
            sack_rtt_ms: segment.sack_rtt,
            rto_rfc_ms: timeouts.map(|timeouts| timeouts.rfc),
            rto_lte13_ms: timeouts.map(|timeouts| timeouts.lte13),
            rto_linux_ms: timeouts.map(|timeouts| timeouts.linux),
            sack_1_left_offset: left(one),
            sack_1_right_offset: right(one),
            sack_2_left_offset: left(two),
            sack_2_right_offset: right(two),
            sack_3_left_offset: left(three),
            sack_3_right_offset: right(three),
            sack_4_left_offset: left(four),
            sack_4_right_offset: right(four),
            timestamp: segment.timestamps.map(|both| both.value),
            timestamp_echo: segment.timestamps.map(|both| both.echo),
        }
    }
}

/// The timeouts of the sender whose data the packet acknowledges, if the packet is a sample.
fn timeouts(segment: &Segment<'_>, parameters: &Parameters) -> Option<Timeouts> {
    let timer = segment.rtt.and_then(|_| segment.peer.timer())?;
    let covers_path = !segment.flow.is_at_receiver_of(segment.direction.reverse());
    timer.timeouts(parameters).filter(|_| covers_path)
}

type Block = Option<(i64, i64)>;

/// The SACK blocks as offsets; the cumulative ACK, known as number and as offset, gives the
/// difference.
fn blocks(header: &TcpHeader, segment: &Segment<'_>) -> [Block; 4] {
    let mut found = [None; 4];
    let Some(ack) = segment.ack else { return found };
    let offset = |number: u32| ack + i64::from(number.wrapping_sub(header.acknowledgement) as i32);
    for (block, (left, right)) in found.iter_mut().zip(header.options.sack()) {
        *block = Some((offset(*left), offset(*right)));
    }
    found
}

const fn class_word(class: SegmentClass) -> &'static str {
    match class {
        SegmentClass::New => "new",
        SegmentClass::Retransmission => "retransmission",
        SegmentClass::Spurious => "spurious",
        SegmentClass::TailProbe => "tail_probe",
        SegmentClass::UpstreamLoss => "upstream_loss",
        SegmentClass::Reordered => "reordered",
        SegmentClass::CaptureDuplicate => "capture_duplicate",
        SegmentClass::KeepAlive => "keep_alive",
        SegmentClass::WindowProbe => "window_probe",
    }
}
