//! Finds the subscriber of a packet before its flow is looked up, which is needed to divide the
//! work by subscriber (methods A2, A3).

use std::collections::HashMap;

use airmile_read::{Packet, TcpFlags, Transport, announced, may_announce};
use airmile_types::{Address, Side};

use super::bearers::Bearers;
use super::config::TrackConfig;
use super::generations::{Generations, held_bytes};
use super::guesses::Guesses;
use super::key::{FlowKey, is_attempt};
use super::side::{self, SideFinder};
use super::table::Key;
use super::translated::Translated;

/// The sender of a packet, and the subscriber to whom the packet belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The side that sent the packet.
    pub sender: Side,
    /// The phone's IPv4 address, or the /64 prefix of its IPv6 address. If the tunnel of a phone
    /// carried both, it is the one that was seen first; if the phone has several addresses for
    /// another reason ([`Router::join`]), it is the first of them. [`Route::NOBODY`] for traffic
    /// that is no subscriber's.
    pub subscriber: Address,
    /// Whether the phone also recorded the packet in another form (464XLAT), so that this record is
    /// left out.
    pub copy: bool,
}

impl Route {
    /// What stands in place of a subscriber for traffic within a link: from or to a link-local,
    /// multicast or unspecified address (methods A2).
    pub const NOBODY: Address = Address::v6([0; 16]);

    /// A number that spreads subscribers evenly; it is the same for all packets of a subscriber.
    pub fn spread(&self) -> u64 {
        Key::hash(&self.subscriber)
    }
}

/// Finds for each packet which of its two ends is the phone. The answer is the same for all packets
/// of a flow.
///
/// If addresses show it, nothing is remembered. Otherwise each flow is remembered. At least the
/// newest 65,536 flows are kept, so memory is bounded.
#[derive(Debug)]
pub struct Router {
    sides: SideFinder,
    /// Pairs of addresses that show which one is the phone; looked up with each packet.
    pairs: Box<[Pair; PAIRS]>,
    flows: Generations<FlowKey, Ends>,
    phones: Generations<Address, ()>,
    translated: Translated,
    /// Bytes of payload that an address received in flows whose phone side was guessed.
    received: Generations<Address, u64>,
    bearers: Bearers,
    /// For the further addresses of phones, the address by which the phone is known.
    joined: HashMap<Address, Address>,
    /// The prefixes of phones that have been seen.
    prefixes: Generations<Address, ()>,
    guesses: Guesses,
}

/// A pair of addresses that shows which one is the phone.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    source: Address,
    destination: Address,
    route: Option<Route>,
}

/// The greatest number of further addresses of phones; later ones count as phones of their own.
const MOST_JOINED: usize = 1 << 20;

/// The number of pairs that are kept: those of the flows that are busy at the same time.
const PAIRS: usize = 256;

/// Which end of a flow is the phone.
#[derive(Clone, Copy, Debug)]
struct Ends {
    lower_is_ue: bool,
    guessed: bool,
    /// Whether a FIN or a RST of a guessed flow has passed.
    ended: bool,
}

impl Router {
    /// A router that has seen no packet.
    pub fn new(config: &TrackConfig) -> Self {
        Self {
            sides: SideFinder::new(config.ue_nets.clone()),
            pairs: Box::new([Pair::default(); PAIRS]),
            flows: Generations::default(),
            phones: Generations::default(),
            received: Generations::default(),
            bearers: Bearers::new(config.session_gap),
            translated: Translated::default(),
            joined: HashMap::new(),
            prefixes: Generations::default(),
            guesses: Guesses::default(),
        }
    }

    /// Notes that an address, or a prefix of 64 bits, is another one of the phone `known`.
    pub fn join(&mut self, known: Address, other: Address) {
        let (known, other) = (known.subscriber(), other.subscriber());
        if self.joined.len() >= MOST_JOINED {
            return;
        }
        let known = self.joined.get(&known).copied().unwrap_or(known);
        if known != other {
            self.joined.insert(other, known);
        }
    }

    /// Joins a prefix that the network gave to a phone, unless it has been seen: all packets of a
    /// flow have the same subscriber.
    fn join_unseen(&mut self, known: Address, prefix: Address) {
        if !self.prefixes.has(&prefix) {
            self.join(known, prefix);
        }
    }

    /// The route of this packet. Packets come in capture order.
    #[inline]
    pub fn route(&mut self, packet: &Packet<'_>) -> Route {
        match self.at_hand(packet) {
            Some(route) => {
                debug_assert_eq!(self.by_addresses(packet), Some(route.sender), "once and for all");
                route
            }
            None => self.any_route(packet),
        }
    }

