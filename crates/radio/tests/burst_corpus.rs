//! Compares the bursts of a public modem log with those that another implementation of both rules
//! found.
//!
//! The log belongs to others and is not in this repository, so the test needs `AIRMILE_CORPUS`. The
//! 0xB173 records come from the reference dump in the same folder.
#![expect(clippy::print_stdout, reason = "a skipped test says why")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use airmile_radio::{
    Burst, OnlineBurst, OnlineTracker, TtiScope, bursts, milliseconds, online_records, ordered,
};
use airmile_read::Source;
use airmile_read::modem::{ModemLog, Record, Rnti, Tti, User};
use airmile_types::{Direction, Instant, Parameters};
use serde_json::Value;

const LOG: &str = "data_sample_a.qmdl";
/// The number of bytes of a block's CRC (TS 36.212 section 5.3.2.1), which the sizes in the log
/// include.
const CRC_BYTES: u32 = 3;
/// The number of subframes after which their numbers begin again.
const WRAP: i64 = 10_240;

#[test]
fn every_burst_of_each_carrier_by_its_own_prbs() {
    let Some(folder) = folder() else { return };
    let (oracle, blind) = (oracle(&folder), blocks(&folder, true));
    for carrier in [0_u8, 1] {
        let found = closed_bursts(&blind, carrier);
        let found: Vec<_> = found.iter().map(numbers).collect();
        let expected = &oracle["cells"][carrier.to_string()]["fraction"]["bursts"];
        let expected: Vec<_> = expected.as_array().unwrap().iter().map(expected_numbers).collect();
        assert_eq!(found, expected, "carrier {carrier}");
    }
}

#[test]
fn the_primary_cell_by_share_of_its_prbs() {
    let Some(folder) = folder() else { return };
    let found = closed_bursts(&blocks(&folder, false), 0);
    let time_ms: u64 = found.iter().map(Burst::throughput_time_ms).sum();
    assert_eq!((found.len(), time_ms), (99, 1399));
}

#[test]
fn decoded_blocks_alone_are_volume() {
    let Some(folder) = folder() else { return };
    let (oracle, blocks) = (oracle(&folder), blocks(&folder, false));
    for carrier in [0_u8, 1] {
        let scope = TtiScope { carrier: Some(carrier), ..TtiScope::downlink(User(0)) };
        let bytes: u64 = milliseconds(scope, &ordered(blocks.clone()), total)
            .iter()
            .filter_map(|ms| ms.bytes)
            .sum();
        let summary = &oracle["cells"][carrier.to_string()]["fraction"]["summary"];
        assert_eq!(Some(bytes), summary["volume_crc_ok_bytes"].as_u64());
    }
}

#[test]
fn every_burst_of_the_published_program() {
    let Some(folder) = folder() else { return };
    let mut tracker = OnlineTracker::default();
    let records = online_records(&blocks(&folder, true));
    let found: Vec<OnlineBurst> =
        records.into_iter().filter_map(|record| tracker.push(record)).collect();
    assert_eq!(found.len(), 152);
    assert_eq!(found.iter().map(|burst| burst.duration_ms).sum::<i64>(), 2557);
    let oracle = oracle(&folder);
    let expected = oracle["online"].as_array().unwrap();
    assert_eq!(found.len(), expected.len());
    for (burst, expected) in found.iter().zip(expected) {
        let keys = ["start", "end", "dur_ms", "volume_bytes", "n_tti"];
        let records = i64::try_from(burst.records).unwrap();
        let span = [burst.start_subframe, burst.end_subframe, burst.duration_ms];
        assert_eq!(
            [span.as_slice(), &[burst.bytes, records]].concat(),
            keys.map(|key| number(expected, key))
        );
        let bps = expected["thp_bps"].as_f64().unwrap();
        // The order of two multiplications changes the last digit.
        assert!((burst.throughput_bps - bps).abs() <= bps * 1e-12);
    }
}

#[test]
fn the_log_itself_gives_the_same_bursts() {
    let Some(folder) = folder() else { return };
    let mut log = ModemLog::open(&Source::file(folder.join(LOG))).unwrap_or_else(|e| panic!("{e}"));
    let mut records = Vec::new();
    while log.read(&mut records) {}
    let blocks: Vec<Tti> = records
        .into_iter()
        .filter_map(|record| match record {
            Record::Tti(tti) if tti.source == "0xB173" => Some(tti),
            _ => None,
        })
        .collect();
    let found = closed_bursts(&blocks, 0);
    let time_ms: u64 = found.iter().map(Burst::throughput_time_ms).sum();
    assert_eq!((found.len(), time_ms), (99, 1399));
    let mut tracker = OnlineTracker::default();
    let online: Vec<OnlineBurst> =
        online_records(&blocks).into_iter().filter_map(|record| tracker.push(record)).collect();
    let duration_ms: i64 = online.iter().map(|burst| burst.duration_ms).sum();
    assert_eq!((online.len(), duration_ms), (152, 2557));
    // The volumes are those of the dump: decoded blocks, without CRCs.
    let dump = closed_bursts(&self::blocks(&folder, false), 0);
    let bytes = |bursts: &[Burst]| bursts.iter().map(|burst| burst.bytes).collect::<Vec<_>>();
    assert_eq!(bytes(&found), bytes(&dump));
}

