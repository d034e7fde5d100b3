//! Decodes arbitrary TCP options, and the payload after them, in an IPv4 packet that is otherwise
//! valid.

use airmile_read::{Frame, LinkType, Transport, decode};
use airmile_types::Instant;

const HEADERS: [u8; 40] = [
    0x45, 0, 0, 0, 7, 7, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 192, 0, 2, 1, 0x9c, 0x40, 1, 187, 0, 0,
    0, 1, 0, 0, 0, 9, 0, 0x18, 1, 0, 0, 0, 0, 0,
];

pub(crate) fn run(input: &[u8]) {
    let [words, flags, cut, rest @ ..] = input else { return };
    let mut bytes = [&HEADERS, rest].concat();
    let Ok(total) = u16::try_from(bytes.len()) else { return };
    bytes[2..4].copy_from_slice(&total.to_be_bytes());
    (bytes[32], bytes[33]) = (words << 4, *flags);
    let captured = bytes.len().saturating_sub(usize::from(*cut));
    let frame = Frame {
        link: LinkType::Raw,
        bytes: &bytes[..captured],
        wire_bytes: bytes.len(),
        time: Instant::from_nanos(0),
        interface: 0,
    };
    let Ok(packet) = decode(frame) else { return };
    if let Transport::Tcp(tcp) = packet.transport {
        assert!(tcp.options.sack().len() <= 4);
        assert!(tcp.options.window_scale.is_none_or(|shift| shift <= 14));
        let header = usize::from(*words & 15) * 4;
        assert_eq!(packet.payload_bytes as usize, bytes.len().saturating_sub(20 + header));
        assert!(packet.payload.len() <= packet.payload_bytes as usize);
    }
}
