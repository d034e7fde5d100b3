//! From a frame's first byte to its IP header, one layer at a time, and no more layers than
//! [`MAX_LAYERS`]: hostile nests end.

use super::{Skip, label, wireless};
use crate::bytes::{be16, chunk};
use crate::link_type::LinkType;

pub(super) const IPV4: u16 = 0x0800;
pub(super) const IPV6: u16 = 0x86dd;
/// IEEE 802.1Q, 802.1ad, and the tags that switches used before 802.1ad.
pub(super) const VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
/// RFC 3032 section 5: MPLS unicast and (RFC 5332) upstream-assigned labels.
const MPLS: [u16; 2] = [0x8847, 0x8848];
/// RFC 2516 section 5: the discovery and the session stage.
const PPPOE_DISCOVERY: u16 = 0x8863;
const PPPOE_SESSION: u16 = 0x8864;
/// Below this an EtherType is a length (IEEE 802.3 clause 3.2.6).
const LARGEST_LENGTH: u16 = 1500;
/// ARPHRD_NETLINK: the protocol field of a cooked header is then a netlink family.
const ARPHRD_NETLINK: u16 = 824;
/// Four VLAN tags, PPPoE, PPP, labels, a pseudowire and its own tags need less.
const MAX_LAYERS: usize = 16;

/// What begins at a place in the frame.
pub(super) enum Layer {
    Ip,
    Ethernet,
    /// What this EtherType (or the length in its place) announces.
    Type(u16),
    PppoE,
    Ppp,
}

/// Where the IP header of a frame begins.
#[inline]
pub(super) fn network(link: LinkType, frame: &[u8]) -> Result<usize, Skip> {
    match link {
        LinkType::Ethernet => ethernet(frame, 0),
        LinkType::Raw => Ok(0),
        LinkType::Loopback => loopback(frame),
        LinkType::Ppp => walk(frame, 0, Layer::Ppp),
        LinkType::PppoE => walk(frame, 0, Layer::PppoE),
        LinkType::Cooked1 => cooked(frame, cooked1(frame)),
        LinkType::Cooked2 => cooked(frame, cooked2(frame)),
        LinkType::Wireless => wireless::plain(frame),
        LinkType::Radiotap => wireless::radiotap(frame),
    }
}

/// Where the IP header of the Ethernet frame at `at` begins.
#[inline]
pub(super) fn ethernet(frame: &[u8], at: usize) -> Result<usize, Skip> {
    let header = chunk::<14>(frame, at).ok_or(Skip::Cut)?;
    let ethertype = u16::from_be_bytes([header[12], header[13]]);
    if ethertype == IPV4 || ethertype == IPV6 {
        return Ok(at + 14);
    }
    by_ethertype(frame, at + 14, ethertype)
}

/// Where the IP header begins in what an EtherType announces at `at`.
pub(super) fn by_ethertype(frame: &[u8], at: usize, ethertype: u16) -> Result<usize, Skip> {
    walk(frame, at, Layer::Type(ethertype))
}

/// Where the IP header begins in a PPP frame.
pub(super) fn in_ppp(frame: &[u8], at: usize) -> Result<usize, Skip> {
    walk(frame, at, Layer::Ppp)
}

fn walk(frame: &[u8], mut at: usize, mut layer: Layer) -> Result<usize, Skip> {
    for _ in 0..MAX_LAYERS {
        (at, layer) = match layer {
            Layer::Ip => return Ok(at),
            Layer::Ethernet => (at + 14, Layer::Type(be16(frame, at + 12).ok_or(Skip::Cut)?)),
            Layer::Type(number) => announced(frame, at, number)?,
            Layer::PppoE => pppoe(frame, at)?,
            Layer::Ppp => ppp(frame, at)?,
        };
    }
    Err(Skip::TooDeep)
}

fn announced(frame: &[u8], at: usize, ethertype: u16) -> Result<(usize, Layer), Skip> {
    match ethertype {
        IPV4 | IPV6 => Ok((at, Layer::Ip)),
        PPPOE_SESSION => Ok((at, Layer::PppoE)),
        0..=LARGEST_LENGTH => llc(frame, at, ethertype),
        _ if VLAN.contains(&ethertype) => {
            Ok((at + 4, Layer::Type(be16(frame, at + 2).ok_or(Skip::Cut)?)))
        }
        _ if MPLS.contains(&ethertype) => label::below(frame, at, ethertype),
        _ => Err(Skip::NotIp(ethertype)),
    }
}

/// LLC with SNAP (IEEE 802 clause 9.2.4) may hold IP; other LLC does not.
pub(super) fn llc(frame: &[u8], at: usize, length: u16) -> Result<(usize, Layer), Skip> {
    let header = chunk::<8>(frame, at).ok_or(Skip::NotIp(length))?;
    match *header {
        [0xaa, 0xaa, 3, 0, 0, 0 | 0xf8, high, low] => {
            Ok((at + 8, Layer::Type(u16::from_be_bytes([high, low]))))
        }
        _ => Err(Skip::NotIp(length)),
    }
}

