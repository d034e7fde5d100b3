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