    /// The result of [`Self::any_route`] for a pair of addresses that shows which one is the phone,
    /// if no packet of the pair is left out.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "a remainder of the list's length")]
    fn at_hand(&self, packet: &Packet<'_>) -> Option<Route> {
        let pair = &self.pairs[place(packet)];
        let same = pair.source == packet.source && pair.destination == packet.destination;
        let settled =
            same && packet.teid.is_none() && !is_attempt(packet) && self.leaves_out_nothing();
        let settled = settled && !may_announce(packet);
        pair.route.filter(|_| settled)
    }

    #[inline(never)]
    #[expect(clippy::indexing_slicing, reason = "a remainder of the list's length")]
    fn any_route(&mut self, packet: &Packet<'_>) -> Route {
        let known = self.by_addresses(packet);
        let (sender, opens) = match known {
            Some(sender) => (sender, false),
            None => self.remembered(packet),
        };
        let ue = match sender {
            Side::Ue => packet.source,
            Side::Server => packet.destination,
        };
        if let Some((v4, prefix)) = announced(packet) {
            self.join_unseen(v4, prefix);
        }
        if packet.ip_version == 6 {
            self.prefixes.insert(ue.subscriber(), ());
        }
        let own = self.joined.get(&ue.subscriber()).copied().unwrap_or_else(|| ue.subscriber());
        let subscriber = match packet.teid {
            _ if is_nobodys(packet, ue) => Route::NOBODY,
            None => own,
            Some(teid) => self.bearers.subscriber(teid, own, packet.time, opens),
        };
        let mut copy = false;
        if let Transport::Tcp(tcp) = &packet.transport {
            if tcp.flags.has(TcpFlags::SYN) {
                self.phones.insert(ue.subscriber(), ());
                self.translated.note(packet, tcp);
            }
            copy = self.translated.leaves_out(packet);
        }
        if known.is_some() {
            let route = Some(Route { sender, subscriber, copy: false });
            let Packet { source, destination, .. } = *packet;
            self.pairs[place(packet)] = Pair { source, destination, route };
        }
        Route { sender, subscriber, copy }
    }

    /// The bytes of what is remembered of flows, phones and tunnels.
    pub fn held_bytes(&self) -> u64 {
        let lists = [
            self.flows.held_bytes(),
            self.phones.held_bytes(),
            self.received.held_bytes(),
            self.translated.held_bytes(),
            self.bearers.held_bytes(),
            self.prefixes.held_bytes(),
            held_bytes(&self.joined),
        ];
        lists.iter().sum::<usize>() as u64
    }

    /// The bytes that [`Router::forget_tunnels`] frees.
    pub fn tunnels_bytes(&self) -> u64 {
        self.bearers.tunnels_bytes() as u64
    }

    /// Forgets whose each tunnel is, because memory is short. A phone whose second address comes
    /// later is recognised only after its first address was seen in the tunnel again.
    pub fn forget_tunnels(&mut self) {
        self.bearers.clear();
    }

    /// As [`SideFinder::by_addresses`], whose result is the same for each packet of a pair of
    /// addresses.
    pub(super) fn by_addresses(&self, packet: &Packet<'_>) -> Option<Side> {
        self.sides.by_addresses(packet)
    }

    /// Whether the router knows of no connection that the phone recorded in two forms.
    #[inline]
    pub(super) fn leaves_out_nothing(&self) -> bool {
        self.translated.is_empty()
    }

    /// The number of packets left out because the phone recorded them both in IPv4 and in IPv6.
    pub const fn copies(&self) -> u64 {
        self.translated.packets()
    }

    /// As [`SideFinder::named_ends`].
    pub(super) fn named_ends(&self, packet: &Packet<'_>) -> Option<usize> {
        self.sides.named_ends(packet)
    }

    /// The flows between two hosts of which nothing shows which one is the phone, so that it was
    /// guessed.
    pub const fn guesses(&self) -> Guesses {
        self.guesses
    }

