//! Decodes most frames by a fast path: TCP or UDP, in an IPv4 header without options or an IPv6
//! header without extension headers, not fragmented, and not longer than the layer around it. It
//! reads the most common link headers and at most one GTP-U tunnel. All other frames are left to
//! the general decoder. The general decoder is the specification: this one gives the same results
//! in half the instructions (a test compares them).

use airmile_types::Address;

use super::bulk::{self, BARE, Bulk, STAMPED};
use super::device::Access;
use super::frame::Frame;
use super::layer::{IPV4, IPV6, VLAN};
use super::link;
use super::transport::{TCP, UDP};
use super::{tcp, tunnel};
use crate::bytes::{be16, chunk, part, saturate};
use crate::link_type::LinkType;
use crate::packet::{Fragment, Packet, SUPER_SEGMENT_BYTES, Transport};

/// The first byte of an IPv4 header with five 32-bit words.
const NO_OPTIONS: u8 = 0x45;
/// The bits of the more-fragments flag and the fragment offset.
const FRAGMENTED: u16 = 0x3fff;
const IPV4_HEADER: usize = 20;
const IPV6_HEADER: usize = 40;
const UDP_HEADER: usize = 8;

/// The positions of the headers in a frame of this kind.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    /// The innermost IP header.
    ip: Layer,
    /// The length of the transport header, in bytes.
    length: usize,
    teid: Option<u32>,
}

/// An IP packet: the positions of its headers, and its end on the wire.
#[derive(Clone, Copy)]
struct Layer {
    start: usize,
    /// The offset at which the transport header begins.
    at: usize,
    end: usize,
    protocol: u8,
}

/// Reads the headers of a frame; `None` if the general decoder must read the frame.
#[inline]
pub(crate) fn locate(frame: &Frame<'_>) -> Option<Plain> {
    let bytes = frame.bytes;
    let start = network(frame.link, bytes)?;
    let ip = layer(bytes, start, frame.wire_bytes)?;
    if ip.protocol == TCP { whole_tcp(bytes, ip, None) } else { datagram(bytes, ip) }
}

/// The offset at which the IP header begins, after at most one VLAN tag.
#[inline]
fn network(link: LinkType, bytes: &[u8]) -> Option<usize> {
    let (at, ethertype) = match link {
        LinkType::Ethernet => match be16(bytes, 12)? {
            tag if VLAN.contains(&tag) => (18, be16(bytes, 16)?),
            ethertype => (14, ethertype),
        },
        LinkType::Raw => return Some(0),
        LinkType::Cooked1 => return link::cooked1(bytes)?.plain(),
        LinkType::Cooked2 => return link::cooked2(bytes)?.plain(),
        _ => return None,
    };
    (ethertype == IPV4 || ethertype == IPV6).then_some(at)
}

/// The IP header at `start` with its TCP or UDP packet, which must end before `end` on the wire.
#[inline]
fn layer(bytes: &[u8], start: usize, end: usize) -> Option<Layer> {
    let h = chunk::<IPV4_HEADER>(bytes, start)?;
    let length = usize::from(u16::from_be_bytes([h[2], h[3]]));
    let plain = (h[0] == NO_OPTIONS)
        & (u16::from_be_bytes([h[6], h[7]]) & FRAGMENTED == 0)
        & (start + length <= end);
    if plain {
        let (at, end, protocol) = (start + IPV4_HEADER, start + length, h[9]);
        return Some(Layer { start, at, end, protocol });
    }
    layer_v6(bytes, start, end)
}

fn layer_v6(bytes: &[u8], start: usize, end: usize) -> Option<Layer> {
    let h = chunk::<IPV6_HEADER>(bytes, start)?;
    let at = start + IPV6_HEADER;
    let packet_end = at + usize::from(u16::from_be_bytes([h[4], h[5]]));
    let plain = h[0] >> 4 == 6 && packet_end <= end;
    plain.then_some(Layer { start, at, end: packet_end, protocol: h[6] })
}

/// A TCP packet whose header was captured whole and has a possible length.
#[inline]
fn whole_tcp(bytes: &[u8], ip: Layer, teid: Option<u32>) -> Option<Plain> {
    let length = tcp::header_bytes(*bytes.get(ip.at + 12)?);
    let whole = (ip.protocol == TCP)
        & (length >= tcp::LEAST)
        & (ip.at + length <= ip.end)
        & (ip.at + length <= bytes.len());
    whole.then_some(Plain { ip, length, teid })
}

/// A UDP packet, or the packet in the GTP-U tunnel that it carries. Not inlined, which leaves more
/// registers for TCP.
#[inline(never)]
fn datagram(bytes: &[u8], outer: Layer) -> Option<Plain> {
    if let Some(plain) = whole_udp(bytes, outer, None) {
        return Some(plain);
    }
    let within = part(bytes, 0..bytes.len().min(outer.end));
    if outer.protocol != UDP || !tunnel::is_gtpu(within, outer.at) {
        return None;
    }
    let inner = tunnel::gtpu(within, outer.at + UDP_HEADER)?;
    let ip = layer(within, inner.at, outer.end)?;
    whole_tcp(within, ip, inner.teid).or_else(|| whole_udp(within, ip, inner.teid))
}

