//! Writers of captures and frames for tests of the reader.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{Cursor, Write};

use airmile_read::{Capture, InputReport, OpenError, Packet, TcpHeader, Transport};

/// Byte order of a capture that a test writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    fn u16(self, n: u16) -> [u8; 2] {
        if self == Self::Little { n.to_le_bytes() } else { n.to_be_bytes() }
    }

    fn u32(self, n: u32) -> [u8; 4] {
        if self == Self::Little { n.to_le_bytes() } else { n.to_be_bytes() }
    }

    fn u64(self, n: u64) -> [u8; 8] {
        if self == Self::Little { n.to_le_bytes() } else { n.to_be_bytes() }
    }
}

/// A classic pcap that is being written.
pub(crate) struct Pcap {
    pub(crate) bytes: Vec<u8>,
    order: Order,
    unit_ns: u64,
}

impl Pcap {
    pub(crate) fn new(link: u32) -> Self {
        Self::with(Order::Little, false, link)
    }

    pub(crate) fn with(order: Order, nanos: bool, link: u32) -> Self {
        let mut bytes = Vec::new();
        bytes.extend(order.u32(if nanos { 0xa1b2_3c4d } else { 0xa1b2_c3d4 }));
        bytes.extend([order.u16(2), order.u16(4)].concat());
        bytes.extend([0; 8]);
        bytes.extend([order.u32(65535), order.u32(link)].concat());
        Self { bytes, order, unit_ns: if nanos { 1 } else { 1000 } }
    }

    pub(crate) fn record(self, time_ns: u64, frame: &[u8]) -> Self {
        self.snapped(time_ns, frame, frame.len())
    }

    /// Adds a record whose frame was longer on the wire.
    pub(crate) fn snapped(mut self, time_ns: u64, frame: &[u8], wire: usize) -> Self {
        let fields = [
            (time_ns / 1_000_000_000) as u32,
            (time_ns % 1_000_000_000 / self.unit_ns) as u32,
            frame.len() as u32,
            wire as u32,
        ];
        self.bytes.extend(fields.map(|f| self.order.u32(f)).concat());
        self.bytes.extend(frame);
        self
    }
}

/// A pcapng file that is being written.
pub(crate) struct PcapNg {
    pub(crate) bytes: Vec<u8>,
    order: Order,
}

impl PcapNg {
    pub(crate) fn new(order: Order) -> Self {
        Self { bytes: Vec::new(), order }.section(order)
    }

    pub(crate) fn section(mut self, order: Order) -> Self {
        self.order = order;
        let body = [
            order.u32(0x1a2b_3c4d).to_vec(),
            [order.u16(1), order.u16(0)].concat(),
            order.u64(u64::MAX).to_vec(),
        ];
        self.block(0x0a0d_0d0a, &body.concat())
    }

    /// Adds an interface; `options` are pairs of code and value.
    pub(crate) fn interface(self, link: u16, snap: u32, options: &[(u16, &[u8])]) -> Self {
        let mut body = [self.order.u16(link), [0; 2]].concat();
        body.extend(self.order.u32(snap));
        body.extend(self.options(options));
        self.block(1, &body)
    }

    pub(crate) fn enhanced(self, interface: u32, ticks: u64, frame: &[u8], wire: usize) -> Self {
        let mut body = self.order.u32(interface).to_vec();
        body.extend(self.packet(ticks, frame, wire));
        self.block(6, &body)
    }

    pub(crate) fn obsolete(self, interface: u16, ticks: u64, frame: &[u8], wire: usize) -> Self {
        let mut body = [self.order.u16(interface), [0; 2]].concat();
        body.extend(self.packet(ticks, frame, wire));
        self.block(2, &body)
    }

    pub(crate) fn simple(self, frame: &[u8], wire: usize) -> Self {
        let mut body = self.order.u32(wire as u32).to_vec();
        body.extend(frame);
        self.block(3, &body)
    }

    pub(crate) fn dropped(self, interface: u32, count: u64) -> Self {
        let mut body = self.order.u32(interface).to_vec();
        body.extend([0; 8]);
        body.extend(self.options(&[(5, &self.order.u64(count))]));
        self.block(5, &body)
    }

    pub(crate) fn block(mut self, kind: u32, body: &[u8]) -> Self {
        let padded = body.len().next_multiple_of(4);
        let length = self.order.u32(padded as u32 + 12);
        self.bytes.extend([self.order.u32(kind), length].concat());
        self.bytes.extend(body);
        self.bytes.extend(vec![0; padded - body.len()]);
        self.bytes.extend(length);
        self
    }

    pub(crate) fn u64(&self, n: u64) -> [u8; 8] {
        self.order.u64(n)
    }

    fn packet(&self, ticks: u64, frame: &[u8], wire: usize) -> Vec<u8> {
        let fields = [(ticks >> 32) as u32, ticks as u32, frame.len() as u32, wire as u32];
        [&fields.map(|f| self.order.u32(f)).concat(), frame].concat()
    }

