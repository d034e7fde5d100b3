//! Decodes the most common kind of frame in captures by the fastest path: TCP with timestamps in
//! the layout that RFC 7323 appendix A recommends, in an IPv4 header without options, not
//! fragmented, directly after an Ethernet header. It is inlined where packets are read, and reads
//! words at fixed offsets. It handles no further cases, because each would cost time for all
//! packets. Its results equal those of [`super::plain`] and of the general decoder (a test compares
//! them).

#![expect(
    clippy::cast_possible_truncation,
    reason = "a field is the low bits of the word shifted down to it; a total is such a field"
)]

use airmile_types::{Address, Instant};

use super::device::Access;
use super::layer::IPV4;
use super::tcp;
use super::transport::TCP;
use crate::bytes::chunk;
use crate::link_type::LinkType;
use crate::packet::{
    Fragment, Packet, SUPER_SEGMENT_BYTES, TcpFlags, TcpHeader, TcpOptions, Timestamps, Transport,
};

/// The length of an Ethernet header, in bytes.
pub(crate) const ETHERNET: usize = 14;
/// The length of an IPv4 header and a TCP header without options, in bytes.
pub(super) const BARE: usize = 40;
/// The length of both headers with timestamps and the two bytes of padding before them, in bytes.
pub(crate) const STAMPED: usize = 52;
/// The bits that must be set for version 4, a header of five words, no further fragment, and offset
/// 0.
const FIRST_WORDS: u64 = 0x4500_0000_0000_0000;
const FIRST_WORDS_MASK: u64 = 0xff00_0000_0000_3fff;
/// The first word of the options: two bytes of padding, kind 8, length 10.
const PADDED_TIMESTAMPS: u32 = 0x0101_080a;

/// The lengths of the IP packet in a frame of this kind.
#[derive(Clone, Copy)]
pub(crate) struct Bulk {
    /// The length of the packet by its IP header, in bytes.
    pub(super) total: usize,
    pub(super) captured: usize,
}

/// Finds the lengths of a frame of this kind; `None` if another decoder must read the frame.
#[inline(always)]
pub(crate) fn locate(link: LinkType, frame: &[u8], wire_bytes: usize) -> Option<Bulk> {
    let (ethernet, ip) = frame.split_first_chunk::<ETHERNET>()?;
    let bytes = ip.first_chunk::<STAMPED>()?;
    let h = Headers::read(bytes);
    let ordinary = link == LinkType::Ethernet
        && u16::from_be_bytes([ethernet[12], ethernet[13]]) == IPV4
        && (h.first & FIRST_WORDS_MASK == FIRST_WORDS)
        && h.protocol() == TCP
        && h.data_offset() == 8
        && is_stamped(bytes)
        && h.total() >= STAMPED
        && ETHERNET + h.total() <= wire_bytes;
    ordinary.then(|| Bulk { total: h.total(), captured: h.total().min(ip.len()) })
}

/// Whether an IPv4 header of five words and a TCP header of eight words end with timestamps in the
/// recommended layout.
#[inline(always)]
pub(super) fn is_stamped(headers: &[u8; STAMPED]) -> bool {
    be32(headers, BARE) == PADDED_TIMESTAMPS
}

impl Bulk {
    /// Whether the payload is that of several segments.
    #[inline(always)]
    pub(crate) const fn is_super_segment<const HEADERS: usize>(self) -> bool {
        self.total > HEADERS + SUPER_SEGMENT_BYTES as usize
    }

    /// The packet at the start of `ip`; `None` only if `ip` is not the packet that was located.
    #[inline(always)]
    pub(crate) fn packet<const HEADERS: usize>(
        self,
        ip: &[u8],
        (time, interface, number): (Instant, u32, u64),
        teid: Option<u32>,
    ) -> Option<Packet<'_>> {
        let bytes = ip.first_chunk::<HEADERS>()?;
        let payload = ip.get(HEADERS..self.captured)?;
        let h = Headers::read(bytes);
        Some(Packet {
            time,
            frame: number,
            source: Address::v4((h.second as u32).to_be_bytes()),
            destination: Address::v4(((h.third >> 32) as u32).to_be_bytes()),
            ip_protocol: TCP,
            ip_version: 4,
            hop_limit: (h.second >> 56) as u8,
            ecn: (h.first >> 48) as u8 & 3,
            ip_id: (h.first >> 16) as u16,
            fragment: Fragment::Whole,
            teid,
            interface,
            capture: 0,
            access: Access::Unknown,
            outgoing: None,
            super_segment: self.is_super_segment::<HEADERS>(),
            ip_bytes: self.total as u32,
            payload_bytes: (self.total - HEADERS) as u32,
            payload,
            transport: Transport::Tcp(TcpHeader {
                source_port: (h.third >> 16) as u16,
                destination_port: h.third as u16,
                sequence: (h.fourth >> 32) as u32,
                acknowledgement: h.fourth as u32,
                flags: TcpFlags((h.fifth >> 16) as u16 & 0x1ff),
                window: h.fifth as u16,
                options: options(bytes),
            }),
        })
    }
}

/// The options of a header without options. They are a constant because the compiler writes a
/// constant in place, whereas it would copy a value of `default()`.
const WITHOUT: TcpOptions = TcpOptions {
    mss: None,
    window_scale: None,
    sack_permitted: false,
    timestamps: None,
    sack_blocks: [(0, 0); 4],
    sack_count: 0,
    mptcp: false,
    mptcp_token: None,
    fast_open: false,
    cut: false,
    malformed: false,
    layout: 0,
};

#[inline(always)]
fn options<const HEADERS: usize>(bytes: &[u8; HEADERS]) -> TcpOptions {
    if HEADERS == BARE {
        return WITHOUT;
    }
    let (value, echo) = (be32(bytes, BARE + 4), be32(bytes, BARE + 8));
    TcpOptions {
        timestamps: Some(Timestamps { value, echo }),
        layout: tcp::NOP_NOP_TIMESTAMPS,
        ..WITHOUT
    }
}

#[inline(always)]
fn be32(bytes: &[u8], at: usize) -> u32 {
    chunk(bytes, at).map_or(0, |word| u32::from_be_bytes(*word))
}

/// The IPv4 header (RFC 791 section 3.1) and the TCP header (RFC 9293 section 3.1), as words of
/// eight bytes.
struct Headers {
    /// Version and header length, traffic class, total length, identification, fragment fields.
    first: u64,
    /// TTL, protocol, checksum, source address.
    second: u64,
    /// Destination address, ports.
    third: u64,
    /// Sequence and acknowledgement number.
    fourth: u64,
    /// Data offset, flags, window.
    fifth: u32,
}

impl Headers {
    #[inline(always)]
    fn read(h: &[u8]) -> Self {
        let word = |at| chunk(h, at).map_or(0, |word| u64::from_be_bytes(*word));
        let (first, second, third, fourth) = (word(0), word(8), word(16), word(24));
        Self { first, second, third, fourth, fifth: be32(h, 32) }
    }

    /// The length of the IP packet, in bytes.
    #[inline(always)]
    const fn total(&self) -> usize {
        (self.first >> 32) as u16 as usize
    }

    #[inline(always)]
    const fn protocol(&self) -> u8 {
        (self.second >> 48) as u8
    }

    /// The length of the TCP header in 32-bit words.
    #[inline(always)]
    const fn data_offset(&self) -> usize {
        (self.fifth >> 28) as usize
    }
}
