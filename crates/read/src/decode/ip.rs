//! Reads IPv4 (RFC 791) and IPv6 (RFC 8200) headers.

use airmile_types::Address;

use super::skip::Skip;
use crate::bytes::chunk;
use crate::packet::Fragment;

/// The fields of an IP header, and the position of its payload in the frame.
pub(super) struct Ip {
    pub(super) source: Address,
    pub(super) destination: Address,
    /// The protocol number; for IPv6, the number after the extension headers.
    pub(super) protocol: u8,
    pub(super) version: u8,
    pub(super) hop_limit: u8,
    pub(super) ecn: u8,
    /// The identification of IPv4, or that of IPv6's fragment header.
    pub(super) id: u32,
    pub(super) fragment: Fragment,
    /// The offset of this fragment's payload in the payload of the datagram, in bytes.
    pub(super) offset: u16,
    /// Whether another fragment follows.
    pub(super) more: bool,
    /// The protocol number of the datagram's payload; for IPv6, the number after the fragment
    /// header, which is the same in all fragments of a datagram.
    pub(super) carried: u8,
    /// The offset in the frame at which the header begins.
    pub(super) start: usize,
    /// The offset in the frame at which the payload begins; may lie beyond the captured bytes.
    pub(super) at: usize,
    /// The offset in the frame at which the packet ends on the wire.
    pub(super) end: usize,
    /// Whether the length field was 0 because of segmentation offload; `end` is then the end of the
    /// frame (methods A1).
    pub(super) length_was_zero: bool,
    /// Whether an extension header was not captured whole; `protocol` is then the number of that
    /// header.
    pub(super) extensions_cut: bool,
}

/// Whether the bytes at `at`, which may also be an Ethernet frame, are an IP header. For IPv4 the
/// checksum shows it (RFC 791 section 3.1), for IPv6 the kind of the next header.
pub(super) fn is_likely(frame: &[u8], at: usize) -> bool {
    match frame.get(at).map_or(0, |first| first >> 4) {
        4 => checksum(frame, at) == Some(0xffff),
        6 => frame.get(at + 6).is_some_and(|next| {
            matches!(*next, HOP_BY_HOP | 4 | 6 | 17 | 41..=44 | 47 | 50 | 51 | 58..=60 | 132 | 135)
        }),
        _ => false,
    }
}

/// The one's complement sum of the IPv4 header at `at` (RFC 1071); `None` if the bytes are not a
/// header, or were not captured whole.
fn checksum(frame: &[u8], at: usize) -> Option<u32> {
    let words = usize::from(frame.get(at)? & 0xf) * 2;
    let header = frame.get(at..at + 2 * words.max(10))?;
    let word = |pair: &[u8]| pair.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
    let sum: u32 = header.chunks_exact(2).map(word).sum();
    Some((sum & 0xffff) + (sum >> 16))
}

/// Reads the header at `start` in a layer that ends at `end` on the wire.
#[inline]
pub(super) fn parse(frame: &[u8], start: usize, end: usize) -> Result<Ip, Skip> {
    match frame.get(start).ok_or(Skip::Cut)? >> 4 {
        4 => v4(frame, start, end),
        6 => v6(frame, start, end),
        _ => Err(Skip::Malformed),
    }
}

#[inline]
fn v4(frame: &[u8], start: usize, end: usize) -> Result<Ip, Skip> {
    let h = chunk::<20>(frame, start).ok_or(Skip::Cut)?;
    let header_bytes = usize::from(h[0] & 0xf) * 4;
    let total = usize::from(u16::from_be_bytes([h[2], h[3]]));
    if header_bytes < 20 || (total != 0 && total < header_bytes) {
        return Err(Skip::Malformed);
    }
    let flags_and_offset = u16::from_be_bytes([h[6], h[7]]);
    let (offset, more) = (flags_and_offset & 0x1fff, flags_and_offset & 0x2000 != 0);
    let mut ip = Ip {
        source: Address::v4([h[12], h[13], h[14], h[15]]),
        destination: Address::v4([h[16], h[17], h[18], h[19]]),
        protocol: h[9],
        version: 4,
        hop_limit: h[8],
        ecn: h[1] & 3,
        id: u32::from(u16::from_be_bytes([h[4], h[5]])),
        fragment: fragment(offset, more),
        offset: offset << 3,
        more,
        carried: h[9],
        start,
        at: start + header_bytes,
        end: if total == 0 { end.max(start + header_bytes) } else { start + total },
        length_was_zero: total == 0,
        extensions_cut: false,
    };
    if ip.protocol == AUTHENTICATION {
        walk_extensions(frame, &mut ip);
    }
    Ok(ip)
}

#[inline]
fn v6(frame: &[u8], start: usize, end: usize) -> Result<Ip, Skip> {
    let h = chunk::<40>(frame, start).ok_or(Skip::Cut)?;
    let length = usize::from(u16::from_be_bytes([h[4], h[5]]));
    // The length is also 0 for a packet without payload, without any offload.
    let zero = length == 0 && h[6] != NO_NEXT_HEADER && end > start + 40;
    let address = |at: usize| Address::v6(*chunk::<16>(h, at).unwrap_or(&[0; 16]));
    let mut ip = Ip {
        source: address(8),
        destination: address(24),
        protocol: h[6],
        version: 6,
        hop_limit: h[7],
        ecn: h[1] >> 4 & 3,
        id: 0,
        fragment: Fragment::Whole,
        offset: 0,
        more: false,
        carried: h[6],
        start,
        at: start + 40,
        end: if zero { end } else { start + 40 + length },
        length_was_zero: zero,
        extensions_cut: false,
    };
    walk_extensions(frame, &mut ip);
    Ok(ip)
}

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const NO_NEXT_HEADER: u8 = 59;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;
const HOST_IDENTITY: u8 = 139;
const SHIM6: u8 = 140;

/// Skips extension headers up to the transport header (RFC 8200 section 4, RFC 4302 section 2).
/// Each is at least 8 bytes long, so the captured bytes bound the loop.
fn walk_extensions(frame: &[u8], ip: &mut Ip) {
    while let HOP_BY_HOP | ROUTING | FRAGMENT | AUTHENTICATION | DESTINATION | MOBILITY
    | HOST_IDENTITY | SHIM6 = ip.protocol
    {
        // In a later fragment, the bytes after the header are not the start of another header.
        if ip.fragment == Fragment::Later {
            return;
        }
        let Some(h) = chunk::<8>(frame, ip.at).filter(|_| ip.at + 8 <= ip.end) else {
            ip.extensions_cut = true;
            return;
        };
        ip.at += match ip.protocol {
            FRAGMENT => {
                let offset_and_more = u16::from_be_bytes([h[2], h[3]]);
                ip.fragment = fragment(offset_and_more >> 3, offset_and_more & 1 == 1);
                (ip.offset, ip.more) = (offset_and_more & !7, offset_and_more & 1 == 1);
                ip.id = u32::from_be_bytes([h[4], h[5], h[6], h[7]]);
                ip.carried = h[0];
                8
            }
            AUTHENTICATION => (usize::from(h[1]) + 2) * 4,
            _ => (usize::from(h[1]) + 1) * 8,
        };
        ip.protocol = h[0];
    }
}

#[inline]
const fn fragment(offset: u16, more: bool) -> Fragment {
    match (offset, more) {
        (0, false) => Fragment::Whole,
        (0, true) => Fragment::First,
        _ => Fragment::Later,
    }
}
