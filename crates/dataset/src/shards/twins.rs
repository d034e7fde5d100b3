//! Finds packets that two captures of a run both hold (methods A1).
//!
//! Copies that were recorded at one place are left out: each packet counts once. If two captures
//! hold the same packets at different places, no row of a flow would be right, because a packet on
//! its way is no retransmission.

use std::collections::BTreeMap;

use airmile_read::{Packet, TcpHeader, Transport};
use airmile_types::{Address, Duration, Instant};

/// The number of packets that are remembered.
const PLACES: usize = 1 << 16;
/// Two records of a packet at one place are at most this far apart. (Our choice: more than two
/// captures of one interface differ, less than a way through a router with a radio behind it.)
pub(super) const AT_ONE_PLACE: Duration = Duration::from_millis(1);
/// This number of packets shows that two captures hold the same traffic. (Our choice: single ones may agree
/// by chance where a connection has no timestamps.)
const ENOUGH: u32 = 16;

/// The packets of captures that are read at the same time.
pub(crate) struct Twins {
    recent: Vec<Option<Seen>>,
    /// By two captures and the direction, which is that from the lower address or not: clocks that
    /// differ by the delay of one direction make its packets look like copies.
    pairs: BTreeMap<(u32, u32, bool), Shared>,
    left_out: u64,
}

/// How many packets of one direction two captures both hold.
#[derive(Clone, Copy, Default)]
struct Shared {
    /// At one place.
    copies: u32,
    /// At different places.
    apart: u32,
}

/// A packet of one capture.
#[derive(Clone, Copy)]
struct Seen {
    key: u64,
    capture: u32,
    time: Instant,
    source: Address,
}

impl Twins {
    /// No packet has been seen.
    pub(crate) const fn new() -> Self {
        Self { recent: Vec::new(), pairs: BTreeMap::new(), left_out: 0 }
    }

    /// Takes a packet of one of several captures; returns whether another capture has recorded it
    /// at the same place, so that it is left out.
    pub(crate) fn is_copy(&mut self, packet: &Packet<'_>) -> bool {
        if self.recent.is_empty() {
            self.recent.resize(PLACES, None);
        }
        let identity = u64::from(packet.ip_id) << 8 | u64::from(packet.hop_limit);
        let Transport::Tcp(tcp) = &packet.transport else {
            return self.is_copied_datagram(mixed(of_datagram(packet), identity), packet);
        };
        let anywhere = key(packet, tcp);
        let here = mixed(anywhere, identity);
        let copied = self.seen(here, packet).filter(|seen| seen.is_at_the_place_of(packet));
        // A phone that translates between IPv4 and IPv6 records a packet in both forms.
        let other = self.seen(anywhere, packet).filter(|seen| seen.is_of_the_family_of(packet));
        if copied.is_none() {
            self.remember(here, packet);
            self.remember(anywhere, packet);
        }
        if let Some(seen) = copied.or(other) {
            self.note(seen.capture, packet, copied.is_some());
        }
        self.left_out += u64::from(copied.is_some());
        copied.is_some()
    }

    /// The same for a packet without TCP, whose numbers show nothing at another place.
    fn is_copied_datagram(&mut self, here: u64, packet: &Packet<'_>) -> bool {
        let copied = self.seen(here, packet).is_some_and(|seen| seen.is_at_the_place_of(packet));
        if !copied {
            self.remember(here, packet);
        }
        self.left_out += u64::from(copied);
        copied
    }

    /// The packet of another capture that has this key.
    #[expect(clippy::cast_possible_truncation, reason = "a place in the list")]
    fn seen(&self, key: u64, packet: &Packet<'_>) -> Option<Seen> {
        let seen = self.recent.get(key as usize % PLACES).copied().flatten();
        seen.filter(|seen| seen.key == key && seen.capture != packet.capture)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a place in the list")]
    fn remember(&mut self, key: u64, packet: &Packet<'_>) {
        if let Some(slot) = self.recent.get_mut(key as usize % PLACES) {
            *slot = Some(Seen::new(key, packet));
        }
    }

    /// The number of copies that were left out.
    pub(crate) const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Two captures that hold the same packets at two places. A packet that was sent again, or an ACK
    /// that was repeated, looks like one at another place, so most packets of a direction must be.
    pub(crate) fn at_two_places(&self) -> Option<(u32, u32)> {
        let are_apart = |shared: &Shared| shared.apart >= ENOUGH && shared.apart > shared.copies;
        let (pair, _) = self.pairs.iter().find(|(_, shared)| are_apart(shared))?;
        Some((pair.0, pair.1))
    }

    fn note(&mut self, one: u32, packet: &Packet<'_>, copies: bool) {
        let other = packet.capture;
        let pair = (one.min(other), one.max(other), packet.source < packet.destination);
        if self.pairs.len() >= MOST_PAIRS && !self.pairs.contains_key(&pair) {
            return;
        }
        let shared = self.pairs.entry(pair).or_default();
        let count = if copies { &mut shared.copies } else { &mut shared.apart };
        *count = count.saturating_add(1);
    }
}

/// The greatest number of directions of pairs of captures that are counted.
const MOST_PAIRS: usize = 512;

impl Seen {
    fn new(key: u64, packet: &Packet<'_>) -> Self {
        let Packet { capture, time, source, .. } = *packet;
        Self { key, capture, time, source }
    }

