//! Tests which packets two captures share.
#![allow(clippy::disallowed_methods, missing_docs, reason = "tests write their own inputs")]

mod common;

use std::ops::ControlFlow;
use std::path::Path;

use airmile_dataset::{Aligned, Columns, ErrorKind, Options, align};
use arrow_array::{Array, BooleanArray, Int64Array, StringArray};
use common::{ACK, Pcap, SYN, tcp};
use tempfile::tempdir;

fn aligned(first: &Path, second: &Path) -> Aligned {
    let name = |path: &Path| vec![path.display().to_string()];
    align(&name(first), &name(second), &Options::default(), |_| ControlFlow::Continue(())).unwrap()
}

fn column<T: Clone + 'static>(rows: &Columns, name: &str) -> T {
    let array = rows.batches[0].column_by_name(name).unwrap();
    array.as_any().downcast_ref::<T>().unwrap().clone()
}

/// The microseconds from one capture point to the other, for each pair.
fn differences(aligned: &Aligned) -> Vec<i64> {
    let (first, second): (Int64Array, Int64Array) =
        (column(&aligned.pairs, "first_ns"), column(&aligned.pairs, "second_ns"));
    first.values().iter().zip(second.values()).map(|(a, b)| (b - a) / 1000).collect()
}

#[test]
fn every_packet_of_a_flow_is_paired_and_other_flows_are_not() {
    let folder = tempdir().unwrap();
    let one = Pcap::new().flow(0, 1, 4).flow(500_000, 2, 3).write(folder.path().join("a"));
    let two = Pcap::new().flow(7_000, 1, 4).flow(600_000, 3, 3).write(folder.path().join("b"));
    let found = aligned(&one, &two);
    assert_eq!(differences(&found), vec![7_000; 15]);
    let ue: StringArray = column(&found.pairs, "ue");
    assert!(ue.iter().all(|ue| ue == Some("10.0.0.1")));
    let ways: StringArray = column(&found.pairs, "direction");
    assert_eq!(ways.iter().flatten().filter(|way| *way == "uplink").count(), 8);
    let (first, second) = (&found.counts.first, &found.counts.second);
    assert_eq!((found.counts.shared_flows, found.counts.flows), (1, 3));
    assert_eq!((first.tcp_packets, first.other_flows, second.other_flows), (28, 13, 13));
    assert_eq!((first.uplink.paired, first.downlink.paired, first.uplink.alone), (8, 7, 0));
}

/// A handshake, then segments to the phone, given as first byte and length.
fn download(at_us: u32, segments: &[(u32, usize)]) -> Pcap {
    let mut pcap = Pcap::new();
    pcap.record(at_us, &tcp(1, (true, 0, 0, SYN, 0)));
    pcap.record(at_us + 10, &tcp(1, (false, 0, 1, SYN | ACK, 0)));
    for (number, (start, bytes)) in segments.iter().enumerate() {
        pcap.record(at_us + 100 * (1 + number as u32), &tcp(1, (false, *start, 1, ACK, *bytes)));
    }
    pcap.record(at_us + 90_000, &tcp(1, (true, 1, 9_001, ACK, 0)));
    pcap.record(at_us + 90_010, &tcp(1, (false, 9_001, 1, ACK, 0)));
    pcap
}

#[test]
fn what_stands_twice_gives_no_pair_but_is_not_lost() {
    let folder = tempdir().unwrap();
    let one = download(0, &[(1, 1000), (1001, 1000), (1001, 1000)]);
    let two = download(5_000, &[(1, 1000), (1001, 1000)]);
    let (one, two) = (one.write(folder.path().join("a")), two.write(folder.path().join("b")));
    let counts = aligned(&one, &two).counts;
    // Both captures contain the handshake, the first segment, its ACK and the server's last packet.
    assert_eq!((counts.first.uplink.paired, counts.first.downlink.paired), (2, 3));
    assert_eq!((counts.first.downlink.repeated, counts.first.downlink.alone), (1, 1));
    assert_eq!((counts.second.downlink.repeated, counts.second.downlink.alone), (1, 0));
}

#[test]
fn joined_segments_are_paired_by_their_first_byte_and_losses_are_given_in_bytes() {
    let folder = tempdir().unwrap();
    let cut = download(0, &[(1, 1000), (1001, 1000), (2001, 1000), (3001, 1000), (4001, 1000)]);
    // Bytes 1 to 3000 are joined; of bytes 3001 to 5000 the second half is missing.
    let joined = download(5_000, &[(1, 3000), (3001, 1000)]);
    let (one, two) = (cut.write(folder.path().join("a")), joined.write(folder.path().join("b")));
    let found = aligned(&one, &two);
    let whole: BooleanArray = column(&found.pairs, "whole");
    assert_eq!((whole.len(), whole.false_count()), (6, 1));
    assert_eq!(differences(&found), [5_000, 5_000, 5_000, 4_800, 5_000, 5_000]);
    let down = found.counts.first.downlink;
    assert_eq!((down.paired, down.joined, down.alone, down.alone_bytes), (3, 3, 1, 1000));
    let down = found.counts.second.downlink;
    assert_eq!((down.paired, down.joined, down.alone, down.alone_bytes), (3, 1, 0, 0));
}

#[test]
fn sequence_numbers_wrap_within_a_joined_segment() {
    let folder = tempdir().unwrap();
    let start = 0_u32.wrapping_sub(500);
    let cut = download(0, &[(start, 400), (start.wrapping_add(400), 400)]);
    let joined = download(0, &[(start, 800)]);
    let (one, two) = (cut.write(folder.path().join("a")), joined.write(folder.path().join("b")));
    let counts = aligned(&one, &two).counts;
    assert_eq!((counts.first.downlink.joined, counts.first.downlink.alone), (2, 0));
    assert_eq!((counts.second.downlink.joined, counts.second.downlink.alone_bytes), (1, 0));
}

#[test]
fn payload_to_each_phone_is_counted_in_bins() {
    let folder = tempdir().unwrap();
    let one = Pcap::new().flow(0, 1, 4).write(folder.path().join("a"));
    let found = aligned(&one, &one);
    let (bytes, time): (Int64Array, Int64Array) =
        (column(&found.volumes.0, "bytes"), column(&found.volumes.0, "time_ns"));
    // One segment of 1000 bytes each 20 ms, in bins of 10 ms.
    assert_eq!(bytes.values().to_vec(), [1000; 4]);
    assert!(time.values().windows(2).all(|pair| pair[1] - pair[0] == 20_000_000));
}

#[test]
fn a_capture_that_cannot_be_read_is_named() {
    let folder = tempdir().unwrap();
    Pcap::new().flow(0, 1, 4).write(folder.path().join("a"));
    let names = |name: &str| vec![folder.path().join(name).display().to_string()];
    let error =
        align(&names("a"), &names("gone"), &Options::default(), |_| ControlFlow::Continue(()));
    let error = error.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Input);
    assert!(error.message.contains("gone"), "{}", error.message);
}