fn folder() -> Option<PathBuf> {
    let corpus = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
    }
    Some(corpus?.join("radio"))
}

fn number(value: &Value, key: &str) -> i64 {
    value[key].as_i64().unwrap_or_else(|| panic!("no number `{key}`"))
}

#[expect(clippy::disallowed_methods, reason = "a test reads its own expectations")]
fn oracle(folder: &Path) -> Value {
    let text = std::fs::read(folder.join(format!("{LOG}.bursts.json"))).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// All blocks of the 0xB173 messages of the dump, in its order. With `blind`, sizes include CRCs
/// and blocks count even if they were not decoded, as the other implementation counts volume.
#[expect(clippy::disallowed_methods, reason = "a test reads its own input")]
fn blocks(folder: &Path, blind: bool) -> Vec<Tti> {
    let dump = std::fs::File::open(folder.join(format!("{LOG}.jsonl.gz"))).unwrap();
    let mut all = Vec::new();
    let mut before = None;
    for line in BufReader::new(flate2::read::GzDecoder::new(dump)).lines() {
        let line = line.unwrap();
        // The other messages need not be understood.
        if !line.contains("\"0xB173\"") {
            continue;
        }
        let message: Value = serde_json::from_str(&line).unwrap();
        for record in message["Records"].as_array().unwrap() {
            let subframe = number(record, "Frame Num") * 10 + number(record, "Subframe Num");
            let tti = unwrap(before, subframe);
            before = Some(tti);
            let blocks = record["Transport Blocks"].as_array().unwrap();
            all.extend(blocks.iter().map(|block| tti_of(record, block, tti, blind)));
        }
    }
    all
}

/// The unwrapped subframe number that is nearest to the one before.
fn unwrap(before: Option<i64>, subframe: i64) -> i64 {
    let Some(before) = before else { return subframe };
    before + (subframe - before + WRAP / 2).rem_euclid(WRAP) - WRAP / 2
}

fn tti_of(record: &Value, block: &Value, tti: i64, blind: bool) -> Tti {
    let size = u32::try_from(number(block, "TB Size")).unwrap();
    Tti {
        time: Instant::from_nanos(tti * 1_000_000),
        tti,
        epoch: 0,
        user: User(0),
        rnti: if block["RNTI Type"] == "C-RNTI" { Rnti::C } else { Rnti::Other },
        direction: Direction::Downlink,
        cell: None,
        carrier: if record["Serving Cell Index"] == "PCell" { 0 } else { 1 },
        prbs: Some(u16::try_from(number(record, "Num RBs")).unwrap()),
        prb_total: None,
        tbs_bytes: Some(if blind { size } else { size - CRC_BYTES }),
        block: u8::try_from(number(block, "TB Index")).unwrap(),
        mcs: None,
        modulation: None,
        layers: None,
        harq: None,
        retransmission: None,
        crc_ok: Some(blind || block["CRC Result"] == "Pass"),
        padding_bytes: None,
        source: "0xB173",
    }
}

/// The bandwidths of the cells of the two carriers, in PRBs.
fn total(carrier: u8, _: Instant) -> Option<u16> {
    Some(if carrier == 0 { 100 } else { 50 })
}

/// The bursts, except one that is open at the end, which the other implementation drops.
fn closed_bursts(blocks: &[Tti], carrier: u8) -> Vec<Burst> {
    let scope = TtiScope { carrier: Some(carrier), ..TtiScope::downlink(User(0)) };
    let all = milliseconds(scope, &ordered(blocks.to_vec()), total);
    bursts(&all, &Parameters::default()).0.into_iter().filter(|burst| burst.closed).collect()
}

/// Start, end, Throughput Time, ACTIVE, CONTENTION, and the bytes without the last millisecond.
fn numbers(burst: &Burst) -> [i64; 6] {
    let parts = [burst.throughput_time_ms(), burst.active_ms(), burst.contention_ms()];
    let [time, active, contention] = parts.map(|part| i64::try_from(part).unwrap());
    let bytes = i64::try_from(burst.bytes.unwrap()).unwrap();
    [burst.start_tti, burst.end_tti, time, active, contention, bytes]
}

fn expected_numbers(burst: &Value) -> [i64; 6] {
    let keys = ["start_lin", "end_lin", "thp_time_ms", "active_ms", "contention_ms"];
    let [start, end, time, active, contention] = keys.map(|key| number(burst, key));
    let bytes = number(burst, "volume_bytes") - number(burst, "volume_last_tti");
    [start, end, time, active, contention, bytes]
}
