//! Tests public DIAG logs: every packet must be framed, and allocations and bandwidths must be
//! those of the reference dumps. The logs are public but not part of this repository, so the test
//! needs `AIRMILE_CORPUS`.
#![expect(clippy::print_stdout, reason = "a skipped test says why")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use airmile_read::Source;
use airmile_read::modem::{CellInfo, ModemLog, ModemReport, PrbSource, Record, Rnti, Tti, User};
use serde_json::Value;

fn logs() -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from) else {
        println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
        return Vec::new();
    };
    let files = std::fs::read_dir(corpus.join("radio")).expect("the corpus has modem logs");
    let all = files.map(|file| file.expect("it can be listed").path());
    let mut logs: Vec<PathBuf> = all.filter(|path| is_log(path)).collect();
    logs.sort();
    assert!(logs.len() >= 17, "{} logs", logs.len());
    logs
}

fn is_log(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == "mi2log" || kind == "qmdl")
}

fn read(path: &Path) -> (Vec<Record>, ModemReport) {
    let mut log = ModemLog::open(&Source::file(path)).unwrap_or_else(|error| panic!("{error}"));
    let mut records = Vec::new();
    while log.read(&mut records) {}
    log.refine(&mut records.iter_mut().filter_map(Record::subframe));
    (records, log.report())
}

#[expect(clippy::disallowed_methods, reason = "a test reads its own expectations")]
fn dump(path: &Path, code: &str) -> Vec<Value> {
    let path = path.with_extension(format!(
        "{}.jsonl.gz",
        path.extension().expect("it has one").to_string_lossy()
    ));
    let file = std::fs::File::open(path).expect("each log has its dump");
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    let all = lines.map(|line| serde_json::from_str(&line.expect("text")).expect("JSON"));
    all.filter(|message: &Value| message["code"] == code).collect()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Frames without an end in the logs of one phone: the next frame begins within them, without a
/// flag.
const LOST_BYTES: [(&str, usize); 3] =
    [("20201116_123435", 3), ("20201116_195301", 1), ("20201116_201242", 3)];

#[test]
fn every_packet_is_framed_and_its_lengths_agree() {
    for path in logs() {
        let (_, report) = read(&path);
        let notes = report.notes;
        let name = path.file_name().expect("it has a name").to_string_lossy();
        assert_eq!(report.format, "diag", "{name}");
        let lost =
            LOST_BYTES.iter().find(|(known, _)| name.starts_with(known)).map_or(0, |(_, n)| *n);
        let damaged = notes.problems.iter().filter(|problem| problem.kind == "frame_crc").count();
        assert_eq!((damaged, notes.problems.len()), (lost, lost), "{name}");
        let known = ["bytes before the first frame", "frame whose CRC fails"];
        let other = notes.skipped.keys().find(|why| !known.contains(why));
        assert_eq!(other, None, "{name}");
    }
}

#[test]
fn both_subscriptions_of_a_phone_are_there() {
    let phone = |path: &PathBuf| path.to_string_lossy().contains("Xiaomi");
    let mut users = Vec::new();
    for path in logs().iter().filter(|path| phone(path)) {
        users.extend(read(path).0.iter().filter_map(|record| match record {
            Record::CellInfo(info) => Some(info.user),
            Record::Rrc(event) => Some(event.user),
            _ => None,
        }));
    }
    users.sort();
    users.dedup();
    assert!(users.is_empty() || users == [User(1), User(2)], "{users:?}");
}

/// A block in the dump: wrapped subframe, carrier, PRBs, layers, HARQ process, number of the block,
/// MCS, size without CRC, whether it was decoded, whether it is a user's.
type Fields = (i64, u8, i64, i64, i64, i64, i64, i64, bool, bool);

fn of_record(tti: &Tti) -> Fields {
    (
        tti.tti.rem_euclid(10_240),
        tti.carrier,
        tti.prbs.map_or(-1, i64::from),
        tti.layers.map_or(-1, i64::from),
        tti.harq.map_or(-1, i64::from),
        tti.block.into(),
        tti.mcs.map_or(-1, i64::from),
        tti.tbs_bytes.map_or(-1, i64::from),
        tti.crc_ok == Some(true),
        tti.rnti == Rnti::C,
    )
}

fn of_dump(subframe: &Value, block: &Value) -> Fields {
    let carrier = subframe["Serving Cell Index"].as_str().expect("it is a word");
    let carrier = carrier.strip_suffix("_SCell").map_or(0, |at| at.parse().expect("it counts"));
    (
        number(&subframe["Frame Num"]) * 10 + number(&subframe["Subframe Num"]),
        carrier,
        number(&block["Num RBs"]),
        number(&subframe["Num Layers"]),
        number(&block["HARQ ID"]),
        number(&block["TB Index"]),
        number(&block["MCS"]),
        number(&block["TB Size"]) - 3,
        block["CRC Result"] == "Pass",
        block["RNTI Type"] == "C-RNTI",
    )
}

#[test]
fn blocks_of_0xb173_are_those_of_the_dump() {
    for path in logs() {
        let (records, _) = read(&path);
        let found = records.iter().filter_map(|record| match record {
            Record::Tti(tti) if tti.source == "0xB173" => Some(of_record(tti)),
            _ => None,
        });
        let mut want = Vec::new();
        for message in dump(&path, "0xB173") {
            for subframe in message["Records"].as_array().expect("it is a list") {
                let blocks = subframe["Transport Blocks"].as_array().expect("it is a list");
                want.extend(blocks.iter().map(|block| of_dump(subframe, block)));
            }
        }
        assert_eq!(found.collect::<Vec<_>>(), want, "{}", path.display());
    }
}

#[test]
fn subframes_of_0xb126_are_those_of_the_dump() {
    for path in logs() {
        let (records, _) = read(&path);
        let found = records.iter().filter_map(|record| match record {
            Record::Tti(tti) if tti.source == "0xB126" => {
                let size = tti.tbs_bytes.map_or(0, |bytes| i64::from(bytes) * 8);
                let cell = tti.cell.map(i64::from);
                Some((tti.tti.rem_euclid(10_240), cell, tti.block, size, tti.prbs))
            }
            _ => None,
        });
        let mut want = Vec::new();
        for message in dump(&path, "0xB126") {
            let tti =
                number(&message["System Frame Number"]) * 10 + number(&message["Subframe Number"]);
            let words = ["RB Allocation Slot 0[0]", "RB Allocation Slot 0[1]"];
            let ones = |word: &&str| {
                let hex = message[*word].as_str().expect("it is text").trim_start_matches("0x");
                u64::from_str_radix(hex, 16).expect("it is hexadecimal").count_ones() as u16
            };
            let prbs = Some(words.iter().map(ones).sum());
            let cell = Some(number(&message["Serving Cell ID"]));
            let sizes = [number(&message["TBS 0"]), number(&message["TBS 1"])];
            let blocks = (0..).zip(sizes).filter(|(_, size)| *size > 0 || sizes == [0, 0]);
            let blocks = blocks.take(if sizes == [0, 0] { 1 } else { 2 });
            want.extend(blocks.map(|(block, size)| (tti, cell, block, size, prbs)));
        }
        assert_eq!(found.collect::<Vec<_>>(), want, "{}", path.display());
    }
}

#[test]
fn widths_of_cells_are_those_of_the_dump() {
    for (code, source) in [("0xB0C1", PrbSource::Mib), ("0xB0C2", PrbSource::ServingCell)] {
        for path in logs() {
            let (records, _) = read(&path);
            let info = |record: &Record| match record {
                Record::CellInfo(CellInfo {
                    cell, earfcn, downlink_prbs, source: from, ..
                }) if *from == source => {
                    Some((cell.map(i64::from), earfcn.map(i64::from), i64::from(*downlink_prbs)))
                }
                _ => None,
            };
            let found: Vec<_> = records.iter().filter_map(info).collect();
            let want = dump(&path, code).into_iter().map(|message| {
                let (cell, norm) = (&message["Physical Cell ID"], &message["norm"]["dl_prb"]);
                let cell = if cell.is_null() { &message["Cell ID"] } else { cell };
                let earfcn = &message["Freq"];
                let earfcn = if earfcn.is_null() { &message["Downlink frequency"] } else { earfcn };
                (Some(number(cell)), Some(number(earfcn)), number(norm))
            });
            assert_eq!(found, want.collect::<Vec<_>>(), "{}", path.display());
        }
    }
}

/// The three logs with much uplink traffic, whose versions no other log here contains.
fn uplink_logs() -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from) else {
        println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
        return Vec::new();
    };
    let files = std::fs::read_dir(corpus.join("radio-uplink")).expect("the corpus has the logs");
    let mut logs: Vec<PathBuf> = files.map(|file| file.expect("it can be listed").path()).collect();
    logs.sort();
    assert_eq!(logs.len(), 3);
    logs
}

