//! Makes a packet of a later fragment of a TCP segment whose first fragment was returned already.

use crate::decode::tcp;

/// Where the sequence number, the data offset and the flags are in a TCP header (RFC 9293 section
/// 3.1).
const SEQUENCE: usize = 4;
const DATA_OFFSET: usize = 12;
const FLAGS: usize = 13;
/// The flags FIN, SYN and RST, which belong to the packet with the first fragment.
const CONTROL: u8 = 0b111;

/// The TCP header at the beginning of a segment, if it is whole.
pub(super) fn tcp_header(segment: &[u8]) -> Option<&[u8]> {
    let length = tcp::header_bytes(*segment.get(DATA_OFFSET)?);
    segment.get(..length).filter(|_| length >= tcp::LEAST)
}

/// Writes a packet of the segment's bytes from `offset` on into `whole`; `headers` are the IP and
/// the TCP header of its first fragment, the offset counts from the TCP header. Returns the length
/// of the packet, of which `length` bytes follow the headers.
pub(super) fn write(
    whole: &mut Vec<u8>,
    headers: &[u8],
    offset: usize,
    (captured, length): (&[u8], usize),
) -> usize {
    whole.clear();
    whole.extend_from_slice(headers);
    let ip = if headers.first().is_some_and(|first| first >> 4 == 4) { 20 } else { 40 };
    let before = offset.saturating_sub(headers.len().saturating_sub(ip));
    if let Some(tcp) = whole.get_mut(ip..) {
        go_on(tcp, before);
    }
    whole.extend_from_slice(captured);
    let total = headers.len() + length;
    set_length(whole, total);
    total
}

/// Moves a TCP header behind the first `bytes` bytes of its segment.
fn go_on(tcp: &mut [u8], bytes: usize) {
    if let Some(field) = tcp.get_mut(SEQUENCE..SEQUENCE + 4).and_then(|it| it.first_chunk_mut()) {
        let bytes = u32::try_from(bytes).unwrap_or_default();
        *field = u32::from_be_bytes(*field).wrapping_add(bytes).to_be_bytes();
    }
    if let Some(flags) = tcp.get_mut(FLAGS) {
        *flags &= !CONTROL;
    }
}

/// Writes the length of a datagram into its header (RFC 791 section 3.1, RFC 8200 section 3).
pub(super) fn set_length(whole: &mut [u8], total: usize) {
    let version = whole.first().map_or(0, |first| first >> 4);
    let (at, length) = if version == 4 { (2, total) } else { (4, total.saturating_sub(40)) };
    // A length that does not fit becomes 0; the decoder then uses the length of the frame.
    let field = u16::try_from(length).unwrap_or(0).to_be_bytes();
    if let Some(place) = whole.get_mut(at..at + 2) {
        place.copy_from_slice(&field);
    }
}
