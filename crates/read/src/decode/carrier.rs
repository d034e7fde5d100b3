//! Finds the fragmented layer of a frame that TCP or a tunnel may have.

use super::frame::Frame;
use super::ip::{self, Ip};
use super::located::Located;
use super::transport::TCP;
use super::tunnel::MAX_TUNNELS;
use super::{link, transport, tunnel};
use crate::bytes::part;
use crate::packet::Fragment;

/// The greatest length of the headers of a packet in a tunnel, in bytes. GTP-U with extension
/// headers around IPv6 with extension headers around TCP with options needs half of it.
const MOST_HEADERS: usize = 512;

/// The properties of a fragment that are needed to join it with others.
pub(crate) struct Carrier {
    pub(crate) key: Key,
    pub(crate) fragment: Fragment,
    /// The offset of this fragment's payload in the payload of the datagram, in bytes.
    pub(crate) offset: usize,
    /// The offset in the frame at which the payload begins.
    pub(crate) start: usize,
    /// The offset in the frame at which the payload ends on the wire.
    pub(crate) end: usize,
    /// Whether another fragment follows.
    pub(crate) more: bool,
    /// Whether the fragment belongs to a tunnel; only a first fragment can show that.
    pub(crate) is_tunnel: bool,
    /// Whether the datagram is a TCP segment.
    pub(crate) is_tcp: bool,
    /// Whether the fragment ends within the headers of the inner packet.
    pub(crate) is_short: bool,
    version: u8,
    hop_limit: u8,
    pub(crate) ecn: u8,
}

/// Whether the packet is a fragment that may have to be joined with others.
pub(super) fn is_part(ip: &Ip) -> bool {
    ip.fragment != Fragment::Whole && (ip.carried == TCP || tunnel::possible(ip.protocol))
}

/// The outermost fragmented layer of the frame in which `located` was found.
pub(crate) fn carrier(frame: &Frame<'_>, located: &Located) -> Option<Carrier> {
    let bytes = frame.bytes;
    let at = link::network(frame.link, bytes).ok()?;
    let mut ip = ip::parse(bytes, at, frame.wire_bytes.max(bytes.len())).ok()?;
    let mut teid = None;
    for _ in 0..MAX_TUNNELS {
        if is_part(&ip) {
            return Some(Carrier::new(bytes, &ip, teid, located));
        }
        let inner = tunnel::inner(bytes, &ip).ok()?;
        teid = inner.teid.or(teid);
        ip = ip::parse(part(bytes, 0..bytes.len().min(ip.end)), inner.at, ip.end).ok()?;
    }
    None
}

impl Carrier {
    fn new(bytes: &[u8], ip: &Ip, teid: Option<u32>, located: &Located) -> Self {
        let (id, protocol) = (ip.id, ip.protocol);
        let addresses = (ip.source.bits(), ip.destination.bits());
        let first = ip.fragment == Fragment::First;
        Self {
            key: Key { addresses, id, protocol, teid },
            fragment: ip.fragment,
            offset: ip.offset.into(),
            start: ip.at,
            end: ip.end.max(ip.at),
            more: ip.more,
            is_tunnel: first && tunnel::carries(bytes, ip),
            is_tcp: ip.carried == TCP,
            is_short: first && is_short(bytes, ip, &located.ip),
            version: ip.version,
            hop_limit: ip.hop_limit,
            ecn: ip.ecn,
        }
    }

    /// The captured part of the fragment's payload.
    pub(crate) fn captured<'a>(&self, frame: &'a [u8]) -> &'a [u8] {
        part(frame, self.start..frame.len().min(self.end))
    }

    /// The IP header that the datagram would have if it were not fragmented, with a length of 0.
    pub(crate) fn header(&self) -> Vec<u8> {
        let (source, destination) = self.key.addresses;
        let (ecn, id) = (self.ecn, ((self.key.id & 0xffff) as u16).to_be_bytes());
        let (protocol, hops) = (self.key.protocol, self.hop_limit);
        if self.version == 4 {
            let fixed = [0x45, ecn, 0, 0, id[0], id[1], 0, 0, hops, protocol, 0, 0];
            let addresses =
                [source, destination].map(|each| ((each & 0xffff_ffff) as u32).to_be_bytes());
            [&fixed[..], addresses.as_flattened()].concat()
        } else {
            let fixed = [0x60, ecn << 4, 0, 0, 0, 0, protocol, hops];
            let addresses = [source, destination].map(u128::to_be_bytes);
            [&fixed[..], addresses.as_flattened()].concat()
        }
    }
}

/// Whether the first fragment `outer` was captured whole and ends before the headers do;
/// `innermost` is the last IP header that could be read.
fn is_short(bytes: &[u8], outer: &Ip, innermost: &Ip) -> bool {
    if bytes.len() < outer.end {
        return false;
    }
    if innermost.start == outer.start && outer.carried != TCP {
        return outer.end.saturating_sub(outer.at) < MOST_HEADERS;
    }
    let end = outer.end.min(innermost.end);
    let header = transport::parse(part(bytes, innermost.at..end), innermost);
    header.cut || innermost.extensions_cut
}

/// The fields that all fragments of one datagram share (RFC 791 section 3.2, RFC 8200 section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) addresses: (u128, u128),
    pub(crate) id: u32,
    pub(crate) protocol: u8,
    /// The TEID of the tunnel that carries the fragments; `None` outside a tunnel.
    pub(crate) teid: Option<u32>,
}
