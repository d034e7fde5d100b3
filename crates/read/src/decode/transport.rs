//! Reads TCP, UDP and ICMP echo headers.

use super::header::{Header, none};
use super::ip::Ip;
use super::tcp;
use crate::bytes::chunk;
use crate::packet::{Fragment, Transport};

pub(super) const ICMP: u8 = 1;
pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
const ICMPV6: u8 = 58;

/// Reads the transport header from the captured bytes of an IP packet's payload.
#[inline]
pub(super) fn parse(bytes: &[u8], ip: &Ip) -> Header {
    if ip.fragment == Fragment::Later || ip.extensions_cut {
        return none(false);
    }
    match ip.protocol {
        TCP => tcp::parse(bytes),
        UDP => udp(bytes),
        ICMP => echo(bytes, 0, 8),
        ICMPV6 => echo(bytes, 129, 128),
        _ => none(false),
    }
}

/// The least length of a transport header of which only these bytes were captured.
pub(super) fn least(bytes: &[u8], ip: &Ip) -> usize {
    match ip.protocol {
        _ if ip.fragment == Fragment::Later => 0,
        TCP => tcp::least(bytes),
        // RFC 768 for UDP; for ICMP, RFC 792 and RFC 4443: type, code, checksum and four more
        // bytes.
        UDP | ICMP | ICMPV6 => 8,
        _ => 0,
    }
}

/// Reads a UDP header (RFC 768).
fn udp(bytes: &[u8]) -> Header {
    let Some(h) = chunk::<8>(bytes, 0) else { return none(true) };
    let transport = Transport::Udp {
        source_port: u16::from_be_bytes([h[0], h[1]]),
        destination_port: u16::from_be_bytes([h[2], h[3]]),
    };
    Header { transport, length: 8, cut: false, malformed: false }
}

/// Reads an ICMP echo: RFC 792 (types 0 and 8), RFC 4443 section 4 (types 129 and 128).
fn echo(bytes: &[u8], reply: u8, request: u8) -> Header {
    let Some(&[kind, _, _, _, id_high, id_low, sequence_high, sequence_low]) = chunk::<8>(bytes, 0)
    else {
        return none(true);
    };
    if kind != reply && kind != request {
        return none(false);
    }
    let transport = Transport::Echo {
        reply: kind == reply,
        id: u16::from_be_bytes([id_high, id_low]),
        sequence: u16::from_be_bytes([sequence_high, sequence_low]),
    };
    Header { transport, length: 8, cut: false, malformed: false }
}
