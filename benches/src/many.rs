//! Writes captures with a great number of one thing, each with a single packet. The difference
//! between two such captures shows how much memory a flow, a phone, a name, a tunnel or a fragment
//! takes.

use std::io::{self, Write};

use crate::writer::{Out, create, file_header, record};

/// The time between packets is two microseconds, so that a million packets fit within one
/// `flow_gap`.
const GAP_NS: u64 = 2_000;
const START_NS: u64 = 1_700_000_000_000_000_000;

const GTPU: u16 = 2152;
const DNS: u16 = 53;
const MORE_FRAGMENTS: u16 = 0x2000;
/// The addresses of the base station and of the core's gateway (RFC 5737).
const BASE_STATION: u32 = 0xc000_0201;
const GATEWAY: u32 = 0xc000_0202;
const PHONE: u32 = 0x0a2d_0001;
const SERVER: u32 = 0xcb00_7109;

/// A datagram without its IP and UDP headers.
struct Udp {
    source: (u32, u16),
    destination: (u32, u16),
    /// The identification, and the field of flags and offset (RFC 791 section 3.1).
    fragment: (u16, u16),
    payload: Vec<u8>,
}

/// Writes `count` packets of one kind; `None` when there is no such kind.
pub(crate) fn write(kind: &str, out: &str, count: u64) -> io::Result<Option<u64>> {
    let Some(make) = maker(kind) else { return Ok(None) };
    let mut out = create(out)?;
    file_header(&mut out)?;
    for number in 0..count {
        frame(&mut out, START_NS + number * GAP_NS, &make(number).ip())?;
    }
    out.flush()?;
    Ok(Some(count))
}

/// Writes the packet with this number of one kind.
pub(crate) fn packet(kind: &str, number: u64, time_ns: u64, out: &mut Out) -> io::Result<()> {
    let make = maker(kind).ok_or(io::ErrorKind::InvalidInput)?;
    frame(out, time_ns, &make(number).ip())
}

fn maker(kind: &str) -> Option<fn(u64) -> Udp> {
    Some(match kind {
        "flows" => flow,
        "phones" => phone,
        "names" => name,
        "tunnels" => tunnel,
        "fragments" => fragment,
        _ => return None,
    })
}

/// The datagram of a new flow of one phone: each flow has another port and, after 50,000 flows,
/// another server.
fn flow(number: u64) -> Udp {
    let port = 10_000 + (number % 50_000) as u16;
    Udp {
        source: (PHONE, port),
        destination: (SERVER + (number / 50_000) as u32, 9_000),
        fragment: (0, 0),
        payload: vec![0; 32],
    }
}

/// The datagram of a new phone.
fn phone(number: u64) -> Udp {
    Udp { source: (PHONE + number as u32, 40_000), ..flow(0) }
}

/// A DNS answer for a new name, in one flow of one phone.
fn name(number: u64) -> Udp {
    let label = format!("{number:012}");
    let mut payload = (number as u16).to_be_bytes().to_vec();
    payload.extend_from_slice(&[0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, label.len() as u8]);
    payload.extend_from_slice(label.as_bytes());
    payload.extend_from_slice(&[0, 0, 1, 0, 1, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
    payload.extend_from_slice(&(SERVER + number as u32).to_be_bytes());
    Udp { source: (SERVER, DNS), destination: (PHONE, 40_000), fragment: (0, 0), payload }
}

/// A packet in a new tunnel, of a new phone.
fn tunnel(number: u64) -> Udp {
    let inner = phone(number).ip();
    let mut payload = gtpu_header(inner.len(), number);
    payload.extend_from_slice(&inner);
    outer((0, 0), payload)
}

/// A first fragment that ends within the headers of its tunnel, so that it must wait for the
/// others.
fn fragment(number: u64) -> Udp {
    let mut datagram = outer((number as u16, MORE_FRAGMENTS), gtpu_header(1_000, number));
    datagram.source.0 += (number >> 16) as u32;
    datagram
}

fn outer(fragment: (u16, u16), payload: Vec<u8>) -> Udp {
    Udp { source: (BASE_STATION, GTPU), destination: (GATEWAY, GTPU), fragment, payload }
}

/// A GTP-U header: version 1, a G-PDU (3GPP TS 29.281 section 5.1).
fn gtpu_header(inner_bytes: usize, number: u64) -> Vec<u8> {
    let mut header = vec![0x30, 255];
    header.extend_from_slice(&(inner_bytes as u16).to_be_bytes());
    header.extend_from_slice(&(number as u32 + 1).to_be_bytes());
    header
}

impl Udp {
    /// The datagram with IPv4 and UDP headers; without checksums, as a sender leaves them that
    /// offloads them.
    fn ip(&self) -> Vec<u8> {
        let udp_bytes = (8 + self.payload.len()) as u16;
        let mut bytes = vec![0x45, 0];
        for half in [20 + udp_bytes, self.fragment.0, self.fragment.1, 64 << 8 | 17, 0] {
            bytes.extend_from_slice(&half.to_be_bytes());
        }
        bytes.extend_from_slice(&self.source.0.to_be_bytes());
        bytes.extend_from_slice(&self.destination.0.to_be_bytes());
        for half in [self.source.1, self.destination.1, udp_bytes, 0] {
            bytes.extend_from_slice(&half.to_be_bytes());
        }
        bytes.extend_from_slice(&self.payload);
        bytes
    }
}

fn frame(out: &mut Out, time_ns: u64, ip: &[u8]) -> io::Result<()> {
    let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    bytes.extend_from_slice(ip);
    record(out, time_ns, &bytes, bytes.len())
}
