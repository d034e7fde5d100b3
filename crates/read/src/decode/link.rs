//! Finds the IP header of a frame, by the link type of the capture.

use super::layer::{IPV4, IPV6, Layer};
use super::skip::Skip;
use super::walk::{by_ethertype, ethernet, walk};
use super::{nflog, pktap, ppi, wireless};
use crate::bytes::chunk;
use crate::link_type::{LinkType, USER2};

/// ARPHRD_NETLINK: with this type, the protocol field of a cooked header is a netlink family.
const ARPHRD_NETLINK: u16 = 824;

/// The offset at which the IP header of a frame begins.
#[inline]
pub(super) fn network(link: LinkType, frame: &[u8]) -> Result<usize, Skip> {
    match link {
        LinkType::Ethernet => ethernet(frame, 0).or_else(|skip| misnamed(frame, skip)),
        LinkType::Raw => Ok(0),
        LinkType::Loopback => loopback(frame),
        LinkType::Ppp => walk(frame, 0, Layer::Ppp),
        LinkType::PppoE => walk(frame, 0, Layer::PppoE),
        LinkType::Cooked1 => cooked(frame, cooked1(frame)),
        LinkType::Cooked2 => cooked(frame, cooked2(frame)),
        LinkType::Wireless => wireless::plain(frame),
        LinkType::Radiotap => wireless::radiotap(frame),
        LinkType::Pktap => within(frame, pktap::inner(frame)?),
        LinkType::User2 => misnamed(frame, Skip::LinkType(USER2)),
        LinkType::Ppi => within(frame, ppi::inner(frame)?),
        LinkType::Nflog => nflog::network(frame),
    }
}

/// The offset at which the IP header begins in a PKTAP frame of a capture that names another link
/// type; `skip` if the frame is none.
#[cold]
fn misnamed(frame: &[u8], skip: Skip) -> Result<usize, Skip> {
    if pktap::is_likely(frame) { within(frame, pktap::inner(frame)?) } else { Err(skip) }
}

/// The offset at which the IP header begins in the frame of another link type that follows a
/// header of `length` bytes. Headers of captures are not nested.
fn within(frame: &[u8], (length, number): (u32, u32)) -> Result<usize, Skip> {
    use LinkType::{Nflog, Pktap, Ppi, User2};
    let start = usize::try_from(length).unwrap_or(usize::MAX);
    let inner = frame.get(start..).ok_or(Skip::Cut)?;
    match LinkType::from_number(number) {
        None | Some(Pktap | User2 | Ppi | Nflog) => Err(Skip::LinkType(number)),
        Some(LinkType::Ethernet) => ethernet(inner, 0).map(|at| start + at),
        Some(link) => network(link, inner).map(|at| start + at),
    }
}

/// Reads a loopback header. The address family is 2 for IPv4 on every system; for IPv6 it is 10,
/// 23, 24, 28 or 30.
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

/// Reads the header of LINKTYPE_LINUX_SLL: packet type, ARPHRD, address length, address, protocol.
#[inline]
pub(super) fn cooked1(frame: &[u8]) -> Option<Cooked> {
    let h = chunk::<16>(frame, 0)?;
    let (arphrd, protocol) = ([h[2], h[3]], [h[14], h[15]]);
    Some(Cooked::new(h.len(), arphrd, protocol))
}

/// Reads the header of LINKTYPE_LINUX_SLL2: protocol, reserved, interface, ARPHRD, type, address.
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

    /// The offset of the IP header if it directly follows the cooked header.
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
