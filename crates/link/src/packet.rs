//! Defines what the link must know about a packet: its length, and its TCP fields for the truth.

/// Anything that a link can carry.
pub trait Packet {
    /// Length in bytes, IP header included.
    fn bytes(&self) -> u32;

    /// The fields that the truth records, when the packet is TCP.
    fn tcp(&self) -> Option<TcpFields>;

    /// Whether the packet carries payload: random and forced losses do not affect SYNs and bare
    /// ACKs.
    fn has_payload(&self) -> bool {
        self.tcp().is_some_and(|tcp| tcp.payload_bytes > 0)
    }

    /// A number that all packets of a flow have in common, by which a queue tells flows apart.
    fn flow(&self) -> u64 {
        0
    }

    /// Sets the mark "congestion experienced" (RFC 3168 section 5); returns whether the packet
    /// carries it now. A packet whose sender does not take marks stays as it is.
    fn mark(&mut self) -> bool {
        false
    }
}

/// The fields of a TCP packet that an event reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFields {
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Sequence number as on the wire.
    pub sequence: u32,
    /// Bytes of payload.
    pub payload_bytes: u32,
}

/// A packet as a TUN device gives it, which begins with its IP header.
impl Packet for Vec<u8> {
    fn bytes(&self) -> u32 {
        self.len() as u32
    }

    fn tcp(&self) -> Option<TcpFields> {
        TcpFields::of(self)
    }

    fn flow(&self) -> u64 {
        hash(flow_fields(self).unwrap_or_default())
    }

    fn mark(&mut self) -> bool {
        mark(self)
    }
}

/// The addresses, protocol and ports of a packet. Fragments have no ports, because only the first
/// one carries them (RFC 791 section 3.2).
fn flow_fields(packet: &[u8]) -> Option<[&[u8]; 3]> {
    let (addresses, protocol, transport) = match packet.first()? >> 4 {
        4 => {
            let header_bytes = usize::from(*packet.first()? & 15) * 4;
            let is_fragment = two(packet, 6)? & 0x3FFF != 0;
            (12..20, 9..10, (!is_fragment).then_some(header_bytes))
        }
        6 => (8..40, 6..7, Some(40)),
        _ => return None,
    };
    let kind = packet.get(protocol)?;
    let at = transport.filter(|_| matches!(kind, [TCP | UDP]));
    let ports = at.and_then(|at| packet.get(at..at + 4)).unwrap_or_default();
    Some([packet.get(addresses)?, kind, ports])
}

/// Protocol numbers, as assigned by IANA.
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The hash FNV-1a of 64 bits (draft-eastlake-fnv), folded so that its low bits depend on all
/// bytes.
fn hash(parts: [&[u8]; 3]) -> u64 {
    let bytes = parts.into_iter().flatten();
    let hash = bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    hash ^ hash >> 32
}

/// The bits of the ECN field in the second byte of IPv4 and of IPv6 (RFC 3168 section 5, RFC 8200
/// section 3).
const ECN_V4: u8 = 0b0000_0011;
const ECN_V6: u8 = 0b0011_0000;

fn mark(packet: &mut [u8]) -> bool {
    let [first, second, ..] = packet else { return false };
    let (bits, is_v4) = match *first >> 4 {
        4 => (ECN_V4, true),
        6 => (ECN_V6, false),
        _ => return false,
    };
    if *second & bits == 0 {
        return false;
    }
    let before = *second;
    *second |= bits;
    let grown = u16::from(*second - before);
    if is_v4 && let Some(old) = two(packet, 10) {
        // The checksum of one's complement falls by what the word grows (RFC 1624 equation 4).
        let new = old.checked_sub(grown).unwrap_or_else(|| old.wrapping_sub(grown) - 1);
        packet[10..12].copy_from_slice(&new.to_be_bytes());
    }
    true
}

impl TcpFields {
    /// The fields of a packet that begins with its IP header, when it is TCP. Only the first of
    /// several fragments has a TCP header (RFC 791 section 3.2).
    pub fn of(packet: &[u8]) -> Option<Self> {
        let (tcp, length) = match packet.first()? >> 4 {
            4 if *packet.get(9)? == 6 && two(packet, 6)? & 0x1FFF == 0 => {
                (usize::from(packet.first()? & 15) * 4, two(packet, 2)?)
            }
            6 if *packet.get(6)? == 6 => (40, two(packet, 4)?.saturating_add(40)),
            _ => return None,
        };
        let header = tcp + usize::from(*packet.get(tcp + 12)? >> 4) * 4;
        Some(Self {
            source_port: two(packet, tcp)?,
            destination_port: two(packet, tcp + 2)?,
            sequence: u32::from(two(packet, tcp + 4)?) << 16 | u32::from(two(packet, tcp + 6)?),
            payload_bytes: usize::from(length).saturating_sub(header) as u32,
        })
    }
}

fn two(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::tests::segment;

    /// The sum of the words of an IPv4 header, which is 0xFFFF with a right checksum (RFC 1071).
    fn header_sum(packet: &[u8]) -> u32 {
        let header = usize::from(packet[0] & 15) * 4;
        let words = (0..header).step_by(2).map(|at| u32::from(two(packet, at).unwrap()));
        let mut sum = words.sum::<u32>();
        while sum > 0xFFFF {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        sum
    }

    #[test]
    fn a_mark_is_set_where_the_sender_takes_it_and_the_checksum_stays_right() {
        for (field, marked) in [(0, false), (1, true), (2, true), (3, true)] {
            for identification in 0..=u16::MAX {
                let mut packet = segment(true, 1, 2, &[1, 1]);
                packet[1] = 0xB8 | field;
                packet[4..6].copy_from_slice(&identification.to_be_bytes());
                let checksum = !(header_sum(&packet) as u16);
                packet[10..12].copy_from_slice(&checksum.to_be_bytes());
                assert_eq!(packet.mark(), marked);
                let expected = if marked { 0xB8 | 3 } else { 0xB8 };
                assert_eq!((packet[1], header_sum(&packet)), (expected, 0xFFFF));
            }
        }
        let mut six = vec![0x6A, 0x9F, 0, 0];
        assert!(six.mark());
        assert_eq!(six[..2], [0x6A, 0xBF]);
        assert!(!vec![0x6A, 0x8F].mark() && !vec![0x45].mark() && !Vec::new().mark());
    }

    #[test]
    fn packets_of_a_flow_have_its_number_and_others_do_not() {
        let packet = |port: u8, sequence: u8| {
            let mut packet = segment(true, 1, 2, &[1, 1]);
            (packet[25], packet[31]) = (port, sequence);
            packet
        };
        assert_eq!(packet(1, 1).flow(), packet(1, 2).flow());
        let flows: std::collections::BTreeSet<_> = (0..100).map(|p| packet(p, 0).flow()).collect();
        assert_eq!(flows.len(), 100);
        let fragment = |number: u8| {
            let mut packet = packet(number, 0);
            packet[7] = number;
            packet
        };
        assert_eq!(fragment(1).flow(), fragment(2).flow());
    }

    #[test]
    fn a_later_fragment_has_no_tcp_header() {
        let mut packet = segment(true, 1, 2, &[1, 1]);
        assert_eq!(TcpFields::of(&packet).map(|tcp| tcp.source_port), Some(40_000));
        // More fragments follow the first.
        packet[6] = 0x20;
        assert!(TcpFields::of(&packet).is_some());
        packet[7] = 185;
        assert_eq!(TcpFields::of(&packet), None);
    }
}
