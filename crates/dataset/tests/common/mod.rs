//! Writes captures for the tests: classic pcap, raw IP, IPv4 and TCP.

use std::path::{Path, PathBuf};

pub(crate) const SYN: u8 = 2;
pub(crate) const FIN: u8 = 1;
pub(crate) const ACK: u8 = 16;

/// The time of the first packet: 1 October 2026, so that times look real.
const EPOCH_S: u32 = 1_790_812_800;

/// A capture that is being written.
pub(crate) struct Pcap(pub(crate) Vec<u8>);

impl Pcap {
    pub(crate) fn new() -> Self {
        Self::with_link_type(101)
    }

    /// A file header: little-endian, microseconds, version 2.4, snap length 65535.
    pub(crate) fn with_link_type(link_type: u32) -> Self {
        let mut bytes =
            vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0];
        bytes.extend(link_type.to_le_bytes());
        Self(bytes)
    }

    pub(crate) fn record(&mut self, at_us: u32, frame: &[u8]) -> &mut Self {
        let length = frame.len() as u32;
        for word in [EPOCH_S + at_us / 1_000_000, at_us % 1_000_000, length, length] {
            self.0.extend(word.to_le_bytes());
        }
        self.0.extend(frame);
        self
    }

    /// A flow of phone 10.0.0.`host`: handshake, request, `segments` of 1000 bytes, and FIN in both
    /// directions, with one packet each 10 ms from `at_us`.
    pub(crate) fn flow(&mut self, at_us: u32, host: u8, segments: u32) -> &mut Self {
        let mut packets =
            vec![(true, 0, 0, SYN, 0), (false, 0, 1, SYN | ACK, 0), (true, 1, 1, ACK, 0)];
        packets.push((true, 1, 1, ACK, 100));
        for i in 0..segments {
            packets.push((false, 1 + 1000 * i, 101, ACK, 1000));
            packets.push((true, 101, 1001 + 1000 * i, ACK, 0));
        }
        let end = 1 + 1000 * segments;
        packets.push((false, end, 101, FIN | ACK, 0));
        packets.push((true, 101, end + 1, FIN | ACK, 0));
        packets.push((false, end + 1, 102, ACK, 0));
        for (i, packet) in packets.into_iter().enumerate() {
            self.record(at_us + 10_000 * i as u32, &tcp(host, packet));
        }
        self
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>) -> PathBuf {
        std::fs::write(&path, &self.0).unwrap();
        path.as_ref().to_owned()
    }
}

/// A packet from the phone or to it, with sequence and ACK numbers, flags and payload bytes.
pub(crate) fn tcp(
    host: u8,
    (up, sequence, ack, flags, payload): (bool, u32, u32, u8, usize),
) -> Vec<u8> {
    let (phone, server) = ([10, 0, 0, host], [203, 0, 113, 9]);
    let (source, destination) = if up { (phone, server) } else { (server, phone) };
    let (from, to) = if up { (40_000_u16, 443_u16) } else { (443, 40_000) };
    let mut ip = vec![0x45, 0];
    ip.extend((40 + payload as u16).to_be_bytes());
    ip.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
    ip.extend(source);
    ip.extend(destination);
    ip.extend(from.to_be_bytes());
    ip.extend(to.to_be_bytes());
    ip.extend(sequence.to_be_bytes());
    ip.extend(ack.to_be_bytes());
    ip.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    ip.resize(40 + payload, 0);
    ip
}
