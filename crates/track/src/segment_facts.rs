//! The facts of one TCP packet, filled in place, once.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader, Timestamps};
use airmile_types::{Direction, Duration, Instant};

use crate::events::Events;
use crate::outcomes::{
    AckOutcome, DataOutcome, DuplicateAck, PlainAck, ProbeAnswer, RttSample, SegmentClass,
};

/// What one TCP packet is, and what it changed: filled in place, once.
#[derive(Clone, Copy, Debug)]
pub struct SegmentFacts<'a> {
    /// The time at which the tap saw it.
    pub time: Instant,
    /// Number of its record in its input ([`airmile_read::Packet::frame`]).
    pub frame: u64,
    /// What of the facts below is worth a look.
    pub events: Events,
    /// The direction in which it goes.
    pub direction: Direction,
    /// Control bits.
    pub flags: TcpFlags,
    /// Offset of its first byte (of the SYN, when it has one).
    pub start: i64,
    /// Offset after its last byte of payload (a FIN is not counted).
    pub end: i64,
    /// Length of the IP packet, headers included.
    pub ip_bytes: u32,
    /// Bytes of payload, by IP length.
    pub payload_bytes: u32,
    /// The part of the payload that was captured; may be empty.
    pub payload: &'a [u8],
    /// Several segments in one record (segmentation offload).
    pub super_segment: bool,
    /// What is wrong with its record (methods A10).
    pub faults: Faults,
    /// What the payload is (methods C2); `None` for a packet without payload.
    pub class: Option<SegmentClass>,
    /// It asks whether a closed window has opened: data of class `WindowProbe`, or none at the
    /// number before the first unacknowledged one, as Linux does (RFC 9293 section 3.8.6.1).
    pub window_probe: bool,
    /// What the SYN or FIN is when its number passed the tap before: a retransmission, a spurious
    /// one, or the tap's duplicate; `None` for a first one and for packets without.
    pub repeated_control: Option<SegmentClass>,
    /// Bytes of payload never seen before at the tap, and those of a probe that it goes on behind.
    pub new_bytes: u32,
    /// First byte below the highest seen: out of order at the tap (methods C3).
    pub below_highest: bool,
    /// The sender had waited for its retransmission timer before it sent this (methods C4).
    pub timeout: bool,
    /// Cumulative acknowledgement, as an offset into the peer's data.
    pub ack: Option<i64>,
    /// Bytes that this packet is the first to acknowledge cumulatively.
    pub acked_bytes: u64,
    /// The part of these bytes that a window probe had carried: they are new from now on.
    pub probed_bytes: u32,
    /// Bytes that this packet is the first to report as received, cumulatively or by SACK.
    pub delivered_bytes: u64,
    /// Bytes that this packet is the first to report in a SACK block.
    pub sacked_bytes: u64,
    /// Bytes reported as received twice (RFC 2883), as offsets into the peer's data.
    pub dsack: Option<(i64, i64)>,
    /// The D-SACK shows that a packet counted as `Retransmission` was not needed.
    pub unneeded_retransmission: bool,
    /// Whether this is a duplicate ACK (methods C3).
    pub duplicate_ack: Option<DuplicateAck>,
    /// Window field, unscaled.
    pub window_field: u16,
    /// Receive window in bytes; `None` when the scale is unknown (no SYN seen) and it is not 0, and
    /// where it means nothing: in an RST, and after the peer's FIN.
    pub window_bytes: Option<u32>,
    /// TCP timestamps of this packet.
    pub timestamps: Option<Timestamps>,
    /// It shows what became of a tail loss probe: of the peer's, by an ACK, or of its own sender's,
    /// by a timeout.
    pub tail_probe: Option<ProbeAnswer>,
    /// It may be a tail loss probe of new data (RFC 8985 section 7.2): one segment after a silence
    /// of two smoothed RTTs with data in flight.
    pub may_be_probe: bool,
    /// RTT sample of an advancing ACK (methods B4).
    pub rtt: Option<RttSample>,
    /// RTT from the segment that an ACK which does not advance answers: the newest that its first
    /// SACK block is the first to report (RFC 2018 section 4), or, without SACK, the one that a
    /// duplicate ACK reports; `None` of a D-SACK and where bytes of the block were retransmitted.
    pub sack_rtt: Option<Duration>,
    /// Time since the previous packet with payload of the same direction.
    pub since_last_data: Option<Duration>,
    /// IP time to live or hop limit.
    pub hop_limit: u8,
    /// The two ECN bits of the IP header.
    pub ecn: u8,
}

impl<'a> SegmentFacts<'a> {
    /// What the packet says itself; nothing has changed yet.
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

    /// The facts of the packet itself that a plain packet does not need.
    pub(crate) fn note_packet(&mut self, packet: &Packet<'_>, tcp: &TcpHeader) {
        self.events = Events::of_packet(packet, tcp);
        self.faults = self
            .faults
            .with(Faults::OPTIONS_CUT, tcp.options.cut)
            .with(Faults::FRAGMENTED, packet.fragment != Fragment::Whole);
    }

    /// This number of bytes of new data, `silence` after the data before.
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

    /// What an ACK shows of a probe of its peer comes before what its own data shows.
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

/// What is wrong with the record of one packet, as a set (methods A10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u8);

impl Faults {
    /// The tap recorded this packet before: data, or an ACK without payload.
    pub const RECORDED_TWICE: Self = Self(1);
    /// The ACK of this data was recorded before it.
    pub const AFTER_ITS_ACK: Self = Self(2);
    /// The TCP options were not captured whole, or are malformed.
    pub const OPTIONS_CUT: Self = Self(4);
    /// The first fragment of a segment: the rest of it has no ports.
    pub const FRAGMENTED: Self = Self(8);

    /// Whether every fault of `other` is there.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The same, with `fault` where it holds.
    #[must_use]
    #[inline]
    pub const fn with(self, fault: Self, holds: bool) -> Self {
        if holds { Self(self.0 | fault.0) } else { self }
    }
}
