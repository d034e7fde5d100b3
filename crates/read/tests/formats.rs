//! Tests that reading a file of each format returns what was written: times, lengths, bytes,
//! interfaces.

mod support;

use std::io::{self, Cursor, Read};

use airmile_read::{Capture, Outcome, Skip};
use proptest::prelude::*;
use support::{Order, Pcap, PcapNg, ethernet, frame, gzip, read_ok, zstd};

const ORDERS: [Order; 2] = [Order::Little, Order::Big];
const START: u64 = 1_600_000_000_123_456_789;

#[test]
fn classic_pcap_in_both_orders_and_resolutions() {
    for order in ORDERS {
        for nanos in [false, true] {
            let file = Pcap::with(order, nanos, 1).snapped(START, &frame(10)[..60], 2000);
            let (packets, report) = read_ok(&file.bytes);
            let time = if nanos { START } else { START / 1000 * 1000 };
            assert_eq!(packets[0].time_ns, time as i64, "{order:?} {nanos}");
            assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (10, 6));
            assert_eq!(report.outcome(), Outcome::Clean);
            let unit = if nanos { "ns" } else { "us" };
            let end = if order == Order::Little { "le" } else { "be" };
            assert_eq!(report.format, format!("pcap-{unit}-{end}"));
        }
    }
}

#[test]
fn the_kuznetzov_variant_has_eight_bytes_more_in_each_record_header() {
    let mut bytes = Pcap::new(1).bytes;
    bytes[..4].copy_from_slice(&0xa1b2_cd34_u32.to_le_bytes());
    for second in [7_u32, 8] {
        let length = frame(1).len() as u32;
        bytes.extend([second, 5, length, length].map(u32::to_le_bytes).concat());
        bytes.extend([0; 8]);
        bytes.extend(frame(1));
    }
    let (packets, report) = read_ok(&bytes);
    let times: Vec<i64> = packets.iter().map(|p| p.time_ns).collect();
    assert_eq!(times, [7_000_005_000, 8_000_005_000]);
    assert_eq!(report.format, "pcap-kuznetzov-le");
}

#[test]
fn the_kuznetzov_variant_of_the_other_byte_order() {
    let mut bytes = Pcap::with(Order::Big, false, 1).bytes;
    bytes[..4].copy_from_slice(&0xa1b2_cd34_u32.to_be_bytes());
    let length = frame(1).len() as u32;
    bytes.extend([7, 5, length, length].map(u32::to_be_bytes).concat());
    bytes.extend([0; 8]);
    bytes.extend(frame(1));
    let (packets, report) = read_ok(&bytes);
    assert_eq!((packets[0].time_ns, packets[0].payload_bytes), (7_000_005_000, 1));
    assert_eq!(report.format, "pcap-kuznetzov-be");
}

