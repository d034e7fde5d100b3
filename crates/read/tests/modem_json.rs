//! Tests decoded messages of public modem logs in MobileInsight's form: all must be read, and the
//! known errors of its decoder corrected. The test needs `AIRMILE_CORPUS`.
#![expect(clippy::print_stdout, reason = "a skipped test says why")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use airmile_read::Source;
use airmile_read::modem::{ModemLog, Record};
use serde_json::Value;

/// The RSRQ of a field with value 0: no antenna measured, so the quality is unknown.
const FLOOR_DB: f64 = -30.0;

fn dumps() -> Vec<PathBuf> {
    let Some(corpus) = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from) else {
        println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
        return Vec::new();
    };
    let files = std::fs::read_dir(corpus.join("radio")).expect("the corpus has modem logs");
    let all = files.map(|file| file.expect("it can be listed").path());
    let dumps: Vec<PathBuf> =
        all.filter(|path| path.to_string_lossy().ends_with(".jsonl.gz")).collect();
    assert!(!dumps.is_empty(), "the corpus holds no decoded messages");
    dumps
}

#[expect(clippy::disallowed_methods, reason = "a test reads its own expectations")]
fn messages(path: &Path) -> impl Iterator<Item = Value> {
    let file = std::fs::File::open(path).expect("it was listed");
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.expect("it is text")).expect("it is JSON"))
}

#[test]
fn every_message_is_read_or_counted_and_combined_qualities_are_the_corrected_ones() {
    for path in dumps() {
        let mut log = ModemLog::open(&Source::file(&path)).expect("it is MobileInsight's");
        let mut records = Vec::new();
        while log.read(&mut records) {}
        let notes = log.report().notes;
        let name = path.display();
        assert!(notes.problems.is_empty(), "{name}: {:?}", notes.problems.first());
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        let mut qualities = Vec::new();
        for message in messages(&path) {
            let kind = message["type_id"].as_str().expect("it has a kind");
            *kinds.entry(kind.to_owned()).or_default() += 1;
            if kind == "LTE_PHY_Serv_Cell_Measurement" {
                let corrected = message["norm"]["rsrq"].as_array().expect("it is corrected");
                qualities
                    .extend(corrected.iter().map(|db| db.as_f64().filter(|db| *db > FLOOR_DB)));
            }
        }
        let read: u64 = notes.understood.values().chain(notes.other.values()).sum();
        assert_eq!(read, kinds.values().sum::<u64>(), "{name}");
        assert!(read > 0, "{name} holds no message");
        let cells = records.iter().filter_map(|record| match record {
            Record::Cell(cell) if cell.source == "0xB193" => Some(cell.rsrq_db),
            _ => None,
        });
        assert_eq!(cells.collect::<Vec<_>>(), qualities, "{name}");
    }
}
