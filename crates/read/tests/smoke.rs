//! Reads a few thousand fixed mutations of the fuzz targets' seeds: nothing may panic, and no
//! counts may contradict each other.

mod support;

use std::io::Cursor;

use airmile_read::{Capture, Frame, LinkType, decode};
use airmile_types::Instant;
use support::{Order, Pcap, PcapNg, ethernet, frame, gzip, ipv4, ipv6, tcp, udp, zstd};

/// xorshift64, which gives the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound.max(1)
    }

    /// Changes some bytes, and sometimes cuts the end off or repeats a part.
    fn mutate(&mut self, seed: &[u8]) -> Vec<u8> {
        let mut bytes = seed.to_vec();
        for _ in 0..=self.below(6) {
            let at = self.below(bytes.len());
            let extreme = [0, 1, 0x7f, 0x80, 0xff][self.below(5)];
            bytes[at] = if self.below(2) == 0 { extreme } else { self.next() as u8 };
        }
        match self.below(6) {
            0 => bytes.truncate(self.below(seed.len()) + 1),
            1 => {
                let (from, to) = (self.below(bytes.len()), self.below(bytes.len()));
                let piece = bytes[from.min(to)..from.max(to)].to_vec();
                bytes.splice(from..from, piece);
            }
            _ => {}
        }
        bytes
    }
}

fn frames() -> Vec<Vec<u8>> {
    let segment = tcp(&[1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2], &[7; 60]);
    let sack = tcp(&[1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2], &[]);
    let gtpu = |flags: u8, rest: &[u8]| {
        let header = [flags, 255, 0, 60, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 0, 0];
        ipv4(17, &udp(2152, 2152, &[&header[..], rest].concat()))
    };
    let vlan =
        [&[0, 1, 0x88, 0x64, 0x11, 0, 0, 1, 0, 60, 0, 0x21][..], &ipv4(6, &segment)].concat();
    let hop_by_hop =
        [&[60, 0, 0, 0, 0, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 1, 0, 0, 0, 9][..], &segment]
            .concat();
    vec![
        frame(40),
        ethernet(0x86dd, &ipv6(6, &sack)),
        ethernet(0x86dd, &ipv6(0, &hop_by_hop)),
        ethernet(0x0800, &gtpu(0x36, &ipv4(6, &segment))),
        ethernet(0x8100, &vlan),
        ethernet(
            0x8847,
            &[&[0, 1, 0, 64, 0, 1, 1, 64][..], &ipv4(4, &ipv6(41, &ipv4(6, &sack)))].concat(),
        ),
        ethernet(
            0x0800,
            &ipv4(
                47,
                &[&[0xb0, 0, 0x65, 0x58, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &frame(4)]
                    .concat(),
            ),
        ),
        ethernet(90, &[&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0][..], &ipv4(1, &[8; 60])].concat()),
    ]
}

#[test]
fn mutated_frames() {
    let links = [
        LinkType::Ethernet,
        LinkType::Raw,
        LinkType::Loopback,
        LinkType::Ppp,
        LinkType::Cooked1,
        LinkType::Cooked2,
        LinkType::PppoE,
        LinkType::Wireless,
        LinkType::Radiotap,
        LinkType::Pktap,
        LinkType::User2,
        LinkType::Ppi,
        LinkType::Nflog,
    ];
    let mut random = Random(0xa11_417e);
    let mut decoded = 0;
    for round in 0..3000 {
        for seed in frames() {
            let bytes = random.mutate(&seed);
            // The other link types need the bytes after the Ethernet header.
            let link = links[if round % 2 == 0 { 0 } else { random.below(6) }];
            let start = if link == LinkType::Ethernet { 0 } else { 14.min(bytes.len()) };
            let bytes = &bytes[start..];
            let wire_bytes = bytes.len() + random.below(2) * random.below(70_000);
            let time = Instant::from_nanos(0);
            if let Ok(packet) = decode(Frame { link, bytes, wire_bytes, time, interface: 0 }) {
                decoded += 1;
                assert!(packet.payload.len() <= packet.payload_bytes as usize);
                assert!(packet.payload_bytes <= packet.ip_bytes);
            }
        }
    }
    assert!(decoded > 5000, "the mutations leave something to decode: {decoded}");
}

/// Reads a capture to its end, and checks that every record is counted.
fn read_to_the_end(bytes: Vec<u8>) -> u64 {
    let Ok(mut capture) = Capture::from_reader("mutant", Cursor::new(bytes)) else { return 0 };
    let mut packets = 0;
    while let Some(packet) = capture.next_packet() {
        packets += 1;
        assert!(packet.payload.len() <= packet.payload_bytes as usize);
    }
    let report = capture.report();
    let skipped: u64 = report.skipped.values().sum();
    assert_eq!(report.counts.records, packets + skipped);
    assert_eq!(report.counts.ip_packets, packets);
    packets
}

fn captures() -> Vec<Vec<u8>> {
    let classic = |order, nanos| {
        let file = Pcap::with(order, nanos, 1);
        (0..30_u64).fold(file, |file, i| {
            let frames = frames();
            file.record(
                1_700_000_000_000_000_000 + i * 1_000_000,
                &frames[i as usize % frames.len()],
            )
        })
    };
    let pcapng = |order| {
        let file = PcapNg::new(order).interface(1, 96, &[(2, b"eth0"), (9, &[9])]);
        let file = frames().iter().fold(file, |file, f| file.enhanced(0, 1 << 60, f, f.len()));
        let file = file.simple(&frame(9), 63).obsolete(0, 5, &frame(3), 57).dropped(0, 4);
        file.section(Order::Big).interface(101, 0, &[(14, &[0; 8])]).enhanced(
            0,
            9,
            &frame(1)[14..],
            41,
        )
    };
    let plain = [
        classic(Order::Little, false).bytes,
        classic(Order::Big, true).bytes,
        pcapng(Order::Little).bytes,
        pcapng(Order::Big).bytes,
    ];
    let compressed = [gzip(&plain[0]), zstd(&plain[2])];
    plain.into_iter().chain(compressed).collect()
}

#[test]
fn mutated_captures() {
    let mut random = Random(0x0ddba11);
    let mut packets = 0;
    for _ in 0..600 {
        for seed in captures() {
            packets += read_to_the_end(random.mutate(&seed));
        }
    }
    assert!(packets > 20_000, "the mutations leave something to read: {packets}");
}

/// Reads the seeds, and the inputs that a fuzzer once found, which are kept in `fuzz/seeds`.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads its own seeds")]
fn seeds_of_the_fuzz_targets() {
    let seeds = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    let mut packets = 0;
    for target in ["pcap", "pcapng"] {
        for entry in std::fs::read_dir(seeds.join(target)).expect("the seeds are there") {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let header = if target == "pcapng" { PcapNg::new(Order::Little).bytes } else { vec![] };
            packets += read_to_the_end([header, bytes].concat());
        }
    }
    assert!(packets > 80, "{packets}");
}