#[test]
fn every_number_of_a_link_type_that_is_read() {
    let ip = &frame(2)[14..];
    let headers: [(u32, &[u8]); 18] = [
        (0, &[2, 0, 0, 0]),
        (9, &[0xff, 3, 0, 0x21]),
        (12, &[]),
        (14, &[]),
        (50, &[0xff, 3, 0, 0x21]),
        (51, &[0x11, 0, 0, 1, 0, 46, 0, 0x21]),
        (101, &[]),
        (104, &[0x0f, 0, 8, 0]),
        (
            105,
            &[
                8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xaa, 0xaa,
                3, 0, 0, 0, 8, 0,
            ],
        ),
        (108, &[0, 0, 0, 2]),
        (113, &[0, 0, 0, 1, 0, 6, 1, 1, 1, 1, 1, 1, 0, 0, 8, 0]),
        (
            127,
            &[
                0, 0, 8, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0,
            ],
        ),
        (192, &[0, 0, 8, 0, 101, 0, 0, 0]),
        (228, &[]),
        (229, &[]),
        (239, &[2, 0, 0, 0, 46, 0, 9, 0]),
        (
            258,
            &[
                40, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
        ),
        (276, &[8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 1, 1, 1, 1, 1, 1, 0, 0]),
    ];
    for (number, header) in headers {
        let file = Pcap::new(number).record(START, &[header, ip].concat());
        let (packets, report) = read_ok(&file.bytes);
        assert_eq!((packets.len(), report.counts.tcp_packets), (1, 1), "link type {number}");
        assert_eq!(packets[0].payload_bytes, 2, "link type {number}");
    }
}

#[test]
fn interfaces_of_one_file_have_their_own_link_types_and_clocks() {
    let raw = &frame(3)[14..];
    let file = PcapNg::new(Order::Big);
    let back = file.u64((-3600_i64) as u64);
    let file = file
        .interface(1, 0, &[(9, &[9])])
        .interface(147, 0, &[])
        .interface(228, 0, &[(9, &[0x80 | 10]), (14, &back)])
        .enhanced(0, 1_000_000_000_001, &frame(1), 55)
        .enhanced(1, 1, &frame(2), 56)
        .enhanced(2, 4600 << 10 | 512, raw, raw.len())
        .section(Order::Little)
        .interface(101, 0, &[])
        .enhanced(0, 1_000_700_000, raw, raw.len());
    let (packets, report) = read_ok(&file.bytes);
    let seen: Vec<_> = packets.iter().map(|p| (p.interface, p.time_ns)).collect();
    assert_eq!(seen, [(0, 1_000_000_000_001), (2, 1_000_500_000_000), (3, 1_000_700_000_000)]);
    assert_eq!(report.skipped.get(&Skip::LinkType(147)), Some(&1));
    assert_eq!((report.problems, report.counts.records), (vec![], 4));
}

#[test]
fn frames_are_numbered_by_their_records_readable_or_not() {
    let arp = ethernet(0x0806, &[0; 46]);
    let pcap = [&arp, &frame(1), &arp, &frame(2)[..20].to_vec(), &frame(3)]
        .into_iter()
        .fold(Pcap::new(1), |file, bytes| file.record(START, bytes));
    let (half, short) = (frame(2)[..20].to_vec(), [0; 20]);
    let pcapng = PcapNg::new(Order::Little)
        .interface(1, 0, &[])
        .interface(147, 0, &[])
        // The following blocks give no packet: a packet before any time is known, one with a link
        // type that is not read, one of an interface that does not exist, and a block that is too
        // short.
        .simple(&frame(7), 61)
        .enhanced(0, 1, &frame(1), 55)
        .block(0x0bad, b"custom.")
        .dropped(0, 1)
        .enhanced(1, 2, &frame(1), 55)
        .enhanced(9, 3, &frame(1), 55)
        .block(6, &short[..8])
        .enhanced(0, 4, &half, 56)
        .obsolete(0, 5, &frame(2), 56)
        .simple(&frame(3), 57)
        .section(Order::Big)
        .interface(1, 0, &[])
        .enhanced(0, 6, &frame(4), 58);
    let numbers = |bytes: &[u8]| -> Vec<(u64, u32)> {
        let (packets, _) = read_ok(bytes);
        packets.iter().map(|packet| (packet.frame, packet.payload_bytes)).collect()
    };
    for bytes in [pcap.bytes.clone(), gzip(&pcap.bytes)] {
        assert_eq!(numbers(&bytes), [(2, 1), (5, 3)]);
    }
    for bytes in [pcapng.bytes.clone(), zstd(&pcapng.bytes)] {
        assert_eq!(numbers(&bytes), [(2, 1), (7, 2), (8, 3), (9, 4)]);
    }
}

#[test]
fn custom_blocks_journals_and_secrets_are_stepped_over() {
    let file = PcapNg::new(Order::Little).interface(1, 0, &[]);
    let kinds = [0x0bad, 0x4000_0bad, 4, 9, 10, 0x8000_0001, 0x0000_0a0a];
    let file = kinds.iter().fold(file, |file, kind| file.block(*kind, &[0xee; 40]));
    let (packets, report) = read_ok(&file.enhanced(0, 1, &frame(1), 55).bytes);
    assert_eq!((packets.len(), report.problems.len(), report.counts.records), (1, 0, 1));
}

#[test]
fn writers_before_version_2_4_put_the_wire_length_first() {
    let mut file = Pcap::new(1).snapped(START, &frame(40)[..60], 94);
    file.bytes[6..8].copy_from_slice(&3_u16.to_le_bytes());
    let (captured, wire) = (24 + 8, 24 + 12);
    file.bytes[captured..captured + 4].copy_from_slice(&94_u32.to_le_bytes());
    file.bytes[wire..wire + 4].copy_from_slice(&60_u32.to_le_bytes());
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (40, 6));
    assert_eq!(report.problems, []);
}