    /// The side that was decided for the flow's first packet and holds for all its packets, and
    /// whether this packet is the first. A SYN after the end of a connection shows what was only
    /// guessed of that connection; a SYN within one may be late, or not the host's.
    fn remembered(&mut self, packet: &Packet<'_>) -> (Side, bool) {
        self.sides.learn(packet);
        let (key, sends_lower) = FlowKey::with_sender(packet);
        let shown = |ends: &Ends| ends.ended && has_flag(packet, TcpFlags::SYN);
        let known = self.flows.get(&key).copied().filter(|ends| !shown(ends));
        let ends = known.unwrap_or_else(|| self.first(key, packet, sends_lower));
        if ends.guessed && has_flag(packet, TcpFlags::FIN | TcpFlags::RST) {
            self.flows.insert(key, Ends { ended: true, ..ends });
        }
        if ends.guessed && packet.payload_bytes > 0 {
            let bytes = self.received.get(&packet.destination).copied().unwrap_or(0);
            self.received.insert(packet.destination, bytes + u64::from(packet.payload_bytes));
        }
        let sender = if ends.lower_is_ue == sends_lower { Side::Ue } else { Side::Server };
        (sender, known.is_none())
    }

    fn first(&mut self, key: FlowKey, packet: &Packet<'_>, sends_lower: bool) -> Ends {
        let (sender, guessed) = match self.sides.certain(packet) {
            Some(sender) => (sender, false),
            None => self.guess(packet),
        };
        let ends = Ends { lower_is_ue: (sender == Side::Ue) == sends_lower, guessed, ended: false };
        self.flows.insert(key, ends);
        ends
    }

    /// Guesses the sender of a flow's first packet, and says whether that is a guess at a phone: of
    /// two addresses that are no host's, none is one.
    fn guess(&mut self, packet: &Packet<'_>) -> (Side, bool) {
        let (phones, received) = (&self.phones, &self.received);
        let (sender, guess) = side::guess(
            packet,
            |a| phones.has(&a.subscriber()),
            |a| received.peek(&a).copied().unwrap_or(0),
        );
        let guessed = packet.source.is_host() && packet.destination.is_host();
        if guessed {
            self.guesses.add(guess);
        }
        (sender, guessed)
    }
}

/// Whether a packet is no subscriber's: it stays within a link.
fn is_nobodys(packet: &Packet<'_>, ue: Address) -> bool {
    let within = !packet.source.is_host() || !packet.destination.is_host();
    !ue.is_host() || ue.is_link_local() || (within && packet.teid.is_none())
}

/// Whether the packet has one of these TCP flags.
fn has_flag(packet: &Packet<'_>, flags: TcpFlags) -> bool {
    matches!(&packet.transport, Transport::Tcp(tcp) if tcp.flags.any(flags))
}

