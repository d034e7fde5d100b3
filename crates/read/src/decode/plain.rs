//! The shortcut for most frames there are: an IPv4 header without options right behind an Ethernet
//! header or none, neither fragmented nor longer than its frame, and TCP in it. What it gives is
//! what the general way gives (a test holds them together), in half the instructions.

use airmile_types::Address;

use super::transport::TCP;
use super::{Frame, Remarks, SUPER_SEGMENT_BYTES, saturate, tcp};
use crate::bytes::{be16, chunk, part};
use crate::link_type::LinkType;
use crate::packet::{Fragment, Packet};

/// Version 4 and a header of five 32-bit words.
const NO_OPTIONS: u8 = 0x45;
/// More-fragments flag and fragment offset.
const FRAGMENTED: u16 = 0x3fff;
/// IPv4 header and the fixed part of the TCP header.
const HEADERS: usize = 40;
const IP_HEADER: usize = 20;

/// Where the IP header of a plain frame begins; None sends the frame the general way.
#[inline]
pub(crate) fn locate(frame: &Frame<'_>) -> Option<usize> {
    let at = match frame.link {
        LinkType::Ethernet if be16(frame.bytes, 12)? == 0x0800 => 14,
        LinkType::Raw => 0,
        _ => return None,
    };
    let h = chunk::<HEADERS>(frame.bytes, at)?;
    let total = usize::from(u16::from_be_bytes([h[2], h[3]]));
    let plain = (h[0] == NO_OPTIONS)
        & (h[9] == TCP)
        & (u16::from_be_bytes([h[6], h[7]]) & FRAGMENTED == 0)
        & (total >= HEADERS)
        & (at + total <= frame.wire_bytes)
        // The TCP header is at least five words long.
        & (h[IP_HEADER + 12] >= 0x50);
    plain.then_some(at)
}

/// Reads the plain packet at `at`.
#[inline]
pub(crate) fn finish<'a>(frame: Frame<'a>, at: usize) -> (Packet<'a>, Remarks) {
    let h = chunk::<HEADERS>(frame.bytes, at).unwrap_or(&[0; HEADERS]);
    let total = usize::from(u16::from_be_bytes([h[2], h[3]]));
    let packet = part(frame.bytes, at..frame.bytes.len().min(at + total));
    let header = tcp::parse(part(packet, IP_HEADER..packet.len()));
    let headers = IP_HEADER + header.length;
    let payload_bytes = saturate(total.saturating_sub(headers));
    let mut remarks = Remarks::default();
    remarks.add(Remarks::CUT, header.cut && packet.len() < total);
    remarks.add(Remarks::MALFORMED, header.cut && packet.len() == total);
    let packet = Packet {
        time: frame.time,
        frame: 0,
        source: Address::v4([h[12], h[13], h[14], h[15]]),
        destination: Address::v4([h[16], h[17], h[18], h[19]]),
        ip_protocol: TCP,
        ip_version: 4,
        hop_limit: h[8],
        ecn: h[1] & 3,
        ip_id: u16::from_be_bytes([h[4], h[5]]),
        fragment: Fragment::Whole,
        teid: None,
        interface: frame.interface,
        super_segment: payload_bytes > SUPER_SEGMENT_BYTES,
        ip_bytes: saturate(total),
        payload_bytes,
        payload: part(packet, headers.min(packet.len())..packet.len()),
        transport: header.transport,
    };
    (packet, remarks)
}
