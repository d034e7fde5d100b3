//! Tests that the packets of chosen flows are read again from the capture.
#![allow(clippy::disallowed_methods, missing_docs, reason = "tests write their own inputs")]

mod common;

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

use airmile_dataset::{Error, ErrorKind, Options, Trace, analyze, trace};
use arrow_array::{Array, Int64Array, RecordBatch, StringArray, UInt64Array};
use common::{ACK, Pcap, SYN, tcp};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::tempdir;

const RST: u8 = 4;

fn packets(capture: &Path, uid: u64) -> Trace {
    together(capture, &[uid]).unwrap().remove(&uid).unwrap()
}

fn together(capture: &Path, uids: &[u64]) -> Result<BTreeMap<u64, Trace>, Error> {
    trace(&[capture.display().to_string()], uids, &Options::default())
}

/// The uid of every flow, by the last octet of its phone.
fn uids(capture: &Path, out: &Path) -> Vec<(String, u64)> {
    let inputs = [capture.display().to_string()];
    analyze(&inputs, out, &Options::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let file = std::fs::File::open(out.join("flows/part-0.parquet")).unwrap();
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let flows = reader.next().unwrap().unwrap();
    let ue: StringArray = column(&flows, "ue");
    let uid: UInt64Array = column(&flows, "uid");
    ue.iter().flatten().map(str::to_owned).zip(uid.values().iter().copied()).collect()
}

fn column<T: Clone + 'static>(batch: &RecordBatch, name: &str) -> T {
    batch.column_by_name(name).unwrap().as_any().downcast_ref::<T>().unwrap().clone()
}

#[test]
fn only_the_chosen_flow_is_kept_with_the_uid_of_the_dataset() {
    let folder = tempdir().unwrap();
    let capture =
        Pcap::new().flow(0, 1, 3).flow(5_000_000, 2, 5).write(folder.path().join("x.pcap"));
    let uids = uids(&capture, &folder.path().join("x.airmile"));
    for (ue, segments) in [("10.0.0.1", 3), ("10.0.0.2", 5)] {
        let (_, uid) = uids.iter().find(|(address, _)| address == ue).unwrap();
        let rows = packets(&capture, *uid).batches.remove(0);
        assert_eq!(rows.num_rows(), 4 + 2 * segments + 3, "{ue}");
        let payload: Int64Array = column(&rows, "payload_bytes");
        assert_eq!(payload.values().iter().sum::<i64>(), 100 + 1000 * segments as i64, "{ue}");
        let class: StringArray = column(&rows, "class");
        assert_eq!(class.iter().flatten().filter(|word| *word == "new").count(), segments + 1);
        assert!(class.is_null(0), "a SYN has no payload");
    }
}

/// The flows overlap in part. The second ends first, and the last is longer than one batch.
#[test]
fn flows_that_are_read_together_are_equal_to_flows_read_alone() {
    let folder = tempdir().unwrap();
    let mut pcap = Pcap::new();
    pcap.flow(0, 1, 30).flow(5_000, 2, 2).flow(9_000, 3, 5_000);
    in_order_of_time(&mut pcap);
    let capture = pcap.write(folder.path().join("x.pcap"));
    let uids: Vec<u64> =
        uids(&capture, &folder.path().join("x.airmile")).iter().map(|(_, uid)| *uid).collect();
    assert_eq!(uids.len(), 3);
    for chosen in [&uids[..], &uids[1..], &[uids[2], uids[0], uids[2]]] {
        let found = together(&capture, chosen).unwrap();
        assert_eq!(found.keys().collect::<HashSet<_>>(), chosen.iter().collect());
        for (uid, traced) in found {
            let alone = packets(&capture, uid);
            assert_eq!((traced.schema, traced.batches), (alone.schema, alone.batches), "{uid}");
        }
    }
    let found = together(&capture, &[7, uids[0]]).unwrap();
    assert_eq!(found.into_keys().collect::<Vec<_>>(), [uids[0]], "there is no flow 7");
}

