//! Defines the key of a flow: its two ends and its protocol.

use airmile_read::{Packet, TcpFlags, Transport};
use airmile_types::{Address, Instant};

use super::side::ports;
use super::table::{Key, mix, mix_wide, unique};

/// Addresses and ports, with the smaller end first so that both directions have the same key. The
/// size is 48 bytes, and each flow has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FlowKey {
    pub(super) low: Address,
    pub(super) high: Address,
    /// The port of the lower end, the port of the higher end, and the protocol, packed into one
    /// word that is compared at once.
    ports: u64,
}

impl Key for FlowKey {
    /// The hash is computed for each packet, and is therefore cheap: one multiplication for each
    /// end.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "bits that are packed")]
    fn hash(&self) -> u64 {
        let fold = |address: Address| {
            let bits = address.bits();
            bits as u64 ^ ((bits >> 64) as u64).rotate_left(29)
        };
        let low = fold(self.low).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let high = fold(self.high).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mix(low ^ high.rotate_left(32) ^ self.ports)
    }
}

impl FlowKey {
    pub(super) fn of(packet: &Packet<'_>) -> Self {
        Self::with_sender(packet).0
    }

    /// Makes the key of a packet, and says whether the lower end sent the packet. If both ends are
    /// equal, the answer is always yes.
    #[inline]
    pub(super) fn with_sender(packet: &Packet<'_>) -> (Self, bool) {
        let (source_port, destination_port) = ports(packet);
        let (a, b) = ((packet.source, source_port), (packet.destination, destination_port));
        let by_lower = a <= b;
        let ((low, low_port), (high, high_port)) = if by_lower { (a, b) } else { (b, a) };
        let ports =
            u64::from(low_port) << 32 | u64::from(high_port) << 8 | u64::from(packet.ip_protocol);
        (Self { low, high, ports }, by_lower)
    }

    #[expect(clippy::cast_possible_truncation, reason = "bits that are packed")]
    pub(super) const fn low_port(&self) -> u16 {
        (self.ports >> 32) as u16
    }

    #[expect(clippy::cast_possible_truncation, reason = "bits that are packed")]
    pub(super) const fn high_port(&self) -> u16 {
        (self.ports >> 8) as u16
    }

    /// The hash that identifies the flow in output tables. Unlike the hash for the index, it must
    /// never change.
    fn identity(&self) -> u64 {
        let (low, high) = (mix_wide(self.low.bits()), mix_wide(self.high.bits()));
        mix(low ^ high.rotate_left(32) ^ self.ports)
    }

    /// The identifier of a flow, derived from its first packet; `sequence` is 0 unless the flow is
    /// TCP.
    pub(super) fn uid(&self, start: Instant, sequence: u32, place: u64) -> u64 {
        unique(self.identity() ^ mix(start.as_nanos() as u64) ^ u64::from(sequence), place)
    }
}

/// Whether the packet is a SYN or SYN-ACK, which alone is no sign of a live connection.
pub(super) fn is_attempt(packet: &Packet<'_>) -> bool {
    matches!(&packet.transport, Transport::Tcp(tcp) if tcp.flags.has(TcpFlags::SYN))
}
