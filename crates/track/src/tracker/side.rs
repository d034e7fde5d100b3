//! Finds out which of two addresses is the phone (methods A2).

use std::cmp::Ordering;
use std::collections::HashMap;

use airmile_read::{Packet, TcpFlags, Transport};
use airmile_types::{Address, Side};

use super::guesses::Guess;

/// The greatest number of tunnels remembered; beyond it all are forgotten and learnt again.
const TUNNELS: usize = 1 << 20;
/// The payload of the smallest full segment, which a sender with much data fills (RFC 9293 section
/// 3.7.1).
const WHOLE_SEGMENT: u32 = 536;
/// The first port that phones give to connections that they open: that of Linux
/// (`ip_local_port_range`); other systems begin at 49,152 (RFC 6335 section 6).
const FIRST_CLIENT_PORT: u16 = 32_768;

/// The addresses seen in one GTP-U tunnel.
#[derive(Clone, Copy, Debug)]
struct Tunnel {
    source: Address,
    destination: Address,
    source_varies: bool,
    destination_varies: bool,
}

#[derive(Debug, Default)]
pub(super) struct SideFinder {
    networks: Vec<(Address, u8)>,
    tunnels: HashMap<u32, Tunnel>,
}

impl SideFinder {
    pub(super) fn new(networks: Vec<(Address, u8)>) -> Self {
        Self { networks, ..Self::default() }
    }

    /// The sender as the addresses of a packet alone show it. The result is the same for all
    /// packets between these addresses. Within a tunnel, the tunnel's history takes precedence.
    #[inline(never)]
    pub(super) fn by_addresses(&self, packet: &Packet<'_>) -> Option<Side> {
        if packet.teid.is_some() {
            return None;
        }
        let network = if self.networks.is_empty() { None } else { self.by_network(packet) };
        network
            .or_else(|| by_difference(packet, Address::is_host))
            .or_else(|| by_difference(packet, Address::is_private))
    }

    /// Learns which address occurs in all packets of a tunnel.
    pub(super) fn learn(&mut self, packet: &Packet<'_>) {
        let Some(teid) = packet.teid else { return };
        if self.tunnels.len() >= TUNNELS {
            self.tunnels.clear();
        }
        let fresh = Tunnel {
            source: packet.source,
            destination: packet.destination,
            source_varies: false,
            destination_varies: false,
        };
        let tunnel = self.tunnels.entry(teid).or_insert(fresh);
        tunnel.source_varies |= tunnel.source != packet.source;
        tunnel.destination_varies |= tunnel.destination != packet.destination;
    }

    /// The sender of a flow's first packet, if there is evidence for it; `None` if it must be
    /// guessed.
    pub(super) fn certain(&self, packet: &Packet<'_>) -> Option<Side> {
        self.by_network(packet)
            .or_else(|| by_difference(packet, Address::is_host))
            .or_else(|| self.by_tunnel(packet))
            .or_else(|| by_difference(packet, Address::is_private))
            .or_else(|| by_handshake(packet))
            .or_else(|| by_service(packet))
            .or_else(|| by_difference(packet, |address| !is_likely_broadcast(address)))
    }

    fn by_network(&self, packet: &Packet<'_>) -> Option<Side> {
        by_difference(packet, |address| self.is_named(address))
    }

    /// Whether an address is in a network that the user gave.
    fn is_named(&self, address: Address) -> bool {
        self.networks.iter().any(|(net, length)| contains(*net, *length, address))
    }

    /// How many ends of a flow between two hosts are in the networks that the user gave; `None` if
    /// the user gave none.
    pub(super) fn named_ends(&self, packet: &Packet<'_>) -> Option<usize> {
        let ends = [packet.source, packet.destination];
        let asked = !self.networks.is_empty() && ends.iter().all(|end| end.is_host());
        asked.then(|| ends.iter().filter(|&&end| self.is_named(end)).count())
    }

    fn by_tunnel(&self, packet: &Packet<'_>) -> Option<Side> {
        let tunnel = self.tunnels.get(&packet.teid?)?;
        match (tunnel.source_varies, tunnel.destination_varies) {
            (false, true) => Some(Side::Ue),
            (true, false) => Some(Side::Server),
            _ => None,
        }
    }
}

fn by_difference(packet: &Packet<'_>, is_ue: impl Fn(Address) -> bool) -> Option<Side> {
    match (is_ue(packet.source), is_ue(packet.destination)) {
        (true, false) => Some(Side::Ue),
        (false, true) => Some(Side::Server),
        _ => None,
    }
}

fn by_handshake(packet: &Packet<'_>) -> Option<Side> {
    let Transport::Tcp(tcp) = &packet.transport else { return None };
    if !tcp.flags.has(TcpFlags::SYN) {
        return None;
    }
    Some(if tcp.flags.has(TcpFlags::ACK) { Side::Server } else { Side::Ue })
}