/// Whether the bytes at `at` are an Ethernet frame with, but for tags, an IP header in it. Nothing
/// else is followed: hostile nests of labels would be walked again at each level.
pub(super) fn holds_ip(frame: &[u8], mut at: usize) -> bool {
    for _ in 0..MAX_LAYERS {
        let version = |at: usize| frame.get(at).map(|first| first >> 4);
        match be16(frame, at + 12) {
            Some(IPV4) => return version(at + 14) == Some(4),
            Some(IPV6) => return version(at + 14) == Some(6),
            Some(tag) if VLAN.contains(&tag) => at += 4,
            _ => return false,
        }
    }
    false
}

/// RFC 2516 section 4: version and type, code (0 in the session stage), session, length.
fn pppoe(frame: &[u8], at: usize) -> Result<(usize, Layer), Skip> {
    match frame.get(at + 1).ok_or(Skip::Cut)? {
        0 => Ok((at + 6, Layer::Ppp)),
        _ => Err(Skip::NotIp(PPPOE_DISCOVERY)),
    }
}

/// PPP (RFC 1661 section 2; RFC 1662 section 3.1 for the optional address and control bytes; a
/// protocol number whose first byte is odd is compressed to that byte). Cisco's HDLC (RFC 1547
/// section 4.3.1) has another address and an EtherType.
fn ppp(frame: &[u8], mut at: usize) -> Result<(usize, Layer), Skip> {
    match be16(frame, at) {
        Some(0x0f00 | 0x8f00) => {
            return Ok((at + 4, Layer::Type(be16(frame, at + 2).ok_or(Skip::Cut)?)));
        }
        Some(0xff03) => at += 2,
        _ => {}
    }
    let first = *frame.get(at).ok_or(Skip::Cut)?;
    let (protocol, length) =
        if first & 1 == 1 { (u16::from(first), 1) } else { (be16(frame, at).ok_or(Skip::Cut)?, 2) };
    match protocol {
        0x0021 | 0x0057 => Ok((at + length, Layer::Ip)),
        0x0281 | 0x0283 => label::below(frame, at + length, protocol),
        _ => Err(Skip::NotIp(protocol)),
    }
}

/// The address family is 2 for IPv4 everywhere; IPv6 is 10, 23, 24, 28 or 30 by system.
fn loopback(frame: &[u8]) -> Result<usize, Skip> {
    let family = u32::from_le_bytes(*chunk::<4>(frame, 0).ok_or(Skip::Cut)?);
    let family = if family > 0xffff { family.swap_bytes() } else { family };
    match family {
        2 | 10 | 23 | 24 | 28 | 30 => Ok(4),
        _ => Err(Skip::NotIp(u16::try_from(family).unwrap_or(u16::MAX))),
    }
}

/// A header of Linux's cooked captures.
pub(super) struct Cooked {
    length: usize,
    arphrd: u16,
    protocol: u16,
}

/// LINKTYPE_LINUX_SLL: packet type, ARPHRD, address length, address, protocol.
#[inline]
pub(super) fn cooked1(frame: &[u8]) -> Option<Cooked> {
    let h = chunk::<16>(frame, 0)?;
    let (arphrd, protocol) = ([h[2], h[3]], [h[14], h[15]]);
    Some(Cooked::new(h.len(), arphrd, protocol))
}

/// LINKTYPE_LINUX_SLL2: protocol, reserved, interface, ARPHRD, type, address.
#[inline]
pub(super) fn cooked2(frame: &[u8]) -> Option<Cooked> {
    let h = chunk::<20>(frame, 0)?;
    let (arphrd, protocol) = ([h[8], h[9]], [h[0], h[1]]);
    Some(Cooked::new(h.len(), arphrd, protocol))
}

impl Cooked {
    #[inline]
    const fn new(length: usize, arphrd: [u8; 2], protocol: [u8; 2]) -> Self {
        let (arphrd, protocol) = (u16::from_be_bytes(arphrd), u16::from_be_bytes(protocol));
        Self { length, arphrd, protocol }
    }

    /// Where the IP header begins when it follows at once.
    #[inline]
    pub(super) fn plain(&self) -> Option<usize> {
        let ip = self.protocol == IPV4 || self.protocol == IPV6;
        (ip && self.arphrd != ARPHRD_NETLINK).then_some(self.length)
    }
}

fn cooked(frame: &[u8], header: Option<Cooked>) -> Result<usize, Skip> {
    let Cooked { length, arphrd, protocol } = header.ok_or(Skip::Cut)?;
    if arphrd == ARPHRD_NETLINK {
        return Err(Skip::NotIp(protocol));
    }
    by_ethertype(frame, length, protocol)
}
