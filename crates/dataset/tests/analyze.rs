//! Tests the whole way from captures to datasets, with captures that the tests write.
#![allow(clippy::disallowed_methods, missing_docs, reason = "tests write their own inputs")]

mod common;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use airmile_dataset::{
    Error, ErrorKind, InputStatus, Manifest, Options, Progress, Status, analyze,
};
use arrow_array::{Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use common::Pcap;

fn on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn run(inputs: &[&Path], out: &Path) -> Result<Manifest, Error> {
    run_with(inputs, out, &Options::default())
}

fn run_with(inputs: &[&Path], out: &Path, options: &Options) -> Result<Manifest, Error> {
    let inputs: Vec<String> = inputs.iter().map(|path| path.display().to_string()).collect();
    analyze(&inputs, out, options, &mut on)
}

fn read(out: &Path, table: &str) -> Vec<RecordBatch> {
    let file = fs::File::open(out.join(table).join("part-0.parquet")).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

fn column<T: Clone + 'static>(batches: &[RecordBatch], name: &str) -> T {
    batches[0].column_by_name(name).unwrap().as_any().downcast_ref::<T>().unwrap().clone()
}

fn manifest(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap()
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let out = folder.path().join("out.airmile");
    (folder, out)
}

#[test]
fn a_capture_becomes_flows_sessions_and_a_manifest() {
    let (folder, out) = folder();
    let input = Pcap::new().flow(0, 1, 3).flow(5_000_000, 2, 1).write(folder.path().join("x.pcap"));
    let options = Options { hash: true, ..Options::default() };
    run_with(&[&input], &out, &options).unwrap();

    let flows = read(&out, "flows");
    let ue: StringArray = column(&flows, "ue");
    let bytes: Int64Array = column(&flows, "dl_payload_bytes");
    let mut of_ue: Vec<_> = ue.iter().flatten().zip(bytes.values().iter().copied()).collect();
    of_ue.sort_unstable();
    assert_eq!(of_ue, [("10.0.0.1", 3000), ("10.0.0.2", 1000)]);
    let sessions = read(&out, "sessions");
    assert_eq!(sessions[0].num_rows(), 2);

    let manifest = manifest(&out);
    assert_eq!(manifest["schema"], 3);
    assert_eq!(manifest["tool"], "airmile");
    assert_eq!(manifest["status"], "ok");
    assert_eq!(manifest["interrupted"], false);
    assert_eq!(manifest["parameters"]["sessions.tail_s"], 10.0);
    assert_eq!(manifest["counts"]["ip_packets"], 22);
    assert_eq!(manifest["rows"]["flows"], 2);
    let size = fs::metadata(&input).unwrap().len();
    let entry = &manifest["inputs"][0];
    assert_eq!(entry["size_bytes"], size);
    assert_eq!(entry["interfaces"][0]["link_type"]["number"], 101);
    assert_eq!(entry["first_ns"], 1_790_812_800_000_000_000_i64);
    assert_eq!(entry["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(entry["problems"], Value::Array(vec![]));
}

#[test]
fn columns_carry_unit_description_and_source() {
    let (folder, out) = folder();
    run(&[&Pcap::new().flow(0, 1, 1).write(folder.path().join("x.pcap"))], &out).unwrap();
    let file = fs::File::open(out.join("flows/part-0.parquet")).unwrap();
    let schema = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().schema().clone();
    let metadata = schema.field_with_name("start_ns").unwrap().metadata().clone();
    assert_eq!(metadata["unit"], "ns");
    assert!(!metadata["doc"].is_empty() && !metadata["cite"].is_empty());
    assert_eq!(schema.metadata()["schema"], "3");
}

#[test]
fn every_table_can_be_read_even_without_rows() {
    let (folder, out) = folder();
    let manifest = run(&[&Pcap::new().write(folder.path().join("x.pcap"))], &out).unwrap();
    assert_eq!(manifest.status, Status::Ok);
    assert!(manifest.reasons[0].contains("no packets"), "{:?}", manifest.reasons);
    for table in airmile_analyze::tables() {
        let path = out.join(table.name).join("part-0.parquet");
        let file = fs::File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        assert_eq!(reader.schema().fields().len(), table.columns.len(), "{}", table.name);
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (folder, out) = folder();
    let input =
        Pcap::new().flow(0, 1, 3).flow(20_000_000, 2, 9).write(folder.path().join("x.pcap"));
    let again = folder.path().join("again.airmile");
    run(&[&input], &out).unwrap();
    run(&[&input], &again).unwrap();
    for name in ["flows/part-0.parquet", "sessions/part-0.parquet", "manifest.json"] {
        assert!(fs::read(out.join(name)).unwrap() == fs::read(again.join(name)).unwrap(), "{name}");
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let (folder, out) = folder();
    let mut capture = Pcap::new();
    // There are 120 phones, so that every shard has some, over several epochs.
    for i in 0..1500u32 {
        capture.flow(i * 300_000, (i % 120) as u8 + 1, 3 + i % 9);
    }
    let input = capture.write(folder.path().join("x.pcap"));
    let run = |threads: usize| {
        let out = out.with_extension(threads.to_string());
        let options = Options { threads, ..Options::default() };
        run_with(&[&input], &out, &options).unwrap();
        out
    };
    let alone = run(1);
    assert!(manifest(&alone)["rows"]["flows"].as_u64().unwrap() >= 1500);
    for threads in [2, 7] {
        let together = run(threads);
        for table in airmile_analyze::tables() {
            let part = format!("{}/part-0.parquet", table.name);
            let same =
                fs::read(alone.join(&part)).unwrap() == fs::read(together.join(&part)).unwrap();
            assert!(same, "{part} differs with {threads} threads");
        }
        assert!(
            fs::read(alone.join("manifest.json")).unwrap()
                == fs::read(together.join("manifest.json")).unwrap()
        );
    }
}

#[test]
fn captures_are_read_in_time_order_and_merged_where_they_overlap() {
    let (folder, out) = folder();
    let path = |name: &str| folder.path().join(name);
    let early = Pcap::new().flow(0, 1, 5).flow(1_000_000, 3, 5).write(path("early.pcap"));
    // These packets come 5 ms after those of `early`: every packet of one capture falls between two
    // of the other.
    let within = Pcap::new().flow(5_000, 2, 5).write(path("within.pcap"));
    let late = Pcap::new().flow(9_000_000, 4, 5).write(path("late.pcap"));
    run(&[&late, &within, &early], &out).unwrap();
    let starts: Int64Array = column(&read(&out, "flows"), "start_ns");
    let mut starts: Vec<i64> = starts.values().iter().copied().collect();
    starts.sort_unstable();
    let after = |us: i64| 1_790_812_800_000_000_000 + us * 1000;
    assert_eq!(starts, [after(0), after(5_000), after(1_000_000), after(9_000_000)]);
    let names = manifest(&out)["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["name"].clone())
        .collect::<Vec<_>>();
    assert_eq!(names, [&late, &within, &early].map(|p| Value::from(p.display().to_string())));
}

#[test]
fn an_existing_dataset_is_kept_unless_it_may_be_overwritten() {
    let (folder, out) = folder();
    let one = Pcap::new().flow(0, 1, 1).write(folder.path().join("one.pcap"));
    let two = Pcap::new().flow(0, 1, 1).flow(0, 2, 1).write(folder.path().join("two.pcap"));
    run(&[&one], &out).unwrap();
    let error = run(&[&two], &out).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Output);
    assert!(error.hint.unwrap().contains("--overwrite"));
    assert_eq!(manifest(&out)["rows"]["flows"], 1);
    let options = Options { overwrite: true, ..Options::default() };
    run_with(&[&two], &out, &options).unwrap();
    assert_eq!(manifest(&out)["rows"]["flows"], 2);
    // A run that fails leaves the old dataset, and nothing beside it.
    run_with(&[Path::new("no such file")], &out, &options).unwrap_err();
    assert_eq!(manifest(&out)["rows"]["flows"], 2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn only_datasets_are_ever_overwritten() {
    let (folder, out) = folder();
    let input = Pcap::new().flow(0, 1, 1).write(folder.path().join("x.pcap"));
    let options = Options { overwrite: true, ..Options::default() };
    let refused = |what: &str| {
        let error = run_with(&[&input], &out, &options).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Output);
        assert!(error.message.contains(what), "{}", error.message);
    };
    fs::create_dir(&out).unwrap();
    fs::write(out.join("manifest.json"), r#"{"name": "a browser extension"}"#).unwrap();
    refused("is not a dataset");
    fs::remove_file(out.join("manifest.json")).unwrap();
    run_with(&[&input], &out, &options).expect("an empty directory is free");
    fs::write(out.join("notes.txt"), "mine").unwrap();
    refused("notes.txt");
    fs::remove_file(out.join("notes.txt")).unwrap();
    fs::write(out.join("flows").join("notes.txt"), "mine").unwrap();
    refused("flows");
    assert!(out.join("flows").join("notes.txt").exists());
    let file = folder.path().join("file");
    fs::write(&file, "mine").unwrap();
    let error = run_with(&[&input], &file, &options).unwrap_err();
    assert!(error.message.contains("is not a directory"));
}

#[test]
fn a_truncated_capture_is_kept_up_to_the_cut() {
    let (folder, out) = folder();
    let mut pcap = Pcap::new();
    pcap.flow(0, 1, 3);
    let length = pcap.0.len();
    pcap.0.truncate(length - 7);
    let manifest = run(&[&pcap.write(folder.path().join("x.pcap"))], &out).unwrap();
    assert_eq!(manifest.status, Status::Partial);
    assert_eq!(manifest.counts.ip_packets, 12);
    assert_eq!(manifest.inputs[0].problems[0].kind, "truncated");
    assert_eq!(manifest.inputs[0].problems[0].offset, Some((length - 40 - 16) as u64));
    assert!(manifest.reasons[0].contains("x.pcap"));
}

#[test]
fn an_input_that_fails_beside_another_is_a_partial_result() {
    let (folder, out) = folder();
    let input = Pcap::new().flow(0, 1, 3).write(folder.path().join("x.pcap"));
    let missing = folder.path().join("missing.pcap");
    let manifest = run(&[&input, &missing], &out).unwrap();
    assert_eq!(manifest.status, Status::Partial);
    assert_eq!(manifest.inputs[1].status, InputStatus::Failed);
    assert!(manifest.reasons[0].contains("missing.pcap"));
}

#[test]
fn nothing_readable_is_an_error_and_leaves_no_dataset() {
    let (folder, out) = folder();
    let path = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let inputs = [
        path("empty", b""),
        path("random", &[0x5a; 300]),
        Pcap::with_link_type(147).write(folder.path().join("mac")),
    ];
    for input in &inputs {
        let error = run(&[input], &out).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Input, "{}", error.message);
        assert!(error.message.contains(&input.display().to_string()), "{}", error.message);
        assert!(error.hint.is_some());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), inputs.len());
}

#[test]
fn junk_in_a_directory_is_a_note() {
    let (folder, out) = folder();
    let captures = folder.path().join("captures");
    fs::create_dir(&captures).unwrap();
    Pcap::new().flow(0, 1, 3).write(captures.join("x.pcap"));
    fs::write(captures.join("README"), "what these are").unwrap();
    let manifest = run(&[&captures], &out).unwrap();
    assert_eq!(manifest.status, Status::Ok);
    assert_eq!(manifest.rows["flows"], 1);
    assert!(manifest.notes[0].contains("README"), "{:?}", manifest.notes);
}

#[test]
fn a_capture_without_ip_is_done_with_the_reason() {
    let (folder, out) = folder();
    let mut pcap = Pcap::with_link_type(1);
    // An ARP request: EtherType 0x0806.
    let mut arp = vec![0xff; 12];
    arp.extend([8, 6]);
    arp.resize(60, 0);
    pcap.record(0, &arp);
    let manifest = run(&[&pcap.write(folder.path().join("x.pcap"))], &out).unwrap();
    assert_eq!(manifest.status, Status::Ok);
    assert!(manifest.reasons[0].contains("ARP"), "{:?}", manifest.reasons);
}

#[test]
fn an_interrupted_run_keeps_what_was_read_and_says_so() {
    let (folder, out) = folder();
    let mut first = Pcap::new();
    for host in 0..200 {
        first.flow(u32::from(host) * 1_000_000, host, 20);
    }
    let first = first.write(folder.path().join("first.pcap"));
    let second = Pcap::new().flow(900_000_000, 201, 1).write(folder.path().join("second.pcap"));
    let inputs = [first, second].map(|path| path.display().to_string());
    let stop = &mut |at: Progress| {
        assert!(at.bytes >= 2 << 20 && at.packets > 0);
        ControlFlow::Break(())
    };
    let manifest = analyze(&inputs, &out, &Options::default(), stop).unwrap();
    assert!(manifest.interrupted);
    assert_eq!(manifest.inputs[1].status, InputStatus::Unread);
    let read_packets = manifest.counts.ip_packets;
    assert!(read_packets > 0 && read_packets < 200 * 47, "{read_packets}");
    assert!(!out.exists());
    assert_eq!(manifest.place, out.with_file_name("out.partial.airmile"));
    let flows = read(&manifest.place, "flows");
    assert_eq!(flows[0].num_rows() as u64, manifest.rows["flows"]);
    assert!(flows[0].num_rows() > 0);
}

#[test]
fn two_runs_into_one_place_do_not_mix() {
    let (folder, out) = folder();
    let input = Pcap::new().flow(0, 1, 1).write(folder.path().join("x.pcap"));
    let inputs = [input.display().to_string()];
    let mut other = None;
    // While the first run reads, a second one finishes.
    let first = analyze(&inputs, &out, &Options::default(), &mut |_| {
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join("theirs"), "theirs").unwrap();
        other = Some(out.join("theirs"));
        ControlFlow::Continue(())
    });
    let error = first.unwrap_err();
    assert_eq!(fs::read(other.unwrap()).unwrap(), b"theirs");
    assert!(error.hint.unwrap().contains("the dataset is whole"));
}
