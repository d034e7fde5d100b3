//! One frame -> one [`Packet`]: link header, IP, tunnels peeled, transport header.
//!
//! Promise: no input makes a function here panic or read beyond the captured bytes, and every
//! length comes from the innermost IP header, so that the snap length does not change a number
//! (methods A1). Positions are offsets into the frame; `end` is where a layer ends on the wire and
//! may lie beyond the captured bytes.

pub(crate) mod bulk;
mod carrier;
mod ethertype;
mod frame;
mod header;
mod ip;
mod label;
mod layer;
mod link;
mod mptcp;
pub(crate) mod plain;
mod skip;
mod tcp;
mod transport;
mod tunnel;
mod walk;
mod wireless;

use crate::bytes::part;
use crate::link_type::LinkType;
use crate::packet::{Fragment, Packet};

pub(crate) use carrier::{Carrier, Key, carrier};
use frame::ETHERNET_MINIMUM;
pub use frame::Frame;
use frame::MAX_TUNNELS;
use frame::SUPER_SEGMENT_BYTES;
use frame::saturate;
pub(crate) use frame::{Located, Remarks};
use ip::Ip;
pub use skip::Skip;

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

#[cfg(test)]
mod tests;
