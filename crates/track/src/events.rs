//! Defines the set of a packet's events, so that an analysis is not called for packets that it does
//! not need.

use airmile_read::{Fragment, Packet, TcpFlags, TcpHeader};

use crate::outcomes::{AckOutcome, DataOutcome, PlainAck, SegmentClass};

/// A set of events of one packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events(u32);

impl Events {
    /// The set without any event.
    pub const NONE: Self = Self(0);
    /// FIN is set. This bit and the next two have the same positions as in the TCP header.
    pub const FIN: Self = Self(0x01);
    /// SYN is set.
    pub const SYN: Self = Self(0x02);
    /// RST is set.
    pub const RST: Self = Self(0x04);
    /// At least one of SYN, FIN and RST is set.
    pub const CONTROL: Self = Self(0x07);
    /// The packet carries payload, even if all of it lies outside the window.
    pub const PAYLOAD: Self = Self(1 << 3);
    /// The payload is of class `New`.
    pub const NEW: Self = Self(1 << 4);
    /// The payload is of another class than `New`.
    pub const OLD: Self = Self(1 << 5);
    /// The data differs from that of a loss-free flow: by its class, its order, a timeout, a window
    /// probe, a repeated SYN or FIN, or the answer to a probe.
    pub const ODD: Self = Self(1 << 6);
    /// The packet has an acknowledgement number.
    pub const ACK: Self = Self(1 << 7);
    /// The packet acknowledges, and carries neither payload nor SYN, FIN or RST.
    pub const BARE_ACK: Self = Self(1 << 8);
    /// The packet is the first to acknowledge some bytes.
    pub const ADVANCES: Self = Self(1 << 9);
    /// The packet gives an RTT sample.
    pub const RTT: Self = Self(1 << 10);
    /// The packet reports bytes by SACK for the first time, or by D-SACK.
    pub const SACK: Self = Self(1 << 11);
    /// The packet is a duplicate ACK.
    pub const DUPLICATE: Self = Self(1 << 12);
    /// The window field is 0.
    pub const ZERO_WINDOW: Self = Self(1 << 13);
    /// The packet has TCP timestamps.
    pub const TIMESTAMPS: Self = Self(1 << 14);
    /// The ECN bits of the packet are not 0, or the packet echoes such bits.
    pub const ECN: Self = Self(1 << 15);
    /// The packet's record has a fault, or holds several segments.
    pub const FAULT: Self = Self(1 << 16);
    /// After the packet, a loss episode is in progress in either direction.
    pub const RECOVERY: Self = Self(1 << 17);
    /// The packet is a keep-alive or a window probe, and has no payload.
    pub const ASKS: Self = Self(1 << 18);
    /// An event that every packet has.
    pub const ALL: Self = Self(1 << 31);

    /// The events of both sets.
    #[must_use]
    #[inline]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set contains at least one event of `wanted`.
    #[inline]
    pub const fn any(self, wanted: Self) -> bool {
        self.0 & wanted.0 != 0
    }

    /// Whether the set contains the event that every packet has.
    #[inline]
    pub const fn is_all(self) -> bool {
        self.any(Self::ALL)
    }

    /// The set with `event` added if `holds` is true.
    #[must_use]
    #[inline]
    pub(crate) const fn with(self, event: Self, holds: bool) -> Self {
        // A multiplication by a constant power of two becomes a shift; choosing between two sets
        // would be a branch.
        self.or(Self(event.0 * holds as u32))
    }

    /// The events from the headers of a packet of the plain lane (`tracker/plain.rs`), which
    /// acknowledges, has no SYN, FIN or RST, and is captured with all its options.
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

    /// The events of a plain ACK's acknowledgement.
    #[inline]
    pub(crate) const fn of_plain_ack(ack: &PlainAck) -> Self {
        Self::ACK
            .with(Self::ADVANCES, ack.covered.acked_bytes > 0)
            .with(Self::RTT, ack.covered.rtt.is_some())
            .with(Self::FAULT, ack.recorded_twice)
    }

    /// The events from the headers of any packet.
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

    /// The events of a packet's payload.
    pub(crate) fn of_data(data: &DataOutcome) -> Self {
        let new = data.class == SegmentClass::New;
        let odd = !new || data.below_highest || data.timeout || data.tail_probe.is_some();
        let twice = data.class == SegmentClass::CaptureDuplicate;
        let class = if new { Self::NEW } else { Self::OLD };
        class.with(Self::ODD, odd).with(Self::FAULT, twice || data.after_its_ack)
    }

    /// The events of a packet's acknowledgement.
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
