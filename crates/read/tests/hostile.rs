//! Tests with bad input: which packets are kept, and what the report says.

mod support;

use std::io::{self, Cursor, Read};

use airmile_read::{Capture, OpenError, Outcome, Skip};
use support::{Order, Pcap, PcapNg, frame, gzip, problems, read, read_ok, zstd};

const START: u64 = 1_600_000_000_000_000_000;
const SECOND: u64 = 1_000_000_000;
/// The number of bytes of a record with `frame(100)`.
const RECORD: usize = 16 + 154;

fn pcap(records: u64) -> Vec<u8> {
    (0..records).fold(Pcap::new(1), |file, i| file.record(START + i * SECOND, &frame(100))).bytes
}

fn pcapng(records: u64) -> Vec<u8> {
    let file = PcapNg::new(Order::Little).interface(1, 0, &[]);
    (0..records).fold(file, |file, i| file.enhanced(0, START / 1000 + i, &frame(100), 154)).bytes
}

/// Random bytes that are the same in every run.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

fn refused(bytes: &[u8]) -> (String, String) {
    let error = read(bytes).expect_err("it must not open");
    (error.to_string(), error.hint().unwrap_or_default().to_owned())
}

#[test]
fn an_empty_file() {
    let (text, hint) = refused(b"");
    assert_eq!(text, "test: the file is empty");
    assert_eq!(hint, "did the capture stop before its first packet was written?");
    assert_eq!(refused(&gzip(b"")).0, text, "and one that decompresses to nothing");
}

#[test]
fn random_bytes_alone() {
    let (text, hint) = refused(&noise(5000));
    assert_eq!(text, "test: not a packet capture (it begins ae b9 91 0c e0 ce 44 2e)");
    assert_eq!(hint, "give a pcap or pcapng file, plain, gzip or zstd");
}

#[test]
fn other_files_are_named() {
    assert_eq!(refused(b"hello\n").0, "test: not a packet capture (text)");
    let (text, hint) = refused(b"t_unix,tti,prb,tbs_bytes\n");
    assert_eq!(text, "test: not a packet capture (a modem log)");
    assert_eq!(hint, "give it with --modem");
    let (text, hint) = refused(b"\xfd7zXZ\0\0");
    assert_eq!(text, "test: not a packet capture (xz-compressed)");
    assert_eq!(hint, "decompress it first: xz -dc FILE | airmile -");
}

#[test]
fn a_file_header_that_is_cut() {
    assert_eq!(
        refused(&pcap(1)[..10]).0,
        "test: the file ends within the capture's file header, after 10 bytes"
    );
    assert!(matches!(read(&pcapng(1)[..9]), Err(OpenError::HeaderCut { bytes: 9, .. })));
}

#[test]
fn a_link_type_without_ip() {
    let (text, hint) = refused(&Pcap::new(147).record(START, &[0; 40]).bytes);
    assert_eq!(text, "test: link type 147 (LTE-MAC, DLT_USER0) carries no IP that can be read");
    assert!(hint.contains("give modem logs with --modem"), "{hint}");
    assert!(
        refused(&Pcap::new(163).bytes).0.contains("link type 163 (IEEE 802.11 with AVS header)")
    );
    assert!(refused(&Pcap::new(4711).bytes).0.contains("link type 4711 (not in our table)"));
}

#[test]
fn pcapng_with_nothing_but_refused_interfaces() {
    let file = PcapNg::new(Order::Little).interface(147, 0, &[]).enhanced(0, 1, &[1; 40], 40);
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), report.outcome()), (0, Outcome::Nothing));
    let reasons: Vec<_> = report.skipped.iter().map(|(why, n)| format!("{why}: {n}")).collect();
    assert_eq!(reasons, ["link type 147 (LTE-MAC, DLT_USER0): 1"]);
}

#[test]
fn no_ip_is_clean_and_says_why() {
    let arp = support::ethernet(0x0806, &[0; 46]);
    let (_, report) = read_ok(&Pcap::new(1).record(START, &arp).record(START, &arp).bytes);
    assert_eq!(report.outcome(), Outcome::Clean);
    let reasons: Vec<_> = report.skipped.iter().map(|(why, n)| format!("{why}: {n}")).collect();
    assert_eq!(reasons, ["not IP: ARP: 2"]);
    let (_, report) = read_ok(&Pcap::new(1).bytes);
    assert_eq!(report.outcome(), Outcome::Clean);
    assert_eq!((report.counts.records, report.counts.ip_packets), (0, 0));
}

