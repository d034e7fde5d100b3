//! Makes an Ethernet frame with IPv4 and TCP headers, and numbers that look random.

/// The fields of a packet. The payload counts in its length, but is not written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tcp {
    pub(crate) source: [u8; 4],
    pub(crate) destination: [u8; 4],
    pub(crate) source_port: u16,
    pub(crate) destination_port: u16,
    pub(crate) sequence: u32,
    pub(crate) acknowledgement: u32,
    pub(crate) flags: u8,
    pub(crate) window: u16,
    pub(crate) payload_bytes: u16,
}

pub(crate) const FIN: u8 = 1;
pub(crate) const SYN: u8 = 2;
pub(crate) const PSH: u8 = 8;
pub(crate) const ACK: u8 = 16;

const ETHERNET: usize = 14;
const HEADERS: usize = ETHERNET + 20 + 20;

/// Writes the headers with `options` (a multiple of four bytes); returns the frame's length on the
/// wire.
pub(crate) fn frame(packet: &Tcp, options: &[u8], bytes: &mut Vec<u8>) -> usize {
    let wire = HEADERS + options.len() + usize::from(packet.payload_bytes);
    bytes.clear();
    bytes.extend_from_slice(&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]);
    bytes.extend_from_slice(&ip_header(packet, (wire - ETHERNET) as u16));
    bytes.extend_from_slice(&packet.source_port.to_be_bytes());
    bytes.extend_from_slice(&packet.destination_port.to_be_bytes());
    bytes.extend_from_slice(&packet.sequence.to_be_bytes());
    bytes.extend_from_slice(&packet.acknowledgement.to_be_bytes());
    bytes.extend_from_slice(&[((20 + options.len()) as u8) << 2, packet.flags]);
    bytes.extend_from_slice(&packet.window.to_be_bytes());
    // The checksum would cover payload that does not exist, so it is 0, as a sender leaves it that
    // offloads it.
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(options);
    bytes.resize(wire.min(crate::writer::SNAP_LENGTH), 0);
    wire
}

fn ip_header(packet: &Tcp, total: u16) -> [u8; 20] {
    let mut header = [0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    header[2..4].copy_from_slice(&total.to_be_bytes());
    header[4..6].copy_from_slice(&(packet.sequence as u16).to_be_bytes());
    header[12..16].copy_from_slice(&packet.source);
    header[16..20].copy_from_slice(&packet.destination);
    let sum: u32 =
        header.chunks_exact(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    let checksum = !((folded & 0xffff) + (folded >> 16)) as u16;
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
    header
}

/// The finaliser of SplitMix64 (Steele et al. 2014), which maps each number to a different number.
pub(crate) const fn scatter(number: u64) -> u64 {
    let mut x = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