#[test]
fn a_check_sequence_that_the_file_header_announces_is_no_payload() {
    // For IP length 0 the length of the frame counts, which includes four bytes of FCS.
    let mut with_fcs = frame(100);
    with_fcs[16..18].fill(0);
    with_fcs.extend([0xfc; 4]);
    let file = Pcap::new(1 | 1 << 26 | 2 << 28).record(START, &with_fcs);
    let (packets, _) = read_ok(&file.bytes);
    assert_eq!((packets[0].payload_bytes, packets[0].payload.len()), (100, 100));
}

#[test]
fn pcapng_resolutions_and_offsets() {
    let start_s = START / 1_000_000_000;
    let cases: [(&[u8], u64, i64); 7] = [
        (&[], 1_600_000_000_123_456, 1_600_000_000_123_456_000),
        (&[9], START, START as i64),
        (&[3], 1_600_000_000_123, 1_600_000_000_123_000_000),
        (&[0], start_s, 1_600_000_000_000_000_000),
        (&[12], START, 1_600_000_000_123_456),
        // 2^-20 s: half a second is 2^19 ticks.
        (&[0x80 | 20], (start_s << 20) + (1 << 19), 1_600_000_000_500_000_000),
        (&[0x80], start_s, 1_600_000_000_000_000_000),
    ];
    for order in ORDERS {
        for (resolution, ticks, time) in cases {
            let options: &[(u16, &[u8])] =
                if resolution.is_empty() { &[] } else { &[(9, resolution)] };
            let file = PcapNg::new(order).interface(1, 0, options);
            let (packets, _) = read_ok(&file.enhanced(0, ticks, &frame(1), 55).bytes);
            assert_eq!(packets[0].time_ns, time, "{order:?} if_tsresol {resolution:?}");
        }
        let file = PcapNg::new(order);
        let offset = file.u64(1_000);
        let file = file.interface(1, 0, &[(9, &[9]), (14, &offset)]);
        let (packets, _) = read_ok(&file.enhanced(0, 5, &frame(1), 55).bytes);
        assert_eq!(packets[0].time_ns, 1_000_000_000_005, "{order:?} if_tsoffset");
    }
}

#[test]
fn pcapng_interfaces_are_numbered_over_sections_of_either_order() {
    let raw = &frame(3)[14..];
    let file = PcapNg::new(Order::Little)
        .interface(1, 0, &[(2, b"eth0")])
        .interface(101, 0, &[(2, b"rmnet0")])
        .enhanced(1, 1, raw, raw.len())
        .section(Order::Big)
        .interface(113, 0, &[])
        .interface(1, 0, &[])
        .obsolete(1, 2, &frame(4), 58);
    let (packets, report) = read_ok(&file.bytes);
    let seen: Vec<_> = packets.iter().map(|p| (p.interface, p.payload_bytes)).collect();
    assert_eq!(seen, [(1, 3), (3, 4)]);
    let links: Vec<_> = report.interfaces.iter().map(|i| i.link_type).collect();
    assert_eq!(links, [1, 101, 113, 1]);
    assert_eq!(report.interfaces[1].name.as_deref(), Some("rmnet0"));
    assert_eq!(report.problems, []);
}

#[test]
fn simple_packets_are_cut_at_the_snap_length_and_have_no_time() {
    let file = PcapNg::new(Order::Little)
        .interface(1, 60, &[])
        .enhanced(0, 7, &frame(1), 55)
        .simple(&frame(90)[..60], 144);
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets[1].payload_bytes, packets[1].payload.len()), (90, 6));
    assert_eq!((packets[1].time_ns, report.counts.without_time), (7000, 1));
    assert_eq!(report.warnings, ["1 record: no time: that of the record before was taken"]);
}

