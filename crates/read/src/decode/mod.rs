//! One frame -> one [`Packet`]: link header, IP, tunnels peeled, transport header.
//!
//! Promise: no input makes a function here panic or read beyond the captured bytes, and every
//! length comes from the innermost IP header, so that the snap length does not change a number
//! (methods A1). Positions are offsets into the frame; `end` is where a layer ends on the wire and
//! may lie beyond the captured bytes.

pub(crate) mod bulk;
mod carrier;
mod ip;
mod label;
mod link;
mod mptcp;
pub(crate) mod plain;
mod tcp;
mod transport;
mod tunnel;
mod wireless;

use airmile_types::Instant;

use crate::bytes::part;
use crate::link_type::LinkType;
use crate::packet::{Fragment, Packet, Transport};
pub(crate) use carrier::{Carrier, carrier};
use ip::Ip;

/// Tunnels within tunnels that are peeled: GTP-U in GRE in IPsec gateways' IP-in-IP needs three.
const MAX_TUNNELS: u32 = 8;

/// More payload than this in one packet is several segments that offload joined: Ethernet's MTU
/// (IEEE 802.3 clause 3.2.7), which no path over a cellular link exceeds (3GPP TS 23.060 annex C).
const SUPER_SEGMENT_BYTES: u32 = 1500;

/// An Ethernet frame of this length (without FCS) or shorter may end with padding (IEEE 802.3
/// clause 4.2.3.3).
const ETHERNET_MINIMUM: usize = 60;

/// Why a frame gave no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// The frame holds another protocol; its EtherType (PPP protocol, address family).
    NotIp(u16),
    /// The capture ends before the IP header does.
    Cut,
    /// The IP header contradicts itself.
    Malformed,
    /// The frame's interface has a link type that is refused; its number.
    LinkType(u32),
    /// A fragment of a tunnel's packet: what it carries belongs to a packet that is counted with
    /// another of its fragments.
    TunnelFragment,
    /// Link headers within link headers without end.
    TooDeep,
    /// An IEEE 802.11 frame that is encrypted, an aggregate, or holds no data.
    Wireless,
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotIp(0x0806) => f.write_str("not IP: ARP"),
            Self::NotIp(0x88cc) => f.write_str("not IP: LLDP"),
            Self::NotIp(0x888e) => f.write_str("not IP: EAPOL"),
            Self::NotIp(0..=1500) => f.write_str("not IP: LLC or address family"),
            Self::NotIp(protocol) => write!(f, "not IP: protocol 0x{protocol:04x}"),
            Self::Cut => f.write_str("headers cut by the snap length"),
            Self::Malformed => f.write_str("malformed IP header"),
            Self::TunnelFragment => f.write_str("a further fragment of a tunnel's packet"),
            Self::TooDeep => f.write_str("link headers nested too deep"),
            Self::Wireless => f.write_str("not IP: IEEE 802.11 without readable data"),
            Self::LinkType(number) => {
                write!(f, "link type {number} ({})", crate::link_type::link_type_name(*number))
            }
        }
    }
}

/// What else the decoder noticed, as a set of bits; each is counted in the input's report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remarks(u8);

impl Remarks {
    /// The IP header claims more bytes than the frame had on the wire.
    pub(crate) const LENGTH_LIE: Self = Self(1);
    /// The transport header, or an extension header before it, was not captured whole.
    pub(crate) const CUT: Self = Self(2);
    /// The transport header contradicts itself.
    pub(crate) const MALFORMED: Self = Self(4);
    /// A tunnel was peeled.
    pub(crate) const TUNNEL: Self = Self(8);

    /// Adds a remark where a condition holds.
    #[inline]
    const fn add(&mut self, remark: Self, holds: bool) {
        self.0 |= remark.0 * holds as u8;
    }

    /// Whether there is none.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// 1 when the remark was made.
    pub(crate) const fn count(self, remark: Self) -> u64 {
        (self.0 & remark.0 != 0) as u64
    }
}

/// Where the innermost IP packet of a frame is, reached by the general way.
pub(crate) struct Located {
    ip: Ip,
    teid: Option<u32>,
    remarks: Remarks,
    /// The frame is so short that padding cannot be told from payload.
    padded: bool,
    /// A layer that may be a tunnel's was fragmented: see [`carrier`].
    pub(crate) fragmented: bool,
    /// It lies in a datagram that was put together from fragments.
    pub(crate) joined: bool,
}

/// A frame as a capture file gives it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// How it begins.
    pub link: LinkType,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// Its length on the wire, in bytes, without frame check sequence.
    pub wire_bytes: usize,
    /// When the tap saw it.
    pub time: Instant,
    /// The interface it came from.
    pub interface: u32,
}