#[test]
fn a_truncated_last_record() {
    let file = pcap(3);
    let (packets, report) = read_ok(&file[..file.len() - 100]);
    assert_eq!((packets.len(), report.outcome()), (2, Outcome::Partial));
    let text =
        "the file ends within a record, after 70 of 170 bytes; everything before it was kept";
    assert_eq!(problems(&report), [format!("{} truncated: {text}", 24 + 2 * RECORD)]);

    let (packets, report) = read_ok(&file[..24 + 2 * RECORD + 3]);
    assert_eq!(packets.len(), 2);
    let text =
        "the file ends within a record header, after 3 of 16 bytes; everything before it was kept";
    assert_eq!(problems(&report), [format!("{} truncated: {text}", 24 + 2 * RECORD)]);
}

#[test]
fn a_truncated_pcapng() {
    let file = pcapng(3);
    let (packets, report) = read_ok(&file[..file.len() - 10]);
    assert_eq!((packets.len(), report.outcome()), (2, Outcome::Partial));
    assert_eq!(report.problems[0].kind, "truncated");
    assert!(report.problems[0].text.starts_with("the file ends within a block, after 178 of 188"));
}

#[test]
fn gzip_that_ends_early_keeps_what_came_before() {
    let stored = gzip(&pcap(1000));
    let (packets, report) = read_ok(&stored[..stored.len() / 2]);
    assert!(packets.len() > 300, "{} packets", packets.len());
    assert_eq!(report.outcome(), Outcome::Partial);
    let problem = &report.problems[0];
    assert_eq!(
        (problem.kind, problem.text.as_str()),
        ("gzip_truncated", "the gzip data ends early; everything before it was kept")
    );
    assert!(problem.offset >= (24 + packets.len() * RECORD) as u64);
}

#[test]
fn zstd_that_ends_early() {
    let stored = zstd(&[pcap(1000), noise(500_000)].concat());
    let (packets, report) = read_ok(&stored[..300_000]);
    assert_eq!(packets.len(), 1000);
    let kinds: Vec<_> = report.problems.iter().map(|p| p.kind).collect();
    assert!(kinds.contains(&"zstd_truncated"), "{kinds:?}");
}

#[test]
fn a_device_that_fails_is_no_damaged_file() {
    struct Failing(Cursor<Vec<u8>>);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer) {
                // EIO: the device reports an error.
                Ok(0) => Err(io::Error::from_raw_os_error(5)),
                read => read,
            }
        }
    }
    for stored in [pcap(3), gzip(&pcap(3))] {
        let mut capture = Capture::from_reader("test", Failing(Cursor::new(stored))).unwrap();
        let packets = std::iter::from_fn(|| capture.next_packet().map(|_| ())).count();
        let report = capture.report();
        assert_eq!((packets, report.problems[0].kind), (3, "read_error"));
        assert!(report.problems[0].text.starts_with("reading failed (Input/output error"));
    }
}

#[test]
fn damaged_gzip_data() {
    let mut stored = gzip(&[pcap(500), noise(100_000)].concat());
    let last = stored.len() - 6;
    stored[last] ^= 0xff;
    let (packets, report) = read_ok(&stored);
    assert_eq!((packets.len(), report.outcome()), (500, Outcome::Partial));
    let kinds: Vec<_> = report.problems.iter().map(|p| p.kind).collect();
    assert_eq!(kinds.last(), Some(&"gzip_corrupt"), "{kinds:?}");

    let (text, _) = refused(&[&stored[..10], &[0xff; 50]].concat());
    assert!(text.starts_with("test: gzip data is damaged from the start"), "{text}");
}

#[test]
fn a_corrupt_record_header_is_stepped_over() {
    let mut file = pcap(5);
    let bad = 24 + 2 * RECORD;
    file[bad + 8..bad + 12].fill(0xff);
    let (packets, report) = read_ok(&file);
    assert_eq!((packets.len(), report.outcome()), (4, Outcome::Partial));
    assert_eq!(
        problems(&report),
        [format!(
            "{bad} corrupt_record: corrupt record header (captured length 4294967295, wire length \
             154): skipped {RECORD} bytes to the next plausible record"
        )]
    );
}

#[test]
fn random_bytes_after_good_records() {
    let file = [pcap(3), noise(3_000_000)].concat();
    let (packets, report) = read_ok(&file);
    assert_eq!((packets.len(), report.outcome()), (3, Outcome::Partial));
    assert_eq!(report.problems.len(), 1);
    assert_eq!(report.problems[0].offset, (24 + 3 * RECORD) as u64);
    let text = &report.problems[0].text;
    assert!(
        text.contains("no plausible record follows, the last 3000000 bytes are lost"),
        "{text}"
    );
}

#[test]
fn random_bytes_at_once_after_the_file_header_give_nothing() {
    for header in [pcap(0), pcapng(0)] {
        let (packets, report) = read_ok(&[header, noise(100_000)].concat());
        assert_eq!((packets.len(), report.outcome()), (0, Outcome::Nothing));
        assert_eq!(report.problems[0].kind, "corrupt_record");
    }
}

