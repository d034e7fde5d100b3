//! From a frame's first byte to its IP header.

use super::Skip;
use crate::bytes::{be16, chunk};
use crate::link_type::LinkType;

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
/// IEEE 802.1Q, 802.1ad, and the tags that switches used before 802.1ad.
const VLAN: [u16; 4] = [0x8100, 0x88a8, 0x9100, 0x9200];
/// RFC 3032 section 5: MPLS unicast and (RFC 5332) upstream-assigned labels.
const MPLS: [u16; 2] = [0x8847, 0x8848];
/// RFC 2516 section 5: the session stage.
const PPPOE_SESSION: u16 = 0x8864;
/// Below this an EtherType is a length (IEEE 802.3 clause 3.2.6).
const LARGEST_LENGTH: u16 = 1500;
/// ARPHRD_NETLINK: the protocol field of a cooked header is then a netlink family.
const ARPHRD_NETLINK: u16 = 824;

/// Where the IP header of a frame begins.
#[inline]
pub(super) fn network(link: LinkType, frame: &[u8]) -> Result<usize, Skip> {
    match link {
        LinkType::Ethernet => ethernet(frame, 0),
        LinkType::Raw => Ok(0),
        LinkType::Loopback => loopback(frame),
        LinkType::Ppp => ppp(frame, 0),
        LinkType::Cooked1 => cooked1(frame),
        LinkType::Cooked2 => cooked2(frame),
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
    let (at, ethertype) = untag(frame, at, ethertype)?;
    match ethertype {
        0..=LARGEST_LENGTH => llc(frame, at, ethertype),
        _ => by_protocol(frame, at, ethertype),
    }
}

/// Strips VLAN tags.
fn untag(frame: &[u8], mut at: usize, mut ethertype: u16) -> Result<(usize, u16), Skip> {
    while VLAN.contains(&ethertype) {
        ethertype = be16(frame, at + 2).ok_or(Skip::Cut)?;
        at += 4;
    }
    Ok((at, ethertype))
}

/// What is neither tag nor LLC. It never comes back to LLC, so hostile nests do not recurse.
fn by_protocol(frame: &[u8], at: usize, ethertype: u16) -> Result<usize, Skip> {
    match ethertype {
        IPV4 | IPV6 => Ok(at),
        PPPOE_SESSION => ppp(frame, at + 6),
        _ if MPLS.contains(&ethertype) => mpls(frame, at, ethertype),
        _ => Err(Skip::NotIp(ethertype)),
    }
}

/// A label stack (RFC 3032); what follows is told by its first nibble (RFC 4928 section 3): 4 and
/// 6 are IP, 0 is a pseudowire's control word (RFC 4385) before an Ethernet frame.
fn mpls(frame: &[u8], mut at: usize, ethertype: u16) -> Result<usize, Skip> {
    loop {
        let entry = chunk::<4>(frame, at).ok_or(Skip::Cut)?;
        at += 4;
        if entry[2] & 1 == 1 {
            break;
        }
    }
    match frame.get(at).ok_or(Skip::Cut)? >> 4 {
        4 | 6 => Ok(at),
        0 => pseudowire(frame, at + 4),
        _ => Err(Skip::NotIp(ethertype)),
    }
}

/// The Ethernet frame of a pseudowire, with IP or nothing for us in it.
fn pseudowire(frame: &[u8], at: usize) -> Result<usize, Skip> {
    let ethertype = be16(frame, at + 12).ok_or(Skip::Cut)?;
    match untag(frame, at + 14, ethertype)? {
        (at, IPV4 | IPV6) => Ok(at),
        (_, ethertype) => Err(Skip::NotIp(ethertype)),
    }
}

/// LLC with SNAP (IEEE 802 clause 9.2.4) may hold IP; other LLC does not.
fn llc(frame: &[u8], at: usize, length: u16) -> Result<usize, Skip> {
    let header = chunk::<8>(frame, at).ok_or(Skip::NotIp(length))?;
    let [0xaa, 0xaa, 3, 0, 0, 0 | 0xf8, high, low] = *header else {
        return Err(Skip::NotIp(length));
    };
    let (at, ethertype) = untag(frame, at + 8, u16::from_be_bytes([high, low]))?;
    by_protocol(frame, at, ethertype)
}

/// PPP (RFC 1661 section 2; RFC 1662 section 3.1 for the optional address and control bytes; a
/// protocol number whose first byte is odd is compressed to that byte).
pub(super) fn ppp(frame: &[u8], mut at: usize) -> Result<usize, Skip> {
    if be16(frame, at) == Some(0xff03) {
        at += 2;
    }
    let first = *frame.get(at).ok_or(Skip::Cut)?;
    let (protocol, length) =
        if first & 1 == 1 { (u16::from(first), 1) } else { (be16(frame, at).ok_or(Skip::Cut)?, 2) };
    match protocol {
        0x0021 | 0x0057 => Ok(at + length),
        0x0281 => mpls(frame, at + length, protocol),
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

/// 16 bytes (LINKTYPE_LINUX_SLL): packet type, ARPHRD, address length, address, protocol.
fn cooked1(frame: &[u8]) -> Result<usize, Skip> {
    let header = chunk::<16>(frame, 0).ok_or(Skip::Cut)?;
    let arphrd = u16::from_be_bytes([header[2], header[3]]);
    cooked(frame, 16, arphrd, u16::from_be_bytes([header[14], header[15]]))
}

/// 20 bytes (LINKTYPE_LINUX_SLL2): protocol, reserved, interface, ARPHRD, type, address.
fn cooked2(frame: &[u8]) -> Result<usize, Skip> {
    let header = chunk::<20>(frame, 0).ok_or(Skip::Cut)?;
    let arphrd = u16::from_be_bytes([header[8], header[9]]);
    cooked(frame, 20, arphrd, u16::from_be_bytes([header[0], header[1]]))
}

fn cooked(frame: &[u8], at: usize, arphrd: u16, protocol: u16) -> Result<usize, Skip> {
    if arphrd == ARPHRD_NETLINK {
        return Err(Skip::NotIp(protocol));
    }
    by_ethertype(frame, at, protocol)
}
