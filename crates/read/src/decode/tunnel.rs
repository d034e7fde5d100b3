//! Recognises tunnels, and finds the beginning of the inner IP header.

use super::ip::Ip;
use super::skip::Skip;
use super::transport::UDP;
use super::walk;
use crate::bytes::{be16, chunk, part};
use crate::packet::Fragment;

/// The UDP port of GTP-U (3GPP TS 29.281 section 4.4.2).
const GTPU_PORT: u16 = 2152;
/// The UDP port of VXLAN (RFC 7348 section 5).
const VXLAN_PORT: u16 = 4789;
/// The UDP port that Linux used for VXLAN before IANA had assigned one.
const VXLAN_OLD_PORT: u16 = 8472;
/// The UDP port of VXLAN-GPE (draft-ietf-nvo3-vxlan-gpe section 3).
const VXLAN_GPE_PORT: u16 = 4790;
/// The UDP port of Geneve (RFC 8926 section 3.3).
const GENEVE_PORT: u16 = 6081;
/// The UDP port of L2TP (RFC 2661 section 8.1).
const L2TP_PORT: u16 = 1701;
/// EtherTypes of frames within GRE (RFC 1701; draft-foschiano-erspan).
const TRANSPARENT_ETHERNET: u16 = 0x6558;
const ERSPAN_2: u16 = 0x88be;
const ERSPAN_3: u16 = 0x22eb;
const IPV4_IN_IP: u8 = 4;
const IPV6_IN_IP: u8 = 41;
const GRE: u8 = 47;
/// The greatest number of nested tunnels that are removed. GTP-U in GRE in the IP-in-IP of IPsec
/// gateways needs three.
pub(crate) const MAX_TUNNELS: u32 = 8;

/// The packet that a tunnel carries.
pub(super) struct Inner {
    /// The offset at which the inner IP header begins.
    pub(super) at: usize,
    /// The TEID, if the tunnel is a GTP-U tunnel.
    pub(super) teid: Option<u32>,
}

/// Whether a packet of this protocol may carry another packet.
#[inline]
pub(super) const fn possible(protocol: u8) -> bool {
    matches!(protocol, UDP | IPV4_IN_IP | IPV6_IN_IP | GRE)
}

/// Whether a packet carries another one, by the protocol or the port of a tunnel.
pub(super) fn carries(frame: &[u8], ip: &Ip) -> bool {
    match ip.protocol {
        UDP => has_port(frame, ip.at),
        protocol => possible(protocol),
    }
}

/// Whether the UDP header at `at` has the port of a tunnel.
pub(super) fn has_port(frame: &[u8], at: usize) -> bool {
    ports(frame, at).is_some_and(|(source, destination)| {
        let known = [GTPU_PORT, VXLAN_PORT, VXLAN_OLD_PORT, VXLAN_GPE_PORT, GENEVE_PORT, L2TP_PORT];
        source == GTPU_PORT || source == L2TP_PORT || known.contains(&destination)
    })
}

/// Whether the UDP header at `at` has the port of GTP-U.
pub(super) fn is_gtpu(frame: &[u8], at: usize) -> bool {
    matches!(ports(frame, at), Some((GTPU_PORT, _) | (_, GTPU_PORT)))
}

/// Finds the packet that the given packet carries.
///
/// # Errors
/// [`Skip`] says why no inner header was reached. Only [`Skip::TooDeep`] means that the packet may
/// carry another one.
pub(super) fn inner(frame: &[u8], ip: &Ip) -> Result<Inner, Skip> {
    if ip.fragment == Fragment::Later || ip.extensions_cut {
        return Err(Skip::Cut);
    }
    // The bytes after the packet in the frame are padding.
    let frame = part(frame, 0..frame.len().min(ip.end));
    let plain = |at| Inner { at, teid: None };
    match ip.protocol {
        IPV4_IN_IP | IPV6_IN_IP => Ok(plain(ip.at)),
        GRE => gre(frame, ip.at).map(plain),
        UDP => udp(frame, ip.at),
        protocol => Err(Skip::NotIp(protocol.into())),
    }
}

fn udp(frame: &[u8], at: usize) -> Result<Inner, Skip> {
    let data = at + 8;
    let (source, destination) = ports(frame, at).ok_or(Skip::Cut)?;
    let at = match (source, destination) {
        (GTPU_PORT, _) | (_, GTPU_PORT) => {
            return gtpu(frame, data).ok_or(Skip::NotIp(GTPU_PORT));
        }
        (_, VXLAN_PORT | VXLAN_OLD_PORT) => vxlan(frame, data),
        (_, VXLAN_GPE_PORT) => vxlan_gpe(frame, data),
        (_, GENEVE_PORT) => geneve(frame, data),
        (L2TP_PORT, _) | (_, L2TP_PORT) => l2tp(frame, data),
        (_, other) => Err(Skip::NotIp(other)),
    };
    at.map(|at| Inner { at, teid: None })
}

fn ports(frame: &[u8], at: usize) -> Option<(u16, u16)> {
    Some((be16(frame, at)?, be16(frame, at + 2)?))
}

