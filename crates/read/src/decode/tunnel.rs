//! Tunnels: where the inner IP header is.

use super::ip::Ip;
use super::link;
use super::transport::UDP;
use crate::bytes::{be16, chunk};
use crate::packet::Fragment;

/// 3GPP TS 29.281 section 4.4.2.
const GTPU_PORT: u16 = 2152;
/// RFC 7348 section 5.
const VXLAN_PORT: u16 = 4789;
const IPV4_IN_IP: u8 = 4;
const IPV6_IN_IP: u8 = 41;
const GRE: u8 = 47;

/// The packet that a tunnel carries.
pub(super) struct Inner {
    /// Where its IP header begins.
    pub(super) at: usize,
    /// The GTP-U tunnel.
    pub(super) teid: Option<u32>,
}

/// Whether a packet of this protocol may be a tunnel's.
#[inline]
pub(super) const fn possible(protocol: u8) -> bool {
    matches!(protocol, UDP | IPV4_IN_IP | IPV6_IN_IP | GRE)
}

/// Looks for a packet within the packet.
pub(super) fn inner(frame: &[u8], ip: &Ip) -> Option<Inner> {
    if ip.fragment == Fragment::Later || ip.extensions_cut {
        return None;
    }
    match ip.protocol {
        IPV4_IN_IP | IPV6_IN_IP => Some(Inner { at: ip.at, teid: None }),
        GRE => gre(frame, ip.at).map(|at| Inner { at, teid: None }),
        UDP => udp(frame, ip.at),
        _ => None,
    }
}

fn udp(frame: &[u8], at: usize) -> Option<Inner> {
    let ports = (be16(frame, at)?, be16(frame, at + 2)?);
    match ports {
        (GTPU_PORT, _) | (_, GTPU_PORT) => gtpu(frame, at + 8),
        (_, VXLAN_PORT) => vxlan(frame, at + 8).map(|at| Inner { at, teid: None }),
        _ => None,
    }
}

/// A G-PDU (3GPP TS 29.281 sections 5.1 and 5.2): version 1, protocol type GTP, message type 255.
fn gtpu(frame: &[u8], at: usize) -> Option<Inner> {
    let header = chunk::<8>(frame, at)?;
    let flags = header[0];
    if flags & 0xf0 != 0x30 || header[1] != 255 {
        return None;
    }
    let teid = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
    let at = if flags & 0x07 == 0 { at + 8 } else { gtpu_extensions(frame, at + 8, flags)? };
    // 4 and 6 begin an IP header; a tunnel may also carry Ethernet or PPP, which stays UDP.
    matches!(frame.get(at)? >> 4, 4 | 6).then_some(Inner { at, teid: Some(teid) })
}

/// Sequence number, N-PDU number and next type stand when any of E, S and PN is set, and are
/// meaningful each with its own flag; an extension header is n * 4 bytes long and ends with the
/// next one's type.
fn gtpu_extensions(frame: &[u8], at: usize, flags: u8) -> Option<usize> {
    let mut next = *frame.get(at + 3)?;
    let mut at = at + 4;
    if flags & 0x04 == 0 {
        return Some(at);
    }
    while next != 0 {
        let length = usize::from(*frame.get(at)?) * 4;
        if length == 0 {
            return None;
        }
        at += length;
        next = *frame.get(at - 1)?;
    }
    Some(at)
}

/// RFC 7348 section 5: the I flag and reserved zeros, then an Ethernet frame.
fn vxlan(frame: &[u8], at: usize) -> Option<usize> {
    let header = chunk::<8>(frame, at)?;
    if !matches!(header, [0x08, 0, 0, 0, _, _, _, 0]) {
        return None;
    }
    link::ethernet(frame, at + 8).ok()
}

/// RFC 2784 section 2, RFC 2890 section 2 (key, sequence), RFC 2637 section 4.1 (version 1, PPP).
fn gre(frame: &[u8], at: usize) -> Option<usize> {
    let (flags, protocol) = (be16(frame, at)?, be16(frame, at + 2)?);
    let optional = |bit: u16| if flags & bit != 0 { 4 } else { 0 };
    let at = at + 4 + optional(0x8000) + optional(0x2000) + optional(0x1000);
    match (flags & 0x4007, protocol) {
        (0, 0x6558) => link::ethernet(frame, at).ok(),
        (0, _) => link::by_ethertype(frame, at, protocol).ok(),
        (1, 0x880b) => link::ppp(frame, at + optional(0x0080)).ok(),
        _ => None,
    }
}