#[test]
fn unknown_blocks_are_stepped_over_and_drop_counters_kept() {
    let file = PcapNg::new(Order::Big)
        .interface(1, 0, &[])
        .block(0x0000_0bad, b"custom")
        .dropped(0, 3)
        .enhanced(0, 1, &frame(1), 55)
        .dropped(0, 5);
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), report.counts.dropped), (1, 5));
}

#[test]
fn compressed_members_and_frames_follow_one_another() {
    let file = Pcap::new(1).record(START, &frame(1)).record(START, &frame(2)).bytes;
    let (head, tail) = file.split_at(70);
    let plain = read_ok(&file).0;
    let cases: [(Vec<u8>, &str); 6] = [
        ([gzip(head), gzip(tail)].concat(), "pcap-us-le+gzip"),
        // Padding in blocks of a tape or a device, which `gzip -d` skips.
        ([gzip(&file), vec![0; 70_000]].concat(), "pcap-us-le+gzip"),
        ([gzip(head), vec![0; 512], gzip(tail)].concat(), "pcap-us-le+gzip"),
        ([zstd(head), zstd(tail)].concat(), "pcap-us-le+zstd"),
        // A skippable frame comes first (RFC 8878 section 3.1.2).
        ([&[0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9][..], &zstd(&file)].concat(), "pcap-us-le+zstd"),
        (gzip(&zstd(&file)), "pcap-us-le+zstd+gzip"),
    ];
    for (bytes, format) in cases {
        let (packets, report) = read_ok(&bytes);
        assert_eq!((packets, report.format.as_str()), (plain.clone(), format));
        assert_eq!((report.problems.len(), report.size_bytes), (0, bytes.len() as u64), "{format}");
    }
}

#[test]
fn a_pipe_may_give_a_byte_at_a_time() {
    struct Trickle(Cursor<Vec<u8>>);
    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let step = buffer.len().min(1);
            self.0.read(&mut buffer[..step])
        }
    }
    let file = Pcap::new(1).record(START, &frame(1)).record(START, &frame(2)).bytes;
    let mut capture = Capture::from_reader("-", Trickle(Cursor::new(file))).unwrap();
    assert_eq!(capture.next_packet().unwrap().payload_bytes, 1);
    assert_eq!(capture.next_packet().unwrap().payload_bytes, 2);
    assert!(capture.next_packet().is_none());
}

proptest! {
    /// The sizes exceed the reader's block, so that records extend across the borders of blocks.
    #[test]
    fn round_trips_with_records_of_any_size(
        sizes in prop::collection::vec(0_usize..65_000, 1..60),
        big in any::<bool>(),
        nanos in any::<bool>(),
        coding in 0..3,
    ) {
        let order = if big { Order::Big } else { Order::Little };
        let mut classic = Pcap::with(order, nanos, 1);
        let mut pcapng = PcapNg::new(order).interface(1, 0, &[(9, &[9])]);
        for (i, size) in sizes.iter().enumerate() {
            let time = START / 1000 * 1000 + i as u64 * 1000;
            classic = classic.record(time, &frame(*size));
            pcapng = pcapng.enhanced(0, time, &frame(*size), frame(*size).len());
        }
        for bytes in [classic.bytes, pcapng.bytes] {
            let stored = match coding { 0 => bytes, 1 => gzip(&bytes), _ => zstd(&bytes) };
            let (packets, report) = read_ok(&stored);
            prop_assert_eq!(report.problems.len(), 0);
            let lengths: Vec<usize> = packets.iter().map(|p| p.payload_bytes as usize).collect();
            prop_assert_eq!(&lengths, &sizes);
            for (i, packet) in packets.iter().enumerate() {
                prop_assert_eq!(packet.time_ns as u64, START / 1000 * 1000 + i as u64 * 1000);
                prop_assert_eq!(packet.payload.len(), sizes[i]);
            }
        }
    }
}
