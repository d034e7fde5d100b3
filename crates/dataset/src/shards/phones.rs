//! Looks at the beginning of a capture for the addresses that belong to one phone (methods A3).
//!
//! An interface whose packets all have one host at one of their ends is that host's own. If this
//! host has an IPv4 address and an IPv6 prefix there, both are one phone's.

use std::collections::{BTreeMap, BTreeSet};

use airmile_read::{Access, Capture, Packet, Source};
use airmile_track::client;
use airmile_types::Address;

/// The number of packets at the beginning of a capture that are looked at. (Our choice: more than a
/// page load has.)
const MOST_PACKETS: u64 = 20_000;
/// At most this much of a file is read for that, because it may hold few packets of IP. (Our
/// choice.)
const MOST_BYTES: u64 = 64 << 20;
/// After this many packets, a capture with several hosts on each interface is left. (Our choice.)
const ENOUGH_PACKETS: u64 = 256;
/// The greatest number of interfaces that are distinguished. (Our choice: more than a phone has.)
const MOST_DEVICES: usize = 64;
/// A host is a client if it sent at least this many packets as a client for each that it sent as a
/// server. (Our choice: a phone may serve a little.)
const SELDOM_SERVES: u32 = 10;

/// What the beginning of a capture shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// The number of packets that were looked at.
    pub(crate) packets: u64,
    /// Whether one of the interfaces leads to a cellular network.
    pub(crate) has_cellular: bool,
    pub(crate) joined: Vec<Joined>,
}

/// Two addresses of a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Joined {
    /// The address by which the phone is known.
    pub(crate) known: Address,
    pub(crate) other: Address,
    /// Whether nothing shows that the capture was made on the phone, so that two phones may be
    /// taken for one.
    pub(crate) is_guess: bool,
}

/// Looks at the beginning of a capture, at most at `most` packets.
pub(crate) fn look(source: &Source, most: u64) -> Looked {
    let mut devices = Devices::default();
    let Ok(mut capture) = Capture::open(source) else { return Looked::default() };
    let progress = capture.progress();
    while devices.packets < most.min(MOST_PACKETS)
        && !devices.are_hopeless()
        && progress.read() <= MOST_BYTES
        && let Some(packet) = capture.next_packet()
    {
        devices.note(&packet);
    }
    devices.finish()
}

/// The interfaces of a capture.
#[derive(Default)]
struct Devices {
    packets: u64,
    all: BTreeMap<u32, Device>,
}

#[derive(Default)]
struct Device {
    access: Access,
    v4: Host,
    v6: Host,
}

/// The addresses that are an end of every packet of a device, in one family.
#[derive(Default)]
struct Host {
    packets: u64,
    candidates: Vec<Candidate>,
    /// The host that capturing put on this end of all packets; `None` if the capture does not say.
    local: Option<Address>,
    /// Whether the local end was another host before.
    differs: bool,
}

#[derive(Clone, Copy)]
struct Candidate {
    address: Address,
    /// In how many packets it was the client, and the server.
    client: u32,
    server: u32,
}

impl Devices {
    fn note(&mut self, packet: &Packet<'_>) {
        self.packets += 1;
        if self.all.len() >= MOST_DEVICES && !self.all.contains_key(&packet.interface) {
            return;
        }
        let device = self.all.entry(packet.interface).or_default();
        device.access = packet.access;
        let ends = [packet.source, packet.destination];
        let is_between_hosts = ends.iter().all(|end| end.is_host() && !end.is_link_local());
        if !is_between_hosts || packet.teid.is_some() || packet.access == Access::Loopback {
            return;
        }
        let is_v4 = packet.source.as_v4().is_some();
        let host = if is_v4 { &mut device.v4 } else { &mut device.v6 };
        host.note(packet);
    }

    /// Whether no further packet can show the addresses of one phone.
    fn are_hopeless(&self) -> bool {
        let several = |host: &Host| host.packets > 0 && host.candidates.is_empty();
        self.packets >= ENOUGH_PACKETS
            && self.all.values().all(|device| several(&device.v4) || several(&device.v6))
    }

    fn finish(self) -> Looked {
        let has_cellular = self.has_cellular();
        let mut joined: Vec<Joined> = self.all.values().filter_map(Device::joined).collect();
        joined.extend(self.translated());
        Looked { packets: self.packets, has_cellular, joined }
    }

    fn has_cellular(&self) -> bool {
        self.all.values().any(|device| device.access == Access::Cellular)
    }

