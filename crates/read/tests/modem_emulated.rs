//! Tests the modem logs of the recorded links: every row must give an allocation.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use airmile_read::Source;
use airmile_read::modem::{ModemLog, Record};

fn logs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/emu");
    let sets = std::fs::read_dir(folder).expect("the recorded sets are in the repository");
    let named = |set: PathBuf| ["modem.csv.gz", "modem_dl.csv.gz"].map(|name| set.join(name));
    let all = sets.flat_map(|set| named(set.expect("it can be listed").path()));
    all.filter(|log| log.exists()).collect()
}

/// The number of lines after the header.
#[expect(clippy::disallowed_methods, reason = "a test reads its own expectations")]
fn rows(path: &Path) -> usize {
    let file = std::fs::File::open(path).expect("it was opened before");
    BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines().count() - 1
}

#[test]
fn every_row_of_the_recorded_logs_is_an_allocation() {
    let logs = logs();
    assert!(logs.len() >= 30, "{} logs", logs.len());
    for path in logs {
        let mut log = ModemLog::open(&Source::file(&path)).expect("it is the emulator's");
        let mut records = Vec::new();
        while log.read(&mut records) {}
        let notes = log.report().notes;
        assert!(notes.problems.is_empty() && notes.skipped.is_empty(), "{}", path.display());
        assert!(notes.warnings.is_empty(), "{}", path.display());
        let ttis = records.iter().map(|record| match record {
            Record::Tti(tti) => tti.tti,
            other => panic!("{other:?}"),
        });
        assert!(ttis.is_sorted(), "{}", path.display());
        assert_eq!(records.len(), rows(&path), "{}", path.display());
    }
}