#[test]
fn layouts_of_the_uplink_logs_prove_themselves() {
    let wanted = [
        (("0xB063", 4), &["mac", "sum"][..]),
        (("0xB064", 2), &["mac", "sum", "counter"]),
        (("0xB067", 2), &["counter"]),
        (("0xB126", 123), &["size", "clock"]),
        (("0xB130", 121), &["width", "grant", "clock"]),
        (("0xB139", 124), &["size", "grant", "mac"]),
    ];
    for path in uplink_logs() {
        let (_, report) = read(&path);
        let notes = report.notes;
        assert_eq!((notes.not_understood.len(), notes.refused.len()), (0, 0), "{}", path.display());
        for (kind, checks) in wanted {
            for check in checks {
                let parsed = notes.checks[&kind][check];
                let all = parsed.passed + parsed.failed;
                println!("{} v{} {check}: {} of {all}", kind.0, kind.1, parsed.passed);
                // The sizes of two of the 1047 blocks are impossible for their modulation.
                assert!(
                    parsed.passed > 0 && parsed.failed * 200 <= all,
                    "{kind:?} {check} {parsed:?}"
                );
            }
        }
    }
}

#[test]
fn no_layout_of_the_public_logs_fails_its_checks() {
    for path in logs() {
        let (_, report) = read(&path);
        assert_eq!(report.refused(), [""; 0], "{}", path.display());
        for (kind, checks) in &report.notes.checks {
            for (check, parsed) in checks {
                let all = parsed.passed + parsed.failed;
                println!("{} v{} {check}: {} of {all}", kind.0, kind.1, parsed.passed);
                assert!(parsed.passed * 10 >= all * 9, "{}: {kind:?} {check}", path.display());
            }
        }
    }
}
