//! Computes the facts of one TCP packet that its own headers give, and takes those that the
//! scoreboards find out.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader, Timestamps};
use airmile_types::{Direction, Duration, Instant};

use crate::events::Events;
use crate::outcomes::{
    AckOutcome, DataOutcome, DuplicateAck, PlainAck, ProbeAnswer, RttSample, SegmentClass,
};

/// What one TCP packet is and what it changed. The record is filled in place, once per packet.
#[derive(Clone, Copy, Debug)]
pub struct SegmentFacts<'a> {
    /// The time at which the packet passed the capture point.
    pub time: Instant,
    /// The number of the packet's record in its input ([`airmile_read::Packet::frame`]).
    pub frame: u64,
    /// Which of the facts below hold something of note, as a set.
    pub events: Events,
    /// The direction in which the packet goes.
    pub direction: Direction,
    /// Control bits.
    pub flags: TcpFlags,
    /// Offset of the first byte of the payload; if the packet has a SYN, the offset of the SYN.
    pub start: i64,
    /// Offset after the last byte of payload; a FIN does not count.
    pub end: i64,
    /// Identification of the IPv4 header; 0 for IPv6.
    pub ip_id: u16,
    /// Length of the IP packet, headers included.
    pub ip_bytes: u32,
    /// Bytes of payload, computed from the length field of the IP header.
    pub payload_bytes: u32,
    /// The captured part of the payload; may be empty.
    pub payload: &'a [u8],
    /// Whether the record holds several segments (segmentation offload).
    pub super_segment: bool,
    /// What is wrong with the packet's record (methods A10).
    pub faults: Faults,
    /// What the payload is (methods C2); `None` for a packet without payload.
    pub class: Option<SegmentClass>,
    /// Whether the packet asks if a closed window has opened. It does so with data of class
    /// `WindowProbe`, or, as Linux does, without data and with the sequence number before the first
    /// unacknowledged one (RFC 9293 section 3.8.6.1).
    pub window_probe: bool,
    /// The class of a SYN or FIN whose sequence number passed the capture point before: a
    /// retransmission, a spurious retransmission, or a capture duplicate. `None` for a first SYN or
    /// FIN, and for other packets.
    pub repeated_control: Option<SegmentClass>,
    /// Bytes of payload that pass the capture point for the first time; includes the bytes of an
    /// earlier window probe that this packet confirms by continuing behind them.
    pub new_bytes: u32,
    /// Whether the first byte lies below the highest byte seen: the packet is out of order at the
    /// capture point (methods C3).
    pub below_highest: bool,
    /// Whether the sender sent this packet because its retransmission timer had expired (methods
    /// C4).
    pub timeout: bool,
    /// The cumulative acknowledgement, as an offset into the peer's data.
    pub ack: Option<i64>,
    /// Number of bytes that this packet is the first to acknowledge cumulatively.
    pub acked_bytes: u64,
    /// The part of `acked_bytes` that a window probe had carried; these bytes count as new from now
    /// on.
    pub probed_bytes: u32,
    /// Number of bytes that this packet is the first to report as received, cumulatively or by
    /// SACK.
    pub delivered_bytes: u64,
    /// Number of bytes that this packet is the first to report in a SACK block.
    pub sacked_bytes: u64,
    /// The bytes that the receiver reports to have received twice (RFC 2883), as offsets into the
    /// peer's data.
    pub dsack: Option<(i64, i64)>,
    /// Whether the packet's D-SACK shows that an earlier packet of class `Retransmission` was not
    /// needed.
    pub unneeded_retransmission: bool,
    /// The rule by which this packet is a duplicate ACK (methods C3); `None` if it is not one.
    pub duplicate_ack: Option<DuplicateAck>,
    /// The window field, without scaling.
    pub window_field: u16,
    /// The receive window in bytes. `None` if the window is not 0 and the scale is unknown, because
    /// no SYN was seen. Also `None` where the window has no meaning: in an RST, and after the
    /// peer's FIN.
    pub window_bytes: Option<u32>,
    /// TCP timestamps of this packet.
    pub timestamps: Option<Timestamps>,
    /// What this packet shows about a tail loss probe: an ACK shows it about a probe of the peer, a
    /// timeout about a probe of this packet's own sender.
    pub tail_probe: Option<ProbeAnswer>,
    /// Whether the packet may be a tail loss probe with new data (RFC 8985 section 7.2): a single
    /// segment after two smoothed RTTs of silence while data was in flight.
    pub may_be_probe: bool,
    /// The RTT sample of an ACK that advances (methods B4).
    pub rtt: Option<RttSample>,
    /// The RTT of an ACK that does not advance, measured from the segment that the ACK answers.
    /// With SACK that is the newest segment that the first SACK block is the first to report (RFC
    /// 2018 section 4); without SACK it is the segment that a duplicate ACK reports. `None` for a
    /// D-SACK, and if bytes of the block were retransmitted.
    pub sack_rtt: Option<Duration>,
    /// Time since the previous packet with payload in the same direction.
    pub since_last_data: Option<Duration>,
    /// Time to live or hop limit of the IP header.
    pub hop_limit: u8,
    /// The two ECN bits of the IP header.
    pub ecn: u8,
}