#[test]
fn random_bytes_between_good_records() {
    let good = pcap(10);
    let at = 24 + 5 * RECORD;
    let file = [&good[..at], &noise(700_001), &good[at..]].concat();
    for stored in [gzip(&file), zstd(&file), file] {
        let (packets, report) = read_ok(&stored);
        assert_eq!((packets.len(), report.problems.len()), (10, 1));
        let text = &report.problems[0].text;
        assert!(text.ends_with("skipped 700001 bytes to the next plausible record"), "{text}");
    }
}

#[test]
fn a_length_beyond_the_file_is_corrupt_when_records_follow() {
    let mut file = pcap(5);
    let bad = 24 + RECORD;
    // A megabyte of wire and captured bytes in a file of 900 bytes is plausible, but wrong.
    for field in [bad + 8, bad + 12] {
        file[field..field + 4].copy_from_slice(&200_000_u32.to_le_bytes());
    }
    let (packets, report) = read_ok(&file);
    assert_eq!(packets.len(), 4);
    assert!(report.problems[0].text.starts_with("a record's length exceeds the file: skipped 170"));
}

#[test]
fn a_corrupt_pcapng_block_is_stepped_over() {
    let good = pcapng(5);
    let block = 32 + 154_usize.next_multiple_of(4);
    let bad = good.len() - 3 * block;
    for (field, text) in [
        (bad + 4, "corrupt block header"),
        (bad + block - 4, "a block's two lengths differ"),
        (bad + 20, "captured length exceeds the packet block"),
        (bad + 8, "packet of an interface that was not described"),
    ] {
        let mut file = good.clone();
        file[field..field + 4].fill(0xf7);
        let (packets, report) = read_ok(&file);
        assert_eq!(packets.len(), 4, "{text}");
        assert_eq!((report.problems.len(), report.problems[0].offset), (1, bad as u64));
        assert!(report.problems[0].text.starts_with(text), "{}", report.problems[0].text);
    }
    let mut file = good.clone();
    file[bad + 4..bad + 8].copy_from_slice(&80_000_u32.to_le_bytes());
    let (packets, report) = read_ok(&file);
    assert_eq!((packets.len(), report.problems.len()), (4, 1));
    assert!(report.problems[0].text.starts_with("a block's length exceeds the file"));
}

#[test]
fn thousands_of_problems_are_counted_and_a_hundred_listed() {
    let mut file = PcapNg::new(Order::Little).interface(1, 0, &[]);
    for _ in 0..1000 {
        file = file.enhanced(9, 1, &frame(1), 55);
    }
    let (_, report) = read_ok(&file.bytes);
    assert_eq!((report.problems.len(), report.unlisted_problems), (100, 900));
}

#[test]
fn interfaces_without_end_do_not_fill_the_memory() {
    let one = &PcapNg::new(Order::Little).interface(1, 0, &[]).bytes[28..];
    let file = [&PcapNg::new(Order::Little).bytes[..], &one.repeat(300_000)].concat();
    let (_, report) = read_ok(&file);
    assert_eq!((report.interfaces.len(), report.unlisted_interfaces), (64, (1 << 18) - 64));
    assert!(report.problems[0].text.starts_with("too many interfaces"));
}

#[test]
fn names_of_interfaces_are_cut() {
    let name = [b'n'; 60_000];
    let file = PcapNg::new(Order::Little).interface(1, 0, &[(2, &name)]);
    let (_, report) = read_ok(&file.bytes);
    assert_eq!(report.interfaces[0].name, Some("n".repeat(256)));
}

#[test]
fn packets_without_any_time_are_refused() {
    let file = PcapNg::new(Order::Little)
        .interface(1, 0, &[])
        .simple(&frame(90), frame(90).len())
        .enhanced(0, 7, &frame(1), 55);
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), packets[0].time_ns), (1, 7000));
    assert_eq!(report.problems[0].text, "packet without time, and none before it: skipped");
    assert_eq!(report.outcome(), Outcome::Partial);
}

/// Tests with damaged resolutions, offsets and times; an instant has 64 bits of nanoseconds.
#[test]
fn packets_of_times_that_do_not_fit_are_skipped_and_counted() {
    for order in [Order::Little, Order::Big] {
        let far = PcapNg::new(order).u64(i64::MAX as u64);
        let least = PcapNg::new(order).u64(i64::MIN as u64);
        let early = PcapNg::new(order).u64((-1_000_000_000_000_i64) as u64);
        for (resolution, offset) in [(0, &[0; 8][..]), (9, &far), (9, &least), (9, &early)] {
            let file = PcapNg::new(order)
                .interface(1, 0, &[(9, &[resolution]), (14, offset)])
                .enhanced(0, START, &frame(1), 55)
                .interface(1, 0, &[(9, &[9])])
                .enhanced(1, START, &frame(2), 56);
            let (packets, report) = read_ok(&file.bytes);
            assert_eq!((packets.len(), packets[0].time_ns), (1, START as i64));
            assert_eq!(report.problems[0].text, "time outside of the years 1677 to 2262: skipped");
            assert_eq!(report.outcome(), Outcome::Partial);
        }
    }
}