    const fn is_of_the_family_of(&self, packet: &Packet<'_>) -> bool {
        self.source.as_v4().is_some() == packet.source.as_v4().is_some()
    }

    fn is_at_the_place_of(&self, packet: &Packet<'_>) -> bool {
        (packet.time - self.time).abs() <= AT_ONE_PLACE && self.source == packet.source
    }
}

/// A number of a segment that no tunnel changes, and no address translation if the segment has
/// timestamps. Without them two connections may have the same numbers, so their ends count too.
fn key(packet: &Packet<'_>, tcp: &TcpHeader) -> u64 {
    let (stamps, ends) = match tcp.options.timestamps {
        Some(stamps) => (u64::from(stamps.value) << 32 | u64::from(stamps.echo), [0; 3]),
        None => (0, ends(packet, tcp)),
    };
    let parts = [
        u64::from(tcp.sequence) << 32 | u64::from(tcp.acknowledgement),
        stamps,
        u64::from(packet.payload_bytes) << 32
            | u64::from(tcp.flags.0) << 16
            | u64::from(tcp.window),
    ];
    parts.into_iter().chain(ends).fold(0, mixed)
}

/// Adds a number to a hash; the finaliser of MurmurHash3 mixes all bits.
const fn mixed(sum: u64, part: u64) -> u64 {
    let mixed = (sum ^ part).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ sum.rotate_left(23)
}

/// The number of payload bytes by which datagrams are distinguished. (Our choice.)
const COMPARED: usize = 64;

/// A number of a packet without TCP: its ends, its protocol, its length and its first bytes.
fn of_datagram(packet: &Packet<'_>) -> u64 {
    let ports = match packet.transport {
        Transport::Udp { source_port, destination_port } => {
            u64::from(source_port) << 16 | u64::from(destination_port)
        }
        Transport::Echo { reply, id, sequence } => {
            u64::from(reply) << 32 | u64::from(id) << 16 | u64::from(sequence)
        }
        _ => 0,
    };
    let lengths = u64::from(packet.ip_protocol) << 32 | u64::from(packet.ip_bytes);
    let first = packet.payload.chunks(8).take(COMPARED / 8);
    let bytes = first.map(|part| part.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
    let ends = [word(packet.source), word(packet.destination), ports, lengths];
    ends.into_iter().chain(bytes).fold(0, mixed)
}

/// The bits of an address in one word.
#[expect(clippy::cast_possible_truncation, reason = "both halves of the bits go into the word")]
const fn word(address: Address) -> u64 {
    (address.bits() >> 64) as u64 ^ address.bits() as u64
}

/// The addresses and ports of a segment as numbers.
fn ends(packet: &Packet<'_>, tcp: &TcpHeader) -> [u64; 3] {
    let ports = u64::from(tcp.source_port) << 16 | u64::from(tcp.destination_port);
    [word(packet.source), word(packet.destination), ports]
}

#[cfg(test)]
mod tests {
    use airmile_read::{TcpFlags, Timestamps};

    use super::*;

    fn packet(number: u32, capture: u32, us: i64, hop_limit: u8) -> Packet<'static> {
        Packet {
            time: Instant::from_nanos(i64::from(number) * 1_000_000 + us * 1000),
            source: Address::v4([10, 0, 0, 1]),
            ip_id: number as u16,
            hop_limit,
            capture,
            payload_bytes: 1000,
            transport: Transport::Tcp(TcpHeader {
                sequence: number * 1000,
                acknowledgement: 7,
                flags: TcpFlags::ACK,
                ..TcpHeader::default()
            }),
            ..Packet::default()
        }
    }

    /// How many packets of a second capture are left out, and whether it is at another place.
    fn second(us: i64, hop_limit: u8) -> (u64, Option<(u32, u32)>) {
        let mut twins = Twins::new();
        for number in 1..=40 {
            assert!(!twins.is_copy(&packet(number, 0, 0, 64)));
            twins.is_copy(&packet(number, 1, us, hop_limit));
        }
        (twins.left_out(), twins.at_two_places())
    }

    #[test]
    fn copies_at_one_place_are_left_out() {
        assert_eq!(second(100, 64), (40, None));
    }

    #[test]
    fn packets_that_were_sent_again_are_at_one_place_if_most_are() {
        let mut twins = Twins::new();
        for number in 1..=40 {
            twins.is_copy(&packet(number, 0, 0, 64));
            assert!(twins.is_copy(&packet(number, 1, 0, 64)));
            assert!(!twins.is_copy(&packet(number, 1, 20_000, 64)));
            twins.is_copy(&packet(number, 0, 20_000, 64));
        }
        assert_eq!(twins.at_two_places(), None);
    }

    #[test]
    fn copies_behind_a_router_or_a_delay_are_at_another_place() {
        assert_eq!(second(100, 63), (0, Some((0, 1))));
        assert_eq!(second(1500, 64), (0, Some((0, 1))));
    }

    #[test]
    fn clocks_that_hide_the_delay_of_one_direction_do_not_hide_that_of_the_other() {
        let back = |packet: Packet<'static>| Packet {
            source: packet.destination,
            destination: packet.source,
            ..packet
        };
        let mut twins = Twins::new();
        for number in 1..=80 {
            assert!(!twins.is_copy(&packet(number, 0, 0, 64)));
            assert!(twins.is_copy(&packet(number, 1, 0, 64)));
        }
        for number in 1..=40 {
            assert!(!twins.is_copy(&back(packet(number, 0, 0, 64))));
            assert!(!twins.is_copy(&back(packet(number, 1, 50_000, 64))));
        }
        assert_eq!(twins.at_two_places(), Some((0, 1)));
    }

