//! Walks from a layer of a frame to the IP header, over at most [`MAX_LAYERS`] layers, so that the
//! walk ends for any input.

use super::label;
use super::layer::{IPV4, IPV6, Layer, MAX_LAYERS, VLAN, llc};
use super::skip::Skip;
use crate::bytes::{be16, chunk};

/// EtherTypes of MPLS: unicast (RFC 3032 section 5) and upstream-assigned labels (RFC 5332).
const MPLS: [u16; 2] = [0x8847, 0x8848];

/// EtherTypes of PPPoE: the discovery and the session stage (RFC 2516 section 5).
const PPPOE_DISCOVERY: u16 = 0x8863;

const PPPOE_SESSION: u16 = 0x8864;

/// A smaller number in the field of the EtherType is a length (IEEE 802.3 clause 3.2.6).
const LARGEST_LENGTH: u16 = 1500;

/// The offset at which the IP header of the Ethernet frame at `at` begins.
#[inline]
pub(super) fn ethernet(frame: &[u8], at: usize) -> Result<usize, Skip> {
    let header = chunk::<14>(frame, at).ok_or(Skip::Cut)?;
    let ethertype = u16::from_be_bytes([header[12], header[13]]);
    if ethertype == IPV4 || ethertype == IPV6 {
        return Ok(at + 14);
    }
    by_ethertype(frame, at + 14, ethertype)
}

/// The offset at which the IP header begins in the data that an EtherType announces at `at`.
pub(super) fn by_ethertype(frame: &[u8], at: usize, ethertype: u16) -> Result<usize, Skip> {
    walk(frame, at, Layer::Type(ethertype))
}

/// The offset at which the IP header begins in a PPP frame.
pub(super) fn in_ppp(frame: &[u8], at: usize) -> Result<usize, Skip> {
    walk(frame, at, Layer::Ppp)
}

pub(super) fn walk(frame: &[u8], mut at: usize, mut layer: Layer) -> Result<usize, Skip> {
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

/// Reads a PPPoE header (RFC 2516 section 4): version and type, code (0 in the session stage),
/// session, length.
fn pppoe(frame: &[u8], at: usize) -> Result<(usize, Layer), Skip> {
    match frame.get(at + 1).ok_or(Skip::Cut)? {
        0 => Ok((at + 6, Layer::Ppp)),
        _ => Err(Skip::NotIp(PPPOE_DISCOVERY)),
    }
}

/// Reads a PPP header (RFC 1661 section 2). The address and control bytes are optional (RFC 1662
/// section 3.1), and a protocol number whose first byte is odd is compressed to that byte. Cisco's
/// HDLC (RFC 1547 section 4.3.1) has another address, and an EtherType.
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
