//! Holds the packets of an epoch for the shards that analyse them.

use std::ops::Range;

use airmile_read::{Packet, Transport};
use airmile_track::Route;
use airmile_types::Side;

/// The number of trackers among which the subscribers are divided: enough to keep as many threads
/// busy, and few enough that their unfinished batches stay small.
pub(super) const SHARDS: usize = 16;
/// The number of packets in the first epoch. Epochs double in size, so that all shards soon know
/// what a few handshakes show about the capture point.
pub(super) const FIRST_EPOCH: usize = 256;
/// The number of packets in later epochs. A packet takes about 200 bytes, so that one epoch and the
/// next are 3 MB. All shards read the same list, because lists of their own would each grow to the
/// largest share that they ever had.
pub(super) const EPOCH: usize = 8192;
/// The most bytes of payload that end an epoch, however few packets it has: more than 8192 whole
/// packets of Ethernet. Records joined by offload have up to 64 KB each.
pub(super) const EPOCH_BYTES: usize = 16 << 20;
/// The number of bytes that are kept of a payload that no analysis reads to its end: encrypted data
/// and datagrams, whose first bytes show what they are.
const PAYLOAD_KEPT: usize = 64;
const DNS_PORT: u16 = 53;
const HTTPS_PORT: u16 = 443;
/// The first bytes of the first record of a TLS handshake (RFC 8446 section 5.1), and of an
/// HTTP/1.x response.
const READ_WHOLE: [&[u8]; 2] = [&[22, 3], b"HTTP/1."];

/// The packets of one epoch.
#[derive(Default)]
pub(super) struct Epoch {
    /// The position of its first packet in the capture.
    pub(super) base: u64,
    pub(super) packets: Vec<Kept>,
    pub(super) payload: Vec<u8>,
    /// The number of its packets that this round and those before it take.
    pub(super) until: usize,
    /// For each shard, the positions of its packets in the list.
    pub(super) shares: [Vec<u32>; SHARDS],
}

pub(super) struct Kept {
    pub(super) packet: Packet<'static>,
    pub(super) route: Route,
    pub(super) payload: Range<usize>,
}

impl Epoch {
    #[inline]
    pub(super) fn keep(&mut self, packet: &Packet<'_>, route: Route, shard: usize) {
        let whole = packet.payload.len() > PAYLOAD_KEPT && is_read_whole(packet, route);
        let kept = if whole { usize::MAX } else { PAYLOAD_KEPT }.min(packet.payload.len());
        let from = self.payload.len();
        self.payload.extend_from_slice(packet.payload.get(..kept).unwrap_or_default());
        let payload = from..self.payload.len();
        if let Some(share) = self.shares.get_mut(shard) {
            share.push(self.packets.len() as u32);
        }
        let packet = Packet { payload: &[], ..packet.clone() };
        self.packets.push(Kept { packet, route, payload });
    }

    /// Whether the next packet belongs to another epoch, if `packets` packets or `bytes` bytes of
    /// payload end one.
    #[inline]
    pub(super) const fn is_over(&self, packets: usize, bytes: usize) -> bool {
        self.packets.len() >= packets || self.payload.len() >= bytes
    }

    /// The memory of the epoch, with what it keeps for the next one.
    pub(super) fn held_bytes(&self) -> u64 {
        let shares: usize = self.shares.iter().map(Vec::capacity).sum();
        let packets = self.packets.capacity() * size_of::<Kept>();
        (packets + self.payload.capacity() + shares * size_of::<u32>()) as u64
    }

    /// Begins another round with this number of packets; returns whether any are left.
    pub(super) fn go_on(&mut self, packets: usize) -> bool {
        let before = self.until;
        self.until = before.saturating_add(packets).min(self.packets.len());
        self.until > before
    }

    pub(super) fn clear(&mut self) {
        self.until = 0;
        self.packets.clear();
        self.payload.clear();
        self.shares.iter_mut().for_each(Vec::clear);
    }
}

/// Whether an analysis may read all of a payload: DNS (methods B3), what a phone sends (the
/// ClientHello may span segments), the hellos of servers, and messages in clear (methods F1).
fn is_read_whole(packet: &Packet<'_>, route: Route) -> bool {
    match &packet.transport {
        Transport::Udp { source_port, destination_port, .. } => {
            *source_port == DNS_PORT || *destination_port == DNS_PORT
        }
        Transport::Tcp(header) => {
            route.sender == Side::Ue
                || header.source_port != HTTPS_PORT
                || READ_WHOLE.iter().any(|begin| packet.payload.starts_with(begin))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use airmile_read::TcpHeader;
    use airmile_track::{Router, TrackConfig};
    use airmile_types::Address;

    use super::*;

    #[test]
    fn records_joined_by_offload_fill_an_epoch_before_its_packets_do() {
        const BYTES: usize = 65_000;
        let payload = vec![0; BYTES];
        let packet = Packet {
            source: Address::v4([203, 0, 113, 9]),
            destination: Address::v4([10, 0, 0, 1]),
            transport: Transport::Tcp(TcpHeader { source_port: 5201, ..TcpHeader::default() }),
            payload: &payload,
            ..Packet::default()
        };
        let route = Router::new(&TrackConfig::default()).route(&packet);
        let mut epoch = Epoch::default();
        while !epoch.is_over(EPOCH, EPOCH_BYTES) {
            epoch.keep(&packet, route, 0);
        }
        assert!(epoch.payload.len() < EPOCH_BYTES + BYTES);
    }
}
