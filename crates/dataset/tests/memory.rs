//! Tests the limit for live flows (`--memory`): which of them end, and that nothing else decides
//! it.
#![allow(clippy::disallowed_methods, missing_docs, reason = "tests write their own inputs")]

#[expect(dead_code, reason = "flows that begin and end are made for other tests")]
mod common;

use std::collections::HashSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use airmile_dataset::{Manifest, Options, analyze};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use common::{ACK, Pcap, tcp};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// The number of flows. Each takes about 4 kB with its phone, so that all of them need more than
/// the least budget.
const FLOWS: u32 = 20_000;

/// One packet in the middle of each flow; every tenth flow has another packet at the end. The clock
/// advances by `step_us` for each packet.
fn capture(folder: &Path, step_us: u32) -> PathBuf {
    let mut capture = Pcap::new();
    for number in 0..FLOWS {
        capture.record(number * step_us, &packet(number, 1));
    }
    for number in (0..FLOWS).step_by(10) {
        capture.record((FLOWS + number) * step_us, &packet(number, 201));
    }
    capture.write(folder.join("many.pcap"))
}

/// A packet of 200 bytes from a phone of its own.
fn packet(number: u32, sequence: u32) -> Vec<u8> {
    let mut packet = tcp(1, (true, sequence, 1, ACK, 200));
    packet[13..16].copy_from_slice(&number.to_be_bytes()[1..]);
    packet
}

fn run(capture: &Path, out: &Path, memory: &str, threads: usize) -> Manifest {
    run_all(&[capture], out, memory, threads)
}