    fn options(&self, options: &[(u16, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (code, value) in options {
            bytes.extend([self.order.u16(*code), self.order.u16(value.len() as u16)].concat());
            bytes.extend(*value);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes.extend([0; 4]);
        bytes
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// An Ethernet frame with this EtherType and the given bytes after it.
pub(crate) fn ethernet(ethertype: u16, rest: &[u8]) -> Vec<u8> {
    [&[2; 12][..], &ethertype.to_be_bytes(), rest].concat()
}

/// An IPv4 packet without options, from 10.0.0.1 to 192.0.2.1.
pub(crate) fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let total = (20 + payload.len()) as u16;
    let mut header = vec![0x45, 0, 0, 0, 0x12, 0x34, 0, 0, 64, protocol, 0, 0];
    header[2..4].copy_from_slice(&total.to_be_bytes());
    [&header[..], &[10, 0, 0, 1, 192, 0, 2, 1], payload].concat()
}

/// An IPv6 packet, from 2001:db8::1 to 2001:db8::2.
pub(crate) fn ipv6(next_header: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x60, 0, 0, 0, 0, 0, next_header, 60];
    bytes[4..6].copy_from_slice(&(payload.len() as u16).to_be_bytes());
    for last in [1, 2] {
        bytes.extend([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    [&bytes[..], payload].concat()
}

/// A TCP segment from port 40000 to 443, sequence number 1, with ACK set.
pub(crate) fn tcp(options: &[u8], payload: &[u8]) -> Vec<u8> {
    assert!(options.len().is_multiple_of(4), "a TCP header is a multiple of 32 bits");
    let offset = ((20 + options.len()) as u8 / 4) << 4;
    let fixed = [0x9c, 0x40, 1, 187, 0, 0, 0, 1, 0, 0, 0, 9, offset, 0x10, 1, 0, 0, 0, 0, 0];
    [&fixed[..], options, payload].concat()
}

/// A UDP datagram.
pub(crate) fn udp(source: u16, destination: u16, payload: &[u8]) -> Vec<u8> {
    let length = (8 + payload.len()) as u16;
    [&[source, destination, length, 0].map(u16::to_be_bytes).concat()[..], payload].concat()
}

/// The fragments of an IPv4 packet whose payload is cut at `cuts`.
pub(crate) fn fragments4(id: u16, protocol: u8, payload: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let one = |start: usize, end: usize| {
        let mut bytes = ipv4(protocol, &payload[start..end]);
        bytes[4..6].copy_from_slice(&id.to_be_bytes());
        let more = if end < payload.len() { 0x2000 } else { 0 };
        bytes[6..8].copy_from_slice(&((start as u16 / 8) | more).to_be_bytes());
        bytes
    };
    pieces(payload.len(), cuts).into_iter().map(|(start, end)| one(start, end)).collect()
}

/// The fragments of an IPv6 packet whose payload is cut at `cuts`.
pub(crate) fn fragments6(id: u32, next: u8, payload: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let one = |start: usize, end: usize| {
        let more = u16::from(end < payload.len());
        let mut header = vec![next, 0];
        header.extend((start as u16 | more).to_be_bytes());
        header.extend(id.to_be_bytes());
        ipv6(44, &[&header[..], &payload[start..end]].concat())
    };
    pieces(payload.len(), cuts).into_iter().map(|(start, end)| one(start, end)).collect()
}

fn pieces(length: usize, cuts: &[usize]) -> Vec<(usize, usize)> {
    let starts = [&[0][..], cuts].concat();
    let ends = [cuts, &[length]].concat();
    starts.into_iter().zip(ends).collect()
}

/// Ethernet, IPv4, TCP with `payload` bytes of data.
pub(crate) fn frame(payload: usize) -> Vec<u8> {
    ethernet(0x0800, &ipv4(6, &tcp(&[], &vec![b'x'; payload])))
}

/// The fields of a packet that do not borrow from the capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) time_ns: i64,
    pub(crate) frame: u64,
    pub(crate) interface: u32,
    pub(crate) ip_bytes: u32,
    pub(crate) payload_bytes: u32,
    pub(crate) payload: Vec<u8>,
    pub(crate) transport: Transport,
    pub(crate) teid: Option<u32>,
}

impl From<Packet<'_>> for Seen {
    fn from(packet: Packet<'_>) -> Self {
        Self {
            time_ns: packet.time.as_nanos(),
            frame: packet.frame,
            interface: packet.interface,
            ip_bytes: packet.ip_bytes,
            payload_bytes: packet.payload_bytes,
            payload: packet.payload.to_vec(),
            transport: packet.transport,
            teid: packet.teid,
        }
    }
}

/// Reads a capture from memory to its end.
pub(crate) fn read(bytes: &[u8]) -> Result<(Vec<Seen>, InputReport), OpenError> {
    let mut capture = Capture::from_reader("test", Cursor::new(bytes.to_vec()))?;
    let mut packets = Vec::new();
    while let Some(packet) = capture.next_packet() {
        packets.push(packet.into());
    }
    Ok((packets, capture.report()))
}

/// Reads a capture that must open.
pub(crate) fn read_ok(bytes: &[u8]) -> (Vec<Seen>, InputReport) {
    read(bytes).expect("the capture opens")
}

/// The problems of a report as lines `offset kind: text`.
pub(crate) fn problems(report: &InputReport) -> Vec<String> {
    report.problems.iter().map(|p| format!("{} {}: {}", p.offset, p.kind, p.text)).collect()
}

/// The TCP header of a packet that has one.
pub(crate) fn tcp_of(transport: Transport) -> TcpHeader {
    match transport {
        Transport::Tcp(header) => header,
        other => panic!("no TCP header but {other:?}"),
    }
}