/// The index at which the pair of a packet's addresses is kept.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a hash")]
fn place(packet: &Packet<'_>) -> usize {
    let pair = packet.source.bits() as u64 ^ (packet.destination.bits() as u64) << 32;
    (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % PAIRS
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use airmile_read::TcpHeader;

    use super::*;

    fn udp(source: [u8; 4], destination: [u8; 4], port: u16) -> Packet<'static> {
        Packet {
            source: Address::v4(source),
            destination: Address::v4(destination),
            transport: Transport::Udp { source_port: port, destination_port: port },
            payload_bytes: 100,
            ..Packet::default()
        }
    }

    fn phone(router: &mut Router, packet: &Packet<'_>) -> String {
        router.route(packet).subscriber.to_string()
    }

    /// Methods A2: the host is the end that is looked for, although the traffic is no subscriber's.
    #[test]
    fn an_address_of_no_host_is_no_phone() {
        let mut router = Router::new(&TrackConfig::default());
        for other in [[255, 255, 255, 255], [224, 0, 0, 251], [239, 255, 255, 250], [0, 0, 0, 0]] {
            for host in [[192, 168, 2, 17], [203, 0, 113, 5]] {
                for (packet, sender) in
                    [(udp(host, other, 5353), Side::Ue), (udp(other, host, 5353), Side::Server)]
                {
                    let route = router.route(&packet);
                    assert_eq!((route.sender, route.subscriber), (sender, Route::NOBODY));
                }
            }
        }
        assert_eq!(router.guesses().all(), 0);
    }

    #[test]
    fn a_router_solicitation_in_a_tunnel_says_nothing_of_the_phone() {
        let address = |text: &str| Address::from(text.parse::<IpAddr>().expect("an address"));
        let mut router = Router::new(&TrackConfig::default());
        for (teid, v4, prefix) in [(1, 1, "2001:db8:1::7"), (2, 2, "2001:db8:2::7")] {
            let solicitation = Packet {
                source: address("fe80::9"),
                destination: address("ff02::2"),
                ip_version: 6,
                teid: Some(teid),
                ..Packet::default()
            };
            assert_eq!(router.route(&solicitation).subscriber, Route::NOBODY);
            let own = Address::v4([10, 0, 0, v4]);
            let first = udp([10, 0, 0, v4], [203, 0, 113, 9], 443);
            let first = Packet { teid: Some(teid), ..first };
            assert_eq!(router.route(&first).subscriber, own);
            let second = Packet {
                source: address(prefix),
                destination: address("2001:db8:f::9"),
                transport: Transport::Udp { source_port: 40_000, destination_port: 443 },
                ..solicitation
            };
            assert_eq!(router.route(&second).subscriber, own);
        }
    }

    #[test]
    fn a_further_address_of_a_phone_leads_to_the_phone() {
        let address = |text: &str| Address::from(text.parse::<IpAddr>().expect("an address"));
        let v6 = |source: &str| Packet {
            source: address(source),
            destination: address("2001:db8:f::9"),
            ip_version: 6,
            transport: Transport::Udp { source_port: 40_000, destination_port: 443 },
            ..Packet::default()
        };
        let mut router = Router::new(&TrackConfig::default());
        router.join(Address::v4([10, 0, 0, 1]), address("2001:db8:1::7"));
        assert_eq!(phone(&mut router, &v6("2001:db8:1::8")), "10.0.0.1");
        assert_eq!(phone(&mut router, &v6("2001:db8:2::8")), "2001:db8:2::");
    }

    #[test]
    fn a_broadcast_within_a_network_is_no_phone_and_no_guess() {
        let mut router = Router::new(&TrackConfig::default());
        let packet = udp([192, 168, 2, 17], [192, 168, 2, 255], 57_621);
        for _ in 0..3 {
            assert_eq!(phone(&mut router, &packet), "192.168.2.17");
        }
        assert_eq!(
            phone(&mut router, &udp([192, 168, 2, 1], [192, 168, 2, 255], 17_500)),
            "192.168.2.1"
        );
        assert_eq!(router.guesses().all(), 0);
    }

    #[test]
    fn flows_outside_of_tunnels_take_no_memory_for_tunnels() {
        let mut router = Router::new(&TrackConfig::default());
        for port in 0..1000 {
            router.route(&udp([192, 168, 2, 17], [192, 168, 2, 18], port));
        }
        assert!(router.held_bytes() > 0 && router.tunnels_bytes() == 0);
        for port in 1000..1100 {
            let packet = udp([192, 168, 2, 17], [192, 168, 2, 18], port);
            router.route(&Packet { teid: Some(u32::from(port)), ..packet });
        }
        assert!(router.tunnels_bytes() > 0);
        router.forget_tunnels();
        assert_eq!(router.tunnels_bytes(), 0);
    }

    #[test]
    fn a_syn_after_the_end_shows_whose_the_ports_are_that_were_guessed() {
        let tcp = |source: u8, destination: u8, (from, to): (u16, u16), flags| Packet {
            source: Address::v4([192, 168, 2, source]),
            destination: Address::v4([192, 168, 2, destination]),
            transport: Transport::Tcp(TcpHeader {
                source_port: from,
                destination_port: to,
                flags,
                ..TcpHeader::default()
            }),
            ..Packet::default()
        };
        let mut router = Router::new(&TrackConfig::default());
        let ack = tcp(17, 18, (9080, 3330), TcpFlags::ACK);
        assert_eq!(phone(&mut router, &ack), "192.168.2.17", "a guess by the bare ACK");
        let syn = tcp(18, 17, (3330, 9080), TcpFlags::SYN);
        assert_eq!(phone(&mut router, &syn), "192.168.2.17", "late, or not the host's");
        router.route(&tcp(18, 17, (3330, 9080), TcpFlags::FIN | TcpFlags::ACK));
        assert_eq!(phone(&mut router, &syn), "192.168.2.18");
        assert_eq!(phone(&mut router, &ack), "192.168.2.18");
    }

    #[test]
    fn a_flow_without_a_host_is_no_guess() {
        let mut router = Router::new(&TrackConfig::default());
        router.route(&udp([0, 0, 0, 0], [255, 255, 255, 255], 68));
        let [unspecified, all_nodes] = ["::", "ff02::1:ff00:1"]
            .map(|text| Address::from(text.parse::<IpAddr>().expect("an address")));
        router.route(&Packet { source: unspecified, destination: all_nodes, ..Packet::default() });
        assert_eq!(router.guesses().all(), 0);
    }

    #[test]
    fn a_flow_between_hosts_that_nothing_distinguishes_is_one_guess() {
        let mut router = Router::new(&TrackConfig::default());
        for (source, destination) in [(17, 18), (18, 17), (17, 18)] {
            router.route(&udp([192, 168, 2, source], [192, 168, 2, destination], 57_621));
        }
        assert_eq!(router.guesses().all(), 1, "each flow counts once");
    }
}
