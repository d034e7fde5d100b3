//! Decodes one frame: the first byte of the input selects the link type, the next three give the
//! wire length.

use airmile_read::{Frame, LinkType, decode};
use airmile_types::Instant;

const LINKS: [LinkType; 13] = [
    LinkType::Ethernet,
    LinkType::Raw,
    LinkType::Loopback,
    LinkType::Ppp,
    LinkType::Cooked1,
    LinkType::Cooked2,
    LinkType::PppoE,
    LinkType::Wireless,
    LinkType::Radiotap,
    LinkType::Pktap,
    LinkType::User2,
    LinkType::Ppi,
    LinkType::Nflog,
];

pub(crate) fn run(input: &[u8]) {
    let [link, a, b, c, bytes @ ..] = input else { return };
    let link = LINKS[usize::from(*link) % LINKS.len()];
    let wire_bytes = u32::from_be_bytes([0, *a, *b, *c]) as usize;
    let time = Instant::from_nanos(0);
    if let Ok(packet) = decode(Frame { link, bytes, wire_bytes, time, interface: 0 }) {
        assert!(packet.payload.len() <= packet.payload_bytes as usize);
        assert!(packet.payload_bytes <= packet.ip_bytes);
    }
}