    /// The address of 464XLAT (RFC 6877) with the phone's IPv6 prefix, which is on another interface
    /// and the only one there.
    fn translated(&self) -> Option<Joined> {
        let v4 = self.all.values().filter_map(|device| device.v4.address());
        let inner = v4.filter(|address| address.is_of_clat()).min()?;
        let has_cellular = self.has_cellular();
        let leads_away = |device: &&Device| match device.access {
            Access::Cellular => true,
            Access::Unknown | Access::Ethernet => !has_cellular,
            _ => false,
        };
        let mut outer =
            self.all.values().filter(leads_away).filter_map(|device| device.v6.address());
        let known = outer.next().filter(|_| outer.next().is_none())?;
        Some(Joined { known, other: inner, is_guess: false })
    }
}

impl Device {
    /// The addresses of the host whose interface this is, if it has one of each family.
    fn joined(&self) -> Option<Joined> {
        let (v4, v6) = (self.v4.address()?, self.v6.address()?);
        let (known, other) = if v4.is_of_clat() { (v6, v4) } else { (v4, v6) };
        let is_own = self.v4.local.is_some() || self.access != Access::Unknown;
        Some(Joined { known, other, is_guess: !is_own })
    }
}

impl Host {
    fn note(&mut self, packet: &Packet<'_>) {
        let ends = [packet.source.subscriber(), packet.destination.subscriber()];
        if self.packets == 0 {
            self.candidates =
                ends.map(|address| Candidate { address, client: 0, server: 0 }).into();
        }
        self.packets += 1;
        self.candidates.retain(|candidate| ends.contains(&candidate.address));
        if let Some(client) = client(packet).map(Address::subscriber) {
            for candidate in &mut self.candidates {
                let is_client = candidate.address == client;
                candidate.client += u32::from(is_client);
                candidate.server += u32::from(!is_client);
            }
        }
        let local = packet.outgoing.map(|outgoing| if outgoing { ends[0] } else { ends[1] });
        self.differs |= local.is_some() && self.local.is_some() && local != self.local;
        self.local = local.or(self.local);
    }

    /// The host's address: the capturing host's, or that of the only client.
    fn address(&self) -> Option<Address> {
        if self.differs {
            return None;
        }
        let mut clients = self
            .candidates
            .iter()
            .filter(|one| one.client >= SELDOM_SERVES.saturating_mul(one.server).max(1));
        let found = clients.next().filter(|_| clients.next().is_none());
        let found = found.map(|candidate| candidate.address);
        found.filter(|address| self.local.is_none_or(|local| local == *address))
    }
}