impl<'a> SegmentFacts<'a> {
    /// The facts that the packet's own headers give; facts that depend on earlier packets are still
    /// empty.
    #[inline]
    pub(crate) fn new(packet: &Packet<'a>, tcp: &TcpHeader, direction: Direction) -> Self {
        Self {
            time: packet.time,
            frame: packet.frame,
            events: Events::ALL,
            direction,
            flags: tcp.flags,
            start: 0,
            end: 0,
            ip_id: packet.ip_id,
            ip_bytes: packet.ip_bytes,
            payload_bytes: packet.payload_bytes,
            payload: packet.payload,
            super_segment: packet.super_segment,
            faults: Faults::default(),
            class: None,
            window_probe: false,
            repeated_control: None,
            new_bytes: 0,
            below_highest: false,
            timeout: false,
            ack: None,
            acked_bytes: 0,
            probed_bytes: 0,
            delivered_bytes: 0,
            sacked_bytes: 0,
            dsack: None,
            unneeded_retransmission: false,
            duplicate_ack: None,
            window_field: tcp.window,
            window_bytes: None,
            timestamps: tcp.options.timestamps,
            tail_probe: None,
            may_be_probe: false,
            rtt: None,
            sack_rtt: None,
            since_last_data: None,
            hop_limit: packet.hop_limit,
            ecn: packet.ecn,
        }
    }

    /// Whether the packet is a keep-alive without payload, as Linux sends it: its sequence number is
    /// that before the next one, and all data is acknowledged (RFC 9293 section 3.8.4).
    pub fn is_empty_keep_alive(&self) -> bool {
        self.events.any(Events::ASKS) && !self.window_probe
    }

    /// Adds the facts from the packet's own headers that the plain lane (`tracker/plain.rs`) does
    /// not need.
    pub(crate) fn note_packet(&mut self, packet: &Packet<'_>, tcp: &TcpHeader) {
        self.events = Events::of_packet(packet, tcp);
        self.faults = self
            .faults
            .with(Faults::OPTIONS_CUT, tcp.options.cut && !tcp.options.malformed)
            .with(Faults::OPTIONS_MALFORMED, tcp.options.malformed)
            .with(Faults::FRAGMENTED, packet.fragment != Fragment::Whole);
    }

    /// Notes `new_bytes` bytes of new data, sent `silence` after the previous data of this
    /// direction.
    #[inline]
    pub(crate) fn note_plain_data(&mut self, new_bytes: u32, silence: Duration) {
        self.events = self.events.or(Events::NEW);
        self.class = Some(SegmentClass::New);
        self.new_bytes = new_bytes;
        self.since_last_data = Some(silence);
    }

    #[inline]
    pub(crate) fn note_plain_ack(&mut self, ack: &PlainAck) {
        self.events = self.events.or(Events::of_plain_ack(ack));
        self.acked_bytes = ack.covered.acked_bytes;
        self.delivered_bytes = ack.covered.fresh_bytes;
        self.rtt = ack.covered.rtt;
        self.faults = self.faults.with(Faults::RECORDED_TWICE, ack.recorded_twice);
    }

    pub(crate) fn note_data(&mut self, data: &DataOutcome) {
        self.events = self.events.or(Events::of_data(data));
        self.class = Some(data.class);
        self.window_probe |= data.class == SegmentClass::WindowProbe;
        self.new_bytes = data.new_bytes;
        self.below_highest = data.below_highest;
        self.timeout = data.timeout;
        self.since_last_data = data.since_last_data;
        self.may_be_probe = data.may_be_probe;
        if data.tail_probe.is_some() {
            self.tail_probe = data.tail_probe;
        }
        let twice = data.class == SegmentClass::CaptureDuplicate;
        self.faults = self
            .faults
            .with(Faults::RECORDED_TWICE, twice)
            .with(Faults::AFTER_ITS_ACK, data.after_its_ack);
    }

    /// Notes the outcome of the acknowledgement. What an ACK shows about a probe of its peer takes
    /// precedence over what the packet's own data shows.
    pub(crate) fn note_ack(&mut self, ack: &AckOutcome) {
        self.events = self.events.or(Events::of_ack(ack));
        self.acked_bytes = ack.acked_bytes;
        self.probed_bytes = ack.probed_bytes;
        self.delivered_bytes = ack.delivered_bytes;
        self.sacked_bytes = ack.sacked_bytes;
        self.dsack = ack.dsack;
        self.unneeded_retransmission = ack.unneeded_retransmission;
        self.duplicate_ack = ack.duplicate;
        self.rtt = ack.rtt;
        self.sack_rtt = ack.sack_rtt;
        if ack.tail_probe.is_some() {
            self.tail_probe = ack.tail_probe;
        }
        self.faults = self.faults.with(Faults::RECORDED_TWICE, ack.recorded_twice);
    }

    #[inline]
    pub(crate) fn note_control(&mut self, repeated: Option<SegmentClass>) {
        self.repeated_control = repeated;
        let twice = repeated == Some(SegmentClass::CaptureDuplicate);
        self.events = self.events.with(Events::ODD, repeated.is_some()).with(Events::FAULT, twice);
        self.faults = self.faults.with(Faults::RECORDED_TWICE, twice);
    }
}

/// A set of faults in the record of one packet (methods A10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u8);

impl Faults {
    /// The capture has recorded this packet before; it is data, or an ACK without payload.
    pub const RECORDED_TWICE: Self = Self(1);
    /// The ACK of this data was recorded before the data.
    pub const AFTER_ITS_ACK: Self = Self(2);
    /// The TCP options were not captured completely.
    pub const OPTIONS_CUT: Self = Self(4);
    /// The packet is a segment that came in IP fragments, or its first fragment.
    pub const FRAGMENTED: Self = Self(8);
    /// The TCP options are malformed, or longer than the packet.
    pub const OPTIONS_MALFORMED: Self = Self(16);

    /// Whether the set contains all faults of `other`.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set with `fault` added if `holds` is true.
    #[must_use]
    #[inline]
    pub const fn with(self, fault: Self, holds: bool) -> Self {
        if holds { Self(self.0 | fault.0) } else { self }
    }
}
