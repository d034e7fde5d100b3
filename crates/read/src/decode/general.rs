//! Decodes any frame: it reads every link header, tunnel and transport that is supported.

use super::device::Access;
use super::frame::Frame;
use super::ip::{self, Ip};
use super::located::Located;
use super::remarks::Remarks;
use super::skip::Skip;
use super::{carrier, link, transport, tunnel};
use crate::bytes::{part, saturate};
use crate::link_type::LinkType;
use crate::packet::{Fragment, Packet, SUPER_SEGMENT_BYTES, Transport};

/// An Ethernet frame of at most this length (without FCS) may end with padding (IEEE 802.3 clause
/// 4.2.3.3).
const ETHERNET_MINIMUM: usize = 60;

/// Finds the innermost IP packet. Neither this function nor [`finish`] is inlined, because both
/// would take registers from the fast decoder.
#[inline(never)]
pub(crate) fn locate(frame: &Frame<'_>) -> Result<Located, Skip> {
    let bytes = frame.bytes;
    if bytes.is_empty() {
        return Err(Skip::Empty);
    }
    let wire = frame.wire_bytes.max(bytes.len());
    let at = link::network(frame.link, bytes)?;
    let mut ip = ip::parse(bytes, at, wire)?;
    let mut remarks = Remarks::default();
    remarks.add(Remarks::LENGTH_LIE, ip.end > wire);
    let (mut teid, mut fragmented) = (None, carrier::is_part(&ip));
    if tunnel::possible(ip.protocol) {
        (teid, fragmented) = peel(bytes, &mut ip, &mut remarks);
    }
    let padded = ip.length_was_zero && frame.link == LinkType::Ethernet && wire <= ETHERNET_MINIMUM;
    Ok(Located { ip, teid, remarks, padded, fragmented, joined: false })
}

/// Replaces `ip` by the innermost IP header that can be reached. Returns the TEID if there is a
/// GTP-U tunnel, and whether a layer on the way was fragmented.
fn peel(bytes: &[u8], ip: &mut Ip, remarks: &mut Remarks) -> (Option<u32>, bool) {
    let (mut teid, mut fragmented) = (None, false);
    for depth in 0..=tunnel::MAX_TUNNELS {
        fragmented |= carrier::is_part(ip);
        let inner = match tunnel::inner(bytes, ip) {
            Ok(inner) if depth < tunnel::MAX_TUNNELS => inner,
            Ok(_) | Err(Skip::TooDeep) => {
                remarks.add(Remarks::TOO_DEEP, true);
                break;
            }
            Err(_) => break,
        };
        // The bytes after the packet in the frame are padding.
        let Ok(next) = ip::parse(part(bytes, 0..bytes.len().min(ip.end)), inner.at, ip.end) else {
            break;
        };
        // If the first outer fragment is shorter than the inner packet, the length in the inner
        // header is still right.
        let lie = next.end > ip.end && ip.fragment == Fragment::Whole;
        remarks.add(Remarks::LENGTH_LIE, lie);
        remarks.add(Remarks::TUNNEL, true);
        teid = inner.teid.or(teid);
        *ip = next;
    }
    (teid, fragmented)
}

/// Reads the transport header of the packet that was located in the frame.
#[inline(never)]
pub(crate) fn finish<'a>(frame: Frame<'a>, located: &Located) -> (Packet<'a>, Remarks) {
    let Located { ip, teid, remarks, padded, .. } = located;
    let mut remarks = *remarks;
    let captured_end = ip.end.min(frame.bytes.len());
    let transport = frame.bytes.get(ip.at..captured_end).unwrap_or_default();
    let mut header = transport::parse(transport, ip);
    // If the IP packet was captured whole and the header lacks bytes, it was sent without them.
    let short = header.cut || ip.extensions_cut;
    let cut = short && captured_end < ip.end;
    let lacking = short && captured_end == ip.end;
    remarks.add(Remarks::CUT, cut);
    remarks.add(Remarks::MALFORMED, header.malformed || lacking);
    if let Transport::Tcp(tcp) = &mut header.transport {
        tcp.options.malformed |= lacking;
    }
    // Bytes of a header that the snap length cut are not payload (methods A1).
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
        capture: 0,
        access: Access::Unknown,
        outgoing: None,
        super_segment: (ip.length_was_zero && !padded) || oversize,
        ip_bytes: saturate(end.max(ip.at) - ip.start),
        payload_bytes,
        payload: frame.bytes.get(at..captured_end.min(end)).unwrap_or_default(),
        transport: header.transport,
    };
    (packet, remarks)
}