/// The pairs that can hold together in one run. Left out are an address of two phones, a private
/// address with several prefixes, which may be another phone's in another network, and a pair whose
/// address is the other one of another pair (methods A3).
pub(crate) fn consistent(joined: impl Iterator<Item = Joined>) -> Vec<Joined> {
    let pairs: BTreeSet<Joined> = joined.collect();
    let mut of_known: BTreeMap<Address, BTreeSet<Address>> = BTreeMap::new();
    let mut of_other = of_known.clone();
    for pair in &pairs {
        of_known.entry(pair.known).or_default().insert(pair.other);
        of_other.entry(pair.other).or_default().insert(pair.known);
    }
    let is_one = |list: &BTreeMap<Address, BTreeSet<Address>>, address: Address| {
        list.get(&address).is_some_and(|others| others.len() == 1)
    };
    let holds = |pair: &Joined| {
        let is_chained = of_known.contains_key(&pair.other) || of_other.contains_key(&pair.known);
        let is_phones = !pair.known.is_private() || is_one(&of_known, pair.known);
        is_one(&of_other, pair.other) && is_phones && !is_chained
    };
    pairs.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use airmile_read::Transport;

    use super::*;

    fn packet(source: &str, destination: &str, device: (u32, Access)) -> Packet<'static> {
        let address = |text: &str| Address::from(text.parse::<IpAddr>().unwrap());
        Packet {
            source: address(source),
            destination: address(destination),
            interface: device.0,
            access: device.1,
            transport: Transport::Udp { source_port: 40_000, destination_port: 443 },
            ..Packet::default()
        }
    }

    fn looked(packets: &[Packet<'_>]) -> Vec<(String, String, bool)> {
        let mut devices = Devices::default();
        packets.iter().for_each(|packet| devices.note(packet));
        let joined = devices.finish().joined.into_iter();
        joined.map(|j| (j.known.to_string(), j.other.to_string(), j.is_guess)).collect()
    }

    const ANY: (u32, Access) = (0, Access::Unknown);
    const RMNET: (u32, Access) = (1, Access::Cellular);
    const WLAN: (u32, Access) = (2, Access::Wlan);

    fn pair(known: &str, other: &str, is_guess: bool) -> (String, String, bool) {
        (known.to_owned(), other.to_owned(), is_guess)
    }

    #[test]
    fn the_addresses_of_one_interface_are_one_phone() {
        let packets = [
            packet("10.1.1.1", "203.0.113.9", RMNET),
            packet("2001:db8:1::7", "2001:db8:f::9", RMNET),
            packet("2001:db8:1::8", "2001:db8:f::8", RMNET),
            packet("192.168.1.2", "203.0.113.9", WLAN),
            packet("2001:db8:2::7", "2001:db8:f::9", WLAN),
        ];
        let cellular = pair("10.1.1.1", "2001:db8:1::", false);
        let wireless = pair("192.168.1.2", "2001:db8:2::", false);
        assert_eq!(looked(&packets), [cellular, wireless]);
    }

    #[test]
    fn what_nothing_shows_to_be_a_phones_interface_is_a_guess() {
        let packets =
            [packet("10.1.1.1", "203.0.113.9", ANY), packet("2001:db8:1::7", "2001:db8:f::9", ANY)];
        assert_eq!(looked(&packets), [pair("10.1.1.1", "2001:db8:1::", true)]);
    }

    #[test]
    fn two_hosts_are_two_phones() {
        let packets = [
            packet("10.1.1.1", "203.0.113.9", ANY),
            packet("10.1.1.2", "203.0.113.8", ANY),
            packet("2001:db8:1::7", "2001:db8:f::9", ANY),
        ];
        assert_eq!(looked(&packets), []);
    }

    #[test]
    fn a_server_is_no_phone() {
        let packets = [
            packet("10.1.1.1", "203.0.113.9", ANY),
            packet("10.1.1.2", "203.0.113.9", ANY),
            packet("2001:db8:1::7", "2001:db8:f::9", ANY),
        ];
        assert_eq!(looked(&packets), [], "all packets are those of the server");
    }

    #[test]
    fn the_inner_address_of_464xlat_belongs_to_the_prefix() {
        let clat = (3, Access::Cellular);
        let packets = [
            packet("192.0.0.4", "203.0.113.9", clat),
            packet("2001:db8:1::7", "64:ff9b::cb00:7109", RMNET),
        ];
        let joined = [pair("2001:db8:1::", "192.0.0.4", false)];
        assert_eq!(looked(&packets), joined);
        let cable = packet("2001:db8:2::7", "2001:db8:f::9", (4, Access::Ethernet));
        let beside = [packets, [cable.clone(), cable]].concat();
        assert_eq!(looked(&beside), joined, "a wireless LAN in a cooked capture is Ethernet");
    }

    #[test]
    fn what_captures_contradict_is_left() {
        let address = |text: &str| Address::from(text.parse::<IpAddr>().unwrap());
        let pair = |known: &str, other: &str| Joined {
            known: address(known),
            other: address(other),
            is_guess: false,
        };
        let left = |pairs: &[Joined]| consistent(pairs.iter().copied()).len();
        let one = pair("10.0.0.1", "2001:db8:1::");
        assert_eq!(left(&[one, one]), 1, "the same pair in two captures");
        assert_eq!(left(&[one, pair("10.0.0.1", "2001:db8:2::")]), 0, "perhaps two phones");
        assert_eq!(left(&[one, pair("10.0.0.2", "2001:db8:1::")]), 0, "one prefix of two phones");
        let public = [pair("198.51.100.1", "2001:db8:1::"), pair("198.51.100.1", "2001:db8:2::")];
        assert_eq!(left(&public), 2, "a phone whose prefix changed");
        let inner = pair("2001:db8:1::", "192.0.0.4");
        assert_eq!(left(&[one, inner]), 0, "a chain");
    }

    #[test]
    fn traffic_within_a_link_shows_no_phone() {
        let packets = [
            packet("10.1.1.1", "203.0.113.9", ANY),
            packet("fe80::1", "fe80::2", ANY),
            packet("2001:db8:1::7", "ff02::fb", ANY),
        ];
        assert_eq!(looked(&packets), []);
    }
}