/// Decodes one frame.
///
/// # Errors
/// [`Skip`] says why the frame holds no IP packet.
pub fn decode(frame: Frame<'_>) -> Result<Packet<'_>, Skip> {
    match plain::locate(&frame).and_then(|plain| plain.packet(frame, 0)) {
        Some(packet) => Ok(packet),
        None => Ok(finish(frame, &locate(&frame)?).0),
    }
}

/// Finds the innermost IP packet. Kept out of line, as is [`finish`]: inlined, they would spill the
/// registers of the plain way.
#[inline(never)]
pub(crate) fn locate(frame: &Frame<'_>) -> Result<Located, Skip> {
    let bytes = frame.bytes;
    let wire = frame.wire_bytes.max(bytes.len());
    let at = link::network(frame.link, bytes)?;
    let mut ip = ip::parse(bytes, at, wire)?;
    let mut remarks = Remarks::default();
    remarks.add(Remarks::LENGTH_LIE, ip.end > wire);
    let (mut teid, mut fragmented) = (None, false);
    if tunnel::possible(ip.protocol) {
        (teid, fragmented) = peel(bytes, &mut ip, &mut remarks);
    }
    let padded = ip.length_was_zero && frame.link == LinkType::Ethernet && wire <= ETHERNET_MINIMUM;
    Ok(Located { ip, teid, remarks, padded, fragmented, joined: false })
}

/// Replaces `ip` by the innermost IP header that can be reached; gives the TEID if GTP-U was met,
/// and whether a layer on the way was fragmented.
fn peel(bytes: &[u8], ip: &mut Ip, remarks: &mut Remarks) -> (Option<u32>, bool) {
    let (mut teid, mut fragmented) = (None, false);
    for _ in 0..MAX_TUNNELS {
        fragmented |= ip.fragment != Fragment::Whole && tunnel::possible(ip.protocol);
        let Some(inner) = tunnel::inner(bytes, ip) else { break };
        // What follows the packet in the frame is padding.
        let Ok(next) = ip::parse(part(bytes, 0..bytes.len().min(ip.end)), inner.at, ip.end) else {
            break;
        };
        // The first outer fragment is shorter than the packet inside: that is no lie.
        let lie = next.end > ip.end && ip.fragment == Fragment::Whole;
        remarks.add(Remarks::LENGTH_LIE, lie);
        remarks.add(Remarks::TUNNEL, true);
        teid = inner.teid.or(teid);
        *ip = next;
    }
    (teid, fragmented)
}

impl Located {
    /// As found in a datagram that was put together, with a tunnel around it.
    pub(crate) fn in_datagram(self, teid: Option<u32>) -> Self {
        Self { teid: self.teid.or(teid), joined: true, ..self }
    }
}

/// Reads the transport header of what was located in the frame.
#[inline(never)]
pub(crate) fn finish<'a>(frame: Frame<'a>, located: &Located) -> (Packet<'a>, Remarks) {
    let Located { ip, teid, remarks, padded, .. } = located;
    let mut remarks = *remarks;
    let captured_end = ip.end.min(frame.bytes.len());
    let transport = frame.bytes.get(ip.at..captured_end).unwrap_or_default();
    let header = transport::parse(transport, ip);
    // A header that lacks bytes though the IP packet is captured whole never had them.
    let short = header.cut || ip.extensions_cut;
    let cut = short && captured_end < ip.end;
    remarks.add(Remarks::CUT, cut);
    remarks.add(Remarks::MALFORMED, header.malformed || short && captured_end == ip.end);
    // What the snap length cut of a header is no payload (methods A1).
    let length =
        if cut { header.length.max(transport::least(transport, ip)) } else { header.length };
    let at = ip.at + length;
    let end = if *padded { at } else { ip.end };
    let payload_bytes = saturate(end.saturating_sub(at));
    let oversize = payload_bytes > SUPER_SEGMENT_BYTES && ip.fragment == Fragment::Whole;
    let packet = Packet {
        time: frame.time,
        frame: 0,
        source: ip.source,
        destination: ip.destination,
        ip_protocol: ip.protocol,
        ip_version: ip.version,
        hop_limit: ip.hop_limit,
        ecn: ip.ecn,
        ip_id: (ip.id & 0xffff) as u16,
        fragment: ip.fragment,
        teid: *teid,
        interface: frame.interface,
        super_segment: (ip.length_was_zero && !padded) || oversize,
        ip_bytes: saturate(end.max(ip.at) - ip.start),
        payload_bytes,
        payload: frame.bytes.get(at..captured_end.min(end)).unwrap_or_default(),
        transport: header.transport,
    };
    (packet, remarks)
}

fn saturate(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// A transport header and how far it reaches.
struct Header {
    transport: Transport,
    /// Bytes from the transport header's start to the payload.
    length: usize,
    cut: bool,
    malformed: bool,
}

#[cfg(test)]
mod tests;