fn run_all(captures: &[&Path], out: &Path, memory: &str, threads: usize) -> Manifest {
    let mut options = Options { threads, ..Options::default() };
    options.set_memory(memory).unwrap();
    let inputs: Vec<String> = captures.iter().map(|path| path.display().to_string()).collect();
    analyze(&inputs, out, &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The ending, the last packet and the number of packets of every flow.
fn flows(out: &Path) -> Vec<(String, i64, i64)> {
    read(out, "flows").iter().flat_map(rows).collect()
}

fn read(out: &Path, table: &str) -> Vec<RecordBatch> {
    let file = fs::File::open(out.join(table).join("part-0.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

fn ids(out: &Path, table: &str, name: &str) -> Vec<u64> {
    let ids = |batch: &RecordBatch| {
        let column = batch.column_by_name(name).unwrap();
        column.as_primitive::<UInt64Type>().values().to_vec()
    };
    read(out, table).iter().flat_map(ids).collect()
}

fn rows(batch: &RecordBatch) -> Vec<(String, i64, i64)> {
    let number = |name: &str, row: usize| {
        batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().value(row)
    };
    let ending = batch.column_by_name("ending").unwrap();
    let word = |row| ending.as_string::<i32>().value(row).to_owned();
    (0..batch.num_rows())
        .map(|row| (word(row), number("end_ns", row), number("ul_packets", row)))
        .collect()
}

#[test]
fn the_longest_silent_end_and_the_number_of_threads_decides_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let capture = capture(folder.path(), 100);
    let out = |threads: usize| folder.path().join(format!("{threads}.airmile"));
    let manifest = run(&capture, &out(1), "128M", 1);
    let warned = manifest.warnings.iter().any(|warning| warning.starts_with("memory: "));
    assert!(warned, "{:?}", manifest.warnings);

    let flows = flows(&out(1));
    let last = |word: &str| flows.iter().filter(|f| f.0 == word).map(|f| f.1).collect::<Vec<_>>();
    let (ended, open) = (last("memory"), last("open"));
    assert_eq!(manifest.memory_bytes, Some(128 << 20));
    assert_eq!(manifest.ended_for_memory, ended.len() as u64);
    assert_eq!(ended.len() + open.len(), flows.len());
    assert!(ended.iter().max() < open.iter().min(), "a flow was ended before a longer silent one");
    assert_eq!(flows.iter().map(|f| f.2).sum::<i64>(), i64::from(FLOWS + FLOWS / 10));
    assert!(flows.len() > FLOWS as usize, "some that had ended spoke again");

    assert_threads_decide_nothing(&[&capture], &out(1));
}

/// Asserts that two and seven threads write the same bytes as one thread has written to `out`.
fn assert_threads_decide_nothing(captures: &[&Path], out: &Path) {
    for threads in [2, 7] {
        let other = out.with_extension(threads.to_string());
        run_all(captures, &other, "128M", threads);
        for table in airmile_analyze::tables() {
            let part = |of: &Path| fs::read(of.join(table.name).join("part-0.parquet")).unwrap();
            assert!(part(out) == part(&other), "{} differs with {threads} threads", table.name);
        }
    }
}

/// A capture with a packet of every second flow: `of` says which half of the flows.
fn half(folder: &Path, of: u32) -> PathBuf {
    let mut capture = Pcap::new();
    for number in (of..FLOWS).step_by(2) {
        capture.record(number * 100, &packet(number, 1));
    }
    capture.write(folder.join(format!("{of}.pcap")))
}

#[test]
fn of_merged_captures_the_longest_silent_of_both_end() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (half(folder.path(), 0), half(folder.path(), 1));
    let captures: [&Path; 2] = [&first, &second];
    let out = folder.path().join("1.airmile");
    run_all(&captures, &out, "128M", 1);
    let flows = flows(&out);
    let last = |word: &str| flows.iter().filter(|f| f.0 == word).map(|f| f.1).collect::<Vec<_>>();
    let (ended, open) = (last("memory"), last("open"));
    assert!(!ended.is_empty() && ended.len() + open.len() == FLOWS as usize);
    assert!(ended.iter().max() < open.iter().min(), "a flow was ended before a longer silent one");
    assert_threads_decide_nothing(&captures, &out);
}

/// The clock of the first packets was half an hour ahead.
#[test]
fn who_came_first_in_the_capture_leaves_first_although_its_time_is_the_latest() {
    const AHEAD: u32 = 200;
    let folder = tempfile::tempdir().unwrap();
    let mut capture = Pcap::new();
    for number in 0..FLOWS {
        let ahead_us = if number < AHEAD { 1_800_000_000 } else { 0 };
        capture.record(number * 100 + ahead_us, &packet(number, 1));
    }
    let capture = capture.write(folder.path().join("ahead.pcap"));
    let out = folder.path().join("1.airmile");
    run(&capture, &out, "128M", 1);
    let mut flows = flows(&out);
    flows.sort_by_key(|flow| flow.1);
    let ahead = flows.split_off(flows.len() - AHEAD as usize);
    assert!(ahead.iter().all(|flow| flow.0 == "memory"));
    assert!(flows.iter().any(|flow| flow.0 == "open"));
    assert_threads_decide_nothing(&[&capture], &out);
}

#[test]
fn with_enough_room_nothing_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.airmile");
    let manifest = run(&capture(folder.path(), 100), &out, "1G", 1);
    assert!(manifest.warnings.is_empty(), "{:?}", manifest.warnings);
    assert_eq!(flows(&out).len(), FLOWS as usize);
}

/// The clock shows the same time all along. Then only the first packet distinguishes the session of
/// a phone that sends again from the session that was ended.
#[test]
fn flows_and_sessions_have_their_own_numbers_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let capture = capture(folder.path(), 0);
    let found = [1, 2, 7].map(|threads| {
        let out = folder.path().join(format!("{threads}.airmile"));
        run(&capture, &out, "128M", threads);
        [ids(&out, "flows", "uid"), ids(&out, "sessions", "session_id")]
    });
    for ids in &found[0] {
        assert!(ids.len() > FLOWS as usize, "some that had ended spoke again");
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    }
    assert!(found.iter().all(|ids| *ids == found[0]));
}