/// The sender, if exactly one end has a service port, which the programs of a client are not given.
fn by_service(packet: &Packet<'_>) -> Option<Side> {
    let (source, destination) = ports(packet);
    match (is_service(source), is_service(destination)) {
        (true, false) => Some(Side::Server),
        (false, true) => Some(Side::Ue),
        _ => None,
    }
}

/// Whether a port is a service port: a system port (RFC 6335 section 6), or the port of HTTP
/// proxies, which methods A7 also counts as a service.
const fn is_service(port: u16) -> bool {
    matches!(port, 1..=1023 | 8080)
}

/// The end of a packet that is the client, whatever the addresses are: the sender of the SYN, or the
/// end whose peer alone uses a port of servers (methods A2, rules 5 and 6).
pub fn client(packet: &Packet<'_>) -> Option<Address> {
    let sender = by_handshake(packet).or_else(|| by_service(packet))?;
    Some(if sender == Side::Ue { packet.source } else { packet.destination })
}

/// Guesses the sender of a flow's first packet, and says by what: the side whose port is a client's,
/// or else the side that receives more, is the phone.
/// `received` gives the bytes that an address has received in such flows; `known` says whether an
/// address is already known to be a phone's.
pub(super) fn guess(
    packet: &Packet<'_>,
    known: impl Fn(Address) -> bool,
    received: impl Fn(Address) -> u64,
) -> (Side, Guess) {
    let by = |guess| move |side| (side, guess);
    by_range(packet)
        .map(by(Guess::ClientPort))
        .or_else(|| by_received(packet, received).map(by(Guess::Received)))
        .or_else(|| by_difference(packet, known).map(by(Guess::PhoneBefore)))
        .or_else(|| by_first_packet(packet).map(by(Guess::FirstPacket)))
        .unwrap_or_else(|| (by_ports(packet), Guess::HigherPort))
}

/// The sender, if exactly one end has a port that systems give to clients. A server listens on the
/// same port for all its connections, so that all of them get the same phone.
fn by_range(packet: &Packet<'_>) -> Option<Side> {
    let (source, destination) = ports(packet);
    match (source >= FIRST_CLIENT_PORT, destination >= FIRST_CLIENT_PORT) {
        (true, false) => Some(Side::Ue),
        (false, true) => Some(Side::Server),
        _ => None,
    }
}

/// Whether an address is the broadcast address of its network (RFC 919 section 7), if the length of
/// the network's prefix is at most 24, as in most local networks.
fn is_likely_broadcast(address: Address) -> bool {
    address.as_v4().is_some_and(|v4| v4.octets()[3] == 255)
}

fn by_received(packet: &Packet<'_>, received: impl Fn(Address) -> u64) -> Option<Side> {
    match received(packet.source).cmp(&received(packet.destination)) {
        Ordering::Greater => Some(Side::Ue),
        Ordering::Less => Some(Side::Server),
        Ordering::Equal => None,
    }
}

/// In mid-stream, a full segment goes to the receiving side, and a bare ACK comes from it.
fn by_first_packet(packet: &Packet<'_>) -> Option<Side> {
    let Transport::Tcp(tcp) = &packet.transport else { return None };
    if packet.payload_bytes >= WHOLE_SEGMENT {
        return Some(Side::Server);
    }
    let bare = packet.payload_bytes == 0 && tcp.flags.has(TcpFlags::ACK);
    (bare && !tcp.flags.any(TcpFlags::FIN | TcpFlags::RST)).then_some(Side::Ue)
}

/// The last resort: servers listen on the lower port, and servers send more than they receive.
fn by_ports(packet: &Packet<'_>) -> Side {
    let (source, destination) = ports(packet);
    if source < destination { Side::Server } else { Side::Ue }
}

/// The two ports; 0 if there are none. For an ICMP echo both are the identifier.
pub(super) const fn ports(packet: &Packet<'_>) -> (u16, u16) {
    match &packet.transport {
        Transport::Tcp(tcp) => (tcp.source_port, tcp.destination_port),
        Transport::Udp { source_port, destination_port } => (*source_port, *destination_port),
        Transport::Echo { id, .. } => (*id, *id),
        Transport::None => (0, 0),
    }
}

fn contains(network: Address, length: u8, address: Address) -> bool {
    let shift = if network.as_v4().is_some() {
        32u32.saturating_sub(length.into())
    } else {
        128u32.saturating_sub(length.into())
    };
    let same_family = network.as_v4().is_some() == address.as_v4().is_some();
    same_family && (network.bits() ^ address.bits()).checked_shr(shift).unwrap_or(0) == 0
}
