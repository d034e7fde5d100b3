//! What an Ethertype, or the length in its place, announces.

use super::label;
use super::layer::{IPV4, IPV6, Layer, VLAN};
use super::skip::Skip;
use crate::bytes::{be16, chunk};

/// RFC 3032 section 5: MPLS unicast and (RFC 5332) upstream-assigned labels.
const MPLS: [u16; 2] = [0x8847, 0x8848];

/// RFC 2516 section 5: the discovery and the session stage.
pub(super) const PPPOE_DISCOVERY: u16 = 0x8863;

const PPPOE_SESSION: u16 = 0x8864;

/// Below this an EtherType is a length (IEEE 802.3 clause 3.2.6).
const LARGEST_LENGTH: u16 = 1500;

pub(super) fn announced(frame: &[u8], at: usize, ethertype: u16) -> Result<(usize, Layer), Skip> {
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