/// Reads the header of a G-PDU (3GPP TS 29.281 sections 5.1 and 5.2): version 1, protocol type GTP,
/// message type 255.
pub(super) fn gtpu(frame: &[u8], at: usize) -> Option<Inner> {
    let header = chunk::<8>(frame, at)?;
    let flags = header[0];
    if flags & 0xf0 != 0x30 || header[1] != 255 {
        return None;
    }
    let teid = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
    let at = if flags & 0x07 == 0 { at + 8 } else { gtpu_extensions(frame, at + 8, flags)? };
    // An IP header begins with 4 or 6. The tunnel may also carry Ethernet or PPP; such a packet
    // stays UDP.
    matches!(frame.get(at)? >> 4, 4 | 6).then_some(Inner { at, teid: Some(teid) })
}

/// Skips the optional fields. Sequence number, N-PDU number and next type are present if any of the
/// flags E, S and PN is set, and each is valid only if its own flag is set. An extension header is
/// n * 4 bytes long and ends with the type of the next one.
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

/// Reads a VXLAN header (RFC 7348 section 5): the I flag and reserved zeros, then an Ethernet
/// frame.
fn vxlan(frame: &[u8], at: usize) -> Result<usize, Skip> {
    match header::<8>(frame, at)? {
        [0x08, 0, 0, 0, _, _, _, 0] => walk::ethernet(frame, at + 8),
        _ => Err(Skip::Malformed),
    }
}

/// Reads a VXLAN-GPE header (draft-ietf-nvo3-vxlan-gpe section 3): I and P flags, and the protocol
/// number.
fn vxlan_gpe(frame: &[u8], at: usize) -> Result<usize, Skip> {
    match header::<8>(frame, at)? {
        [0x0c, 0, 0, 1 | 2, ..] => Ok(at + 8),
        [0x0c, 0, 0, 3, ..] => walk::ethernet(frame, at + 8),
        _ => Err(Skip::Malformed),
    }
}

/// Reads a Geneve header (RFC 8926 section 3.4): version 0, length of the options in 32-bit words,
/// EtherType.
fn geneve(frame: &[u8], at: usize) -> Result<usize, Skip> {
    let &[lengths, _, high, low, ..] = header::<8>(frame, at)?;
    let options = usize::from(lengths & 0x3f) * 4;
    match lengths >> 6 {
        0 => by_announced(frame, at + 8 + options, u16::from_be_bytes([high, low])),
        _ => Err(Skip::Malformed),
    }
}

/// Reads an L2TP header (RFC 2661 section 3.1): data messages of version 2 that contain PPP. Flags
/// say whether length, sequence numbers and offset are present.
fn l2tp(frame: &[u8], at: usize) -> Result<usize, Skip> {
    const CONTROL: u16 = 0x8000;
    const VERSION: u16 = 0x000f;
    let flags = number(frame, at)?;
    if flags & (CONTROL | VERSION) != 2 {
        return Err(Skip::Malformed);
    }
    let optional = |bit: u16, bytes: usize| if flags & bit != 0 { bytes } else { 0 };
    let mut at = at + 2 + optional(0x4000, 2) + 4 + optional(0x0800, 4);
    if flags & 0x0200 != 0 {
        at += 2 + usize::from(number(frame, at)?);
    }
    walk::in_ppp(frame, at)
}

/// Reads a GRE header: RFC 2784 section 2, RFC 2890 section 2 (key, sequence), RFC 2637 section 4.1
/// (version 1, PPP).
fn gre(frame: &[u8], at: usize) -> Result<usize, Skip> {
    let (flags, protocol) = (number(frame, at)?, number(frame, at + 2)?);
    let optional = |bit: u16| if flags & bit != 0 { 4 } else { 0 };
    let at = at + 4 + optional(0x8000) + optional(0x2000) + optional(0x1000);
    match (flags & 0x4007, protocol) {
        (0, ERSPAN_2) => erspan_2(frame, at, flags & 0x1000 != 0),
        (0, ERSPAN_3) => erspan_3(frame, at),
        (0, _) => by_announced(frame, at, protocol),
        (1, 0x880b) => walk::in_ppp(frame, at + optional(0x0080)),
        _ => Err(Skip::Malformed),
    }
}

/// Finds the IP header by the protocol field of a GRE-like header: an EtherType, or transparent
/// Ethernet bridging.
fn by_announced(frame: &[u8], at: usize, protocol: u16) -> Result<usize, Skip> {
    match protocol {
        TRANSPARENT_ETHERNET => walk::ethernet(frame, at),
        _ => walk::by_ethertype(frame, at, protocol),
    }
}

/// Reads an ERSPAN header of type II, which has a sequence number and a header of 8 bytes
/// (draft-foschiano-erspan section 4.2), or of type I, which has neither (section 4.1).
fn erspan_2(frame: &[u8], at: usize, numbered: bool) -> Result<usize, Skip> {
    let header = if numbered { 8 } else { 0 };
    walk::ethernet(frame, at + header)
}

/// Reads an ERSPAN header of type III: 12 bytes, and 8 more if the last bit is set
/// (draft-foschiano-erspan section 4.3).
fn erspan_3(frame: &[u8], at: usize) -> Result<usize, Skip> {
    let header = header::<12>(frame, at)?;
    walk::ethernet(frame, at + 12 + if header[11] & 1 == 1 { 8 } else { 0 })
}

fn header<const N: usize>(frame: &[u8], at: usize) -> Result<&[u8; N], Skip> {
    chunk(frame, at).ok_or(Skip::Cut)
}

fn number(frame: &[u8], at: usize) -> Result<u16, Skip> {
    be16(frame, at).ok_or(Skip::Cut)
}