fn in_order_of_time(pcap: &mut Pcap) {
    let bytes = pcap.0.split_off(24);
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut at, mut records) = (0, Vec::new());
    while at < bytes.len() {
        let end = at + 16 + word(at + 8) as usize;
        records.push(((word(at), word(at + 4)), &bytes[at..end]));
        at = end;
    }
    records.sort_by_key(|(time, _)| *time);
    pcap.0.extend(records.into_iter().flat_map(|(_, record)| record));
}

/// The clock is the same in every record, and two connection attempts alternate with the same two
/// numbers.
#[test]
fn flows_that_look_the_same_have_their_own_uids() {
    let folder = tempdir().unwrap();
    let mut pcap = Pcap::new();
    for attempt in 0..600 {
        let (host, first) = ((attempt % 3) as u8, attempt % 2 * 1_000_000);
        pcap.record(0, &tcp(host, (true, first, 0, SYN, 0)));
        pcap.record(0, &tcp(host, (false, 0, first + 1, RST | ACK, 0)));
    }
    let capture = pcap.write(folder.path().join("x.pcap"));
    let flows = uids(&capture, &folder.path().join("x.airmile"));
    assert_eq!(flows.len(), 600);
    let unique: HashSet<u64> = flows.iter().map(|(_, uid)| *uid).collect();
    assert_eq!(unique.len(), 600);
    let (_, last) = flows.last().unwrap();
    assert_eq!(packets(&capture, *last).batches.remove(0).num_rows(), 2);
}

#[test]
fn offsets_and_sack_blocks_count_from_the_first_byte() {
    let folder = tempdir().unwrap();
    let mut pcap = Pcap::new();
    // The sequence numbers wrap: the server's first byte is 2^32 - 500.
    let first = 0_u32.wrapping_sub(500);
    let origin = first.wrapping_sub(1);
    pcap.record(0, &tcp(1, (true, 0, 0, SYN, 0)));
    pcap.record(10, &tcp(1, (false, origin, 1, SYN | ACK, 0)));
    pcap.record(20, &tcp(1, (true, 1, first, ACK, 0)));
    pcap.record(30, &tcp(1, (false, first, 1, ACK, 1000)));
    pcap.record(40, &tcp(1, (false, first.wrapping_add(1000), 1, ACK, 1000)));
    let duplicate = tcp(1, (true, 1, first, ACK, 0));
    pcap.record(50, &with_sack(duplicate, first.wrapping_add(1000), first.wrapping_add(2000)));
    let capture = pcap.write(folder.path().join("x.pcap"));
    let uid = uids(&capture, &folder.path().join("x.airmile"))[0].1;
    let rows = packets(&capture, uid).batches.remove(0);
    let cell = |name: &str, row: usize| column::<Int64Array>(&rows, name).value(row);
    assert_eq!((cell("start_offset", 4), cell("end_offset", 4)), (1001, 2001));
    assert_eq!(cell("ack_offset", 5), 1);
    assert_eq!((cell("sack_1_left_offset", 5), cell("sack_1_right_offset", 5)), (1001, 2001));
    assert!(column::<Int64Array>(&rows, "sack_2_left_offset").is_null(5));
    assert_eq!(cell("peer_in_flight_bytes", 5), 2000);
}

/// A packet without payload, with a SACK block.
fn with_sack(mut packet: Vec<u8>, left: u32, right: u32) -> Vec<u8> {
    packet[3] += 12;
    packet[32] = 0x80;
    packet.extend([1, 1, 5, 10]);
    packet.extend(left.to_be_bytes());
    packet.extend(right.to_be_bytes());
    packet
}

#[test]
fn no_such_flow_gives_nothing_and_no_such_capture_is_an_error() {
    let folder = tempdir().unwrap();
    let capture = Pcap::new().flow(0, 1, 1).write(folder.path().join("x.pcap"));
    assert!(together(&capture, &[7]).unwrap().is_empty());
    let gone = together(&folder.path().join("gone.pcap"), &[7]).unwrap_err();
    assert_eq!(gone.kind, ErrorKind::Input);
    assert!(gone.message.contains("gone.pcap"));
}