#[test]
fn zstd_with_a_window_beyond_ours_says_so() {
    // A frame header (RFC 8878 section 3.1.1.1) that needs a window of 1 GiB, and an empty last
    // block.
    let (text, hint) = refused(&[0x28, 0xb5, 0x2f, 0xfd, 0, 20 << 3, 1, 0, 0]);
    assert_eq!(text, "test: this zstd data needs a larger window than 128 MiB to be decompressed");
    assert_eq!(hint, "decompress it first: zstd -dc --long=31 FILE | airmile -");
}

#[test]
fn clock_steps_of_years_are_counted_and_harm_nothing() {
    let year = 366 * 86_400 * SECOND;
    let times = [START, START - year, START - year + SECOND, START + 30 * year, START + 30 * year];
    let file = times.iter().fold(Pcap::new(1), |file, time| file.record(*time, &frame(9)));
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), report.outcome()), (5, Outcome::Clean));
    assert_eq!(
        report.warnings,
        [
            "1 record: the clock steps back, by up to 31622400.000000 s",
            "1 record: the clock jumps ahead by more than a day",
        ]
    );
    assert_eq!(report.recorded.unwrap().as_nanos(), SECOND as i64, "the steps left out");
    let ends = (report.first_time.unwrap().as_nanos(), report.last_time.unwrap().as_nanos());
    assert_eq!(ends, ((START - year) as i64, (START + 30 * year) as i64));
}

#[test]
fn two_clocks_taking_turns_are_no_corruption() {
    let times = [START, 1_000 * SECOND, START + 1, 1_000 * SECOND + 1, START + 2];
    let file =
        times.iter().fold(Pcap::with(Order::Little, true, 1), |f, t| f.record(*t, &frame(9)));
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), report.counts.steps_back, report.counts.jumps_ahead), (5, 2, 2));
}

#[test]
fn records_without_any_byte_are_records() {
    // The wire length is 0 or that of a frame; two such records begin the file and end it.
    let empty = |file: Pcap, at: u64| {
        file.snapped(START + at * SECOND, &[], 0).snapped(START + at * SECOND, &[], 1500)
    };
    let file = (0..3).fold(Pcap::new(1), empty);
    let file = empty(file.record(START + 4 * SECOND, &frame(100)), 5);
    let (packets, report) = read_ok(&file.bytes);
    assert_eq!((packets.len(), report.counts.records), (1, 9));
    assert_eq!((problems(&report), report.outcome()), (vec![], Outcome::Clean));
    assert_eq!(report.skipped.get(&Skip::Empty), Some(&8));
    assert_eq!(Skip::Empty.to_string(), "an empty record");
    let times = [report.first_time, report.last_time].map(|at| at.unwrap().as_nanos() as u64);
    assert_eq!(times, [START, START + 5 * SECOND]);
}

#[test]
fn empty_records_of_every_format_are_records() {
    let ng = PcapNg::new(Order::Big)
        .interface(1, 0, &[])
        .enhanced(0, START / 1000, &[], 0)
        .enhanced(0, START / 1000, &[], 1500)
        .simple(&[], 0);
    let swapped = Pcap::with(Order::Big, true, 101).snapped(START, &[], 0).snapped(START, &[], 40);
    for (bytes, records) in [(ng.bytes, 3), (swapped.bytes, 2)] {
        let (_, report) = read_ok(&bytes);
        assert_eq!(report.counts.records, records);
        assert_eq!(report.skipped.get(&Skip::Empty), Some(&records));
        assert_eq!(problems(&report), Vec::<String>::new());
    }
}

#[test]
fn zeros_are_no_records() {
    let mut bytes = pcap(2);
    let end = bytes.len();
    bytes.extend([0; 4096]);
    let (packets, report) = read_ok(&bytes);
    assert_eq!((packets.len(), report.counts.records), (2, 2));
    assert_eq!(report.problems[0].offset, end as u64);
    let zeros = [&Pcap::new(1).bytes[..], &[0; 4096]].concat();
    assert_eq!(read_ok(&zeros).1.outcome(), Outcome::Nothing);
}

#[test]
fn a_file_that_is_compressed_too_often_is_named() {
    let nested = (0..4).fold(pcap(1), |bytes, _| gzip(&bytes));
    assert_eq!(refused(&nested).0, "test: not a packet capture (compressed more than three times)");
}