    #[test]
    fn datagrams_of_one_place_are_copies_and_others_show_nothing() {
        let datagram = |number: u32, capture: u32, us: i64| Packet {
            transport: Transport::Udp { source_port: 4000, destination_port: 443 },
            ip_protocol: 17,
            ..packet(number, capture, us, 64)
        };
        let mut twins = Twins::new();
        for number in 1..=40 {
            assert!(!twins.is_copy(&datagram(number, 0, 0)));
            assert!(twins.is_copy(&datagram(number, 1, 300)));
            assert!(!twins.is_copy(&datagram(number, 2, 9000)));
        }
        assert_eq!((twins.left_out(), twins.at_two_places()), (40, None));
    }

    #[test]
    fn packets_of_one_capture_are_no_copies_and_few_show_nothing() {
        let mut twins = Twins::new();
        for number in 1..=40 {
            assert!(!twins.is_copy(&packet(number, 0, 0, 64)));
            assert!(!twins.is_copy(&packet(number, 0, 1500, 64)), "sent again");
        }
        assert_eq!(twins.at_two_places(), None);
        for number in 1..ENOUGH {
            twins.is_copy(&packet(number, 1, 0, 60));
        }
        assert_eq!(twins.at_two_places(), None);
    }

    /// Whether a second capture, with another address of the phone, is at another place.
    fn translated(timestamps: Option<Timestamps>) -> bool {
        let mut twins = Twins::new();
        let stamped = |packet: Packet<'static>| {
            let Transport::Tcp(mut tcp) = packet.transport else { return packet };
            tcp.options.timestamps = timestamps;
            Packet { transport: Transport::Tcp(tcp), ..packet }
        };
        for number in 1..=40 {
            twins.is_copy(&stamped(packet(number, 0, 0, 64)));
            let source = Address::v4([198, 51, 100, 7]);
            twins.is_copy(&stamped(Packet { source, ..packet(number, 1, 50, 64) }));
        }
        assert_eq!(twins.left_out(), 0);
        twins.at_two_places().is_some()
    }

    #[test]
    fn an_address_translation_hides_no_packet_with_timestamps() {
        assert!(translated(Some(Timestamps { value: 77, echo: 12 })));
        assert!(!translated(None), "two connections may have the same numbers");
    }
}
