//! What a packet brings, as a set, so that whoever needs none of it is not even called.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader};

use crate::outcomes::{AckOutcome, DataOutcome, PlainAck, SegmentClass};

/// A set of events of one packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events(u32);

impl Events {
    /// The set of no packet.
    pub const NONE: Self = Self(0);
    /// FIN is set; this bit and the next two lie where the TCP header has them.
    pub const FIN: Self = Self(0x01);
    /// SYN is set.
    pub const SYN: Self = Self(0x02);
    /// RST is set.
    pub const RST: Self = Self(0x04);
    /// Any of SYN, FIN and RST is set.
    pub const CONTROL: Self = Self(0x07);
    /// It carries payload, if only such as lies outside of every window.
    pub const PAYLOAD: Self = Self(1 << 3);
    /// Its payload is of class `New`.
    pub const NEW: Self = Self(1 << 4);
    /// Its payload is of another class.
    pub const OLD: Self = Self(1 << 5);
    /// About its data something is not as in a loss-free flow: class, order, a timeout, a window
    /// probe, a repeated SYN or FIN, a probe that was answered.
    pub const ODD: Self = Self(1 << 6);
    /// It acknowledges.
    pub const ACK: Self = Self(1 << 7);
    /// It acknowledges, and carries neither payload nor SYN, FIN or RST.
    pub const BARE_ACK: Self = Self(1 << 8);
    /// It is the first to acknowledge some bytes.
    pub const ADVANCES: Self = Self(1 << 9);
    /// It gives an RTT sample.
    pub const RTT: Self = Self(1 << 10);
    /// It reports bytes by SACK for the first time, or by D-SACK.
    pub const SACK: Self = Self(1 << 11);
    /// It is a duplicate ACK.
    pub const DUPLICATE: Self = Self(1 << 12);
    /// Its window field is 0.
    pub const ZERO_WINDOW: Self = Self(1 << 13);
    /// It has TCP timestamps.
    pub const TIMESTAMPS: Self = Self(1 << 14);
    /// Its ECN bits are not 0, or it echoes such bits.
    pub const ECN: Self = Self(1 << 15);
    /// Its record has a fault, or holds several segments.
    pub const FAULT: Self = Self(1 << 16);
    /// After it, a loss episode of either direction is in progress.
    pub const RECOVERY: Self = Self(1 << 17);
    /// An event that every packet has.
    pub const ALL: Self = Self(1 << 31);

    /// Either set's events.
    #[must_use]
    #[inline]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any event of `wanted` is there.
    #[inline]
    pub const fn any(self, wanted: Self) -> bool {
        self.0 & wanted.0 != 0
    }

    /// Whether every packet has one of them.
    #[inline]
    pub const fn is_all(self) -> bool {
        self.any(Self::ALL)
    }

    /// The same, with `event` where it holds.
    #[must_use]
    #[inline]
    pub(crate) const fn with(self, event: Self, holds: bool) -> Self {
        // One of constant bits is a shift; a choice between two sets is not.
        self.or(Self(event.0 * holds as u32))
    }

    /// What a packet of the plain lane says itself (`tracker/plain.rs`): it acknowledges, is no
    /// control packet, and is whole with its options.
    #[inline]
    pub(crate) const fn of_plain(packet: &Packet<'_>, tcp: &TcpHeader) -> Self {
        let ecn = packet.ecn != 0 || tcp.flags.any(TcpFlags::ECHOES);
        let payload = if packet.payload_bytes > 0 { Self::PAYLOAD } else { Self::BARE_ACK };
        Self::ALL
            .or(payload)
            .with(Self::TIMESTAMPS, tcp.options.timestamps.is_some())
            .with(Self::ECN, ecn)
            .with(Self::FAULT, packet.super_segment)
    }

    /// What a plain ACK acknowledges.
    #[inline]
    pub(crate) const fn of_plain_ack(ack: &PlainAck) -> Self {
        Self::ACK
            .with(Self::ADVANCES, ack.covered.acked_bytes > 0)
            .with(Self::RTT, ack.covered.rtt.is_some())
            .with(Self::FAULT, ack.recorded_twice)
    }

    /// What the packet says itself.
    pub(crate) fn of_packet(packet: &Packet<'_>, tcp: &TcpHeader) -> Self {
        let control = Self(u32::from(tcp.flags.0) & Self::CONTROL.0);
        let bare = packet.payload_bytes == 0 && control == Self::NONE;
        let fault = tcp.options.cut || packet.super_segment || packet.fragment != Fragment::Whole;
        let ecn = packet.ecn != 0 || tcp.flags.any(TcpFlags::ECHOES);
        Self::ALL
            .or(control)
            .with(Self::PAYLOAD, packet.payload_bytes > 0)
            .with(Self::BARE_ACK, bare && tcp.flags.has(TcpFlags::ACK))
            .with(Self::TIMESTAMPS, tcp.options.timestamps.is_some())
            .with(Self::ZERO_WINDOW, tcp.window == 0)
            .with(Self::ECN, ecn)
            .with(Self::FAULT, fault)
    }

    /// What its payload is.
    pub(crate) fn of_data(data: &DataOutcome) -> Self {
        let new = data.class == SegmentClass::New;
        let odd = !new || data.below_highest || data.timeout || data.tail_probe.is_some();
        let twice = data.class == SegmentClass::CaptureDuplicate;
        let class = if new { Self::NEW } else { Self::OLD };
        class.with(Self::ODD, odd).with(Self::FAULT, twice || data.after_its_ack)
    }

    /// What it acknowledges.
    pub(crate) fn of_ack(ack: &AckOutcome) -> Self {
        let odd = ack.probed_bytes > 0 || ack.unneeded_retransmission || ack.tail_probe.is_some();
        Self::ACK
            .with(Self::ADVANCES, ack.acked_bytes > 0)
            .with(Self::RTT, ack.rtt.is_some())
            .with(Self::SACK, ack.sacked_bytes > 0 || ack.dsack.is_some())
            .with(Self::DUPLICATE, ack.duplicate.is_some())
            .with(Self::ODD, odd)
            .with(Self::FAULT, ack.recorded_twice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_packet_is_wanted_by_whoever_wants_all() {
        assert!(Events::ALL.is_all());
        assert!(!Events::CONTROL.or(Events::ACK).is_all());
        assert!(Events::NONE.with(Events::SYN, true).any(Events::CONTROL));
        assert!(!Events::NONE.with(Events::SYN, false).any(Events::CONTROL));
    }
}