/// A UDP packet whose header was captured whole and that has no port of a tunnel.
fn whole_udp(bytes: &[u8], ip: Layer, teid: Option<u32>) -> Option<Plain> {
    let data = ip.at + UDP_HEADER;
    let whole = ip.protocol == UDP && data <= ip.end && data <= bytes.len();
    (whole && !tunnel::has_port(bytes, ip.at)).then_some(Plain { ip, length: UDP_HEADER, teid })
}

impl Plain {
    /// Whether the packet is TCP; otherwise it is UDP.
    #[inline]
    pub(crate) const fn is_tcp(&self) -> bool {
        self.ip.protocol == TCP
    }

    /// Whether the payload is that of several segments.
    #[inline]
    pub(crate) const fn is_super_segment(&self) -> bool {
        self.ip.end - self.ip.at - self.length > SUPER_SEGMENT_BYTES as usize
    }

    /// Whether the packet came through a tunnel.
    #[inline]
    pub(crate) const fn is_tunnelled(&self) -> bool {
        self.teid.is_some()
    }

    /// The packet in the frame in which it was located; `number` is the number of the frame's
    /// record.
    #[inline]
    pub(crate) fn packet<'a>(&self, frame: Frame<'a>, number: u64) -> Option<Packet<'a>> {
        let ip = frame.bytes.get(self.ip.start..)?;
        let (total, captured) = (self.ip.end - self.ip.start, frame.bytes.len().min(self.ip.end));
        let bulk = Bulk { total, captured: captured - self.ip.start };
        let about = (frame.time, frame.interface, number);
        match self.headers() {
            STAMPED if self.is_stamped(ip) => bulk.packet::<STAMPED>(ip, about, self.teid),
            BARE if self.is_tcp() => bulk.packet::<BARE>(ip, about, self.teid),
            _ => self.other_packet(frame, number),
        }
    }

    /// The length of the IP and the transport header together, in bytes.
    #[inline]
    const fn headers(&self) -> usize {
        self.ip.at - self.ip.start + self.length
    }

    #[inline]
    fn is_stamped(&self, ip: &[u8]) -> bool {
        self.is_tcp() && self.is_v4() && ip.first_chunk().is_some_and(bulk::is_stamped)
    }

    #[inline]
    const fn is_v4(&self) -> bool {
        self.ip.at - self.ip.start == IPV4_HEADER
    }

    #[inline(never)]
    fn other_packet<'a>(&self, frame: Frame<'a>, number: u64) -> Option<Packet<'a>> {
        let Self { ip, length, teid } = *self;
        let header = frame.bytes.get(ip.start..ip.at)?;
        let Network { source, destination, hop_limit, ecn, ip_id } =
            if self.is_v4() { v4(header) } else { v6(header) };
        let after = frame.bytes.get(ip.at..frame.bytes.len().min(ip.end))?;
        Some(Packet {
            time: frame.time,
            frame: number,
            source,
            destination,
            ip_protocol: ip.protocol,
            ip_version: if self.is_v4() { 4 } else { 6 },
            hop_limit,
            ecn,
            ip_id,
            fragment: Fragment::Whole,
            teid,
            interface: frame.interface,
            capture: 0,
            access: Access::Unknown,
            outgoing: None,
            super_segment: self.is_super_segment(),
            ip_bytes: saturate(ip.end - ip.start),
            payload_bytes: saturate(ip.end - ip.at - length),
            payload: after.get(length..)?,
            transport: if self.is_tcp() { tcp::whole(after) } else { udp(after) },
        })
    }
}

/// The fields of an IP header.
struct Network {
    source: Address,
    destination: Address,
    hop_limit: u8,
    ecn: u8,
    ip_id: u16,
}

#[inline]
fn v4(header: &[u8]) -> Network {
    let h = header.first_chunk().unwrap_or(&[0; IPV4_HEADER]);
    Network {
        source: Address::v4([h[12], h[13], h[14], h[15]]),
        destination: Address::v4([h[16], h[17], h[18], h[19]]),
        hop_limit: h[8],
        ecn: h[1] & 3,
        ip_id: u16::from_be_bytes([h[4], h[5]]),
    }
}

#[inline]
fn v6(header: &[u8]) -> Network {
    let address = |at| Address::v6(*chunk(header, at).unwrap_or(&[0; 16]));
    let h = header.first_chunk().unwrap_or(&[0; IPV6_HEADER]);
    Network {
        source: address(8),
        destination: address(24),
        hop_limit: h[7],
        ecn: h[1] >> 4 & 3,
        ip_id: 0,
    }
}

fn udp(header: &[u8]) -> Transport {
    let h = header.first_chunk().unwrap_or(&[0; UDP_HEADER]);
    Transport::Udp {
        source_port: u16::from_be_bytes([h[0], h[1]]),
        destination_port: u16::from_be_bytes([h[2], h[3]]),
    }
}
