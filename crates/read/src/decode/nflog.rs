//! Reads the packets that Linux's firewall logs (LINKTYPE_NFLOG): the address family, a version of
//! 0 and a resource number (`struct nfgenmsg` of linux/netfilter/nfnetlink.h), then attributes, one
//! of which contains the IP packet.

use super::skip::Skip;
use crate::bytes::{Order, chunk};

/// The length of the address family, the version and the resource number.
const HEADER: usize = 4;
/// The length of an attribute's own length and type, which its length includes.
const ATTRIBUTE_HEADER: usize = 4;
/// NFULA_PAYLOAD: the attribute with the packet (linux/netfilter/nfnetlink_log.h).
const PAYLOAD: u16 = 9;
/// NLA_TYPE_MASK: the upper bits of a type are flags (linux/netlink.h).
const TYPE: u16 = 0x3fff;

/// The offset at which the IP header begins in a frame with this header. The numbers of the
/// attributes have the byte order of the machine that captured, which is little-endian nearly
/// always; read in the wrong order, the attributes do not lead to a packet.
pub(super) fn network(frame: &[u8]) -> Result<usize, Skip> {
    match chunk::<HEADER>(frame, 0).ok_or(Skip::Cut)? {
        [_, 0, ..] => {
            payload(frame, Order::Little).or_else(|skip| payload(frame, Order::Big).or(Err(skip)))
        }
        _ => Err(Skip::LinkHeader),
    }
}

/// The offset of the payload. Each attribute is at least 4 bytes long, so the captured bytes bound
/// the loop.
fn payload(frame: &[u8], order: Order) -> Result<usize, Skip> {
    let mut at = HEADER;
    while at < frame.len() {
        let length = order.u16_at(frame, at).ok_or(Skip::Cut)?;
        let kind = order.u16_at(frame, at + 2).ok_or(Skip::Cut)? & TYPE;
        let length = usize::from(length);
        if length < ATTRIBUTE_HEADER {
            return Err(Skip::LinkHeader);
        }
        if kind == PAYLOAD {
            return ip(frame, at + ATTRIBUTE_HEADER);
        }
        // The values are padded to 32 bits (NLA_ALIGNTO).
        at += length.next_multiple_of(4);
    }
    Err(if at == frame.len() { Skip::Empty } else { Skip::Cut })
}

/// The offset `at` if an IP header begins there; a bridge logs other packets too.
fn ip(frame: &[u8], at: usize) -> Result<usize, Skip> {
    match frame.get(at).ok_or(Skip::Cut)? >> 4 {
        4 | 6 => Ok(at),
        _ => Err(Skip::NotIp(frame.first().copied().unwrap_or_default().into())),
    }
}
