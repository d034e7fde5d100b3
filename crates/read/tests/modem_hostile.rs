//! Tests damaged modem logs that are text: reading must end, and a pipe that returns a few bytes at
//! a time must give the same records.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::LazyLock;

use airmile_read::modem::{ModemLog, Record, Tti, formats};
use proptest::prelude::*;

/// For each text format, the lines by which a log is recognised, and the lines after them.
static LOGS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let names = formats().iter().flat_map(|format| format.texts());
    names.map(|name| (sample(name, "start"), sample(name, "rows"))).collect()
});

/// A file with a sample, from the folder of its format.
fn sample(name: &str, file: &str) -> String {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/modem");
    let folders = fs::read_dir(formats).expect("the formats").flatten();
    let mut samples = folders.map(|folder| folder.path().join("samples").join(name).join(file));
    let path = samples.find(|path| path.exists());
    fs::read_to_string(path.expect("a format has samples/NAME")).expect("a sample is text")
}

/// Bytes that have a meaning in one of the formats, and some that have none in any.
const BYTES: &[u8] = b"0123456789-.,;|\t\n\r \"{}[]<>=/%xe\0\xff";

#[derive(Clone, Debug)]
enum Damage {
    Set(usize, u8),
    Insert(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = || prop::sample::select(BYTES);
    prop_oneof![
        (any::<usize>(), byte()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<usize>(), byte()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (any::<usize>(), 1usize..40).prop_map(|(at, length)| Damage::Remove(at, length)),
        (any::<usize>(), 1usize..200).prop_map(|(at, length)| Damage::Repeat(at, length)),
    ]
}

fn damaged(rows: &str, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = rows.as_bytes().to_vec();
    for damage in damages {
        let at = |at: &usize| at % (bytes.len() + 1);
        match damage {
            Damage::Set(place, byte) => {
                let place = at(place);
                bytes.iter_mut().skip(place).take(1).for_each(|old| *old = *byte);
            }
            Damage::Insert(place, byte) => bytes.insert(at(place), *byte),
            Damage::Remove(place, length) => {
                let (from, to) = (at(place), bytes.len().min(at(place) + length));
                bytes.drain(from..to);
            }
            Damage::Repeat(place, length) => {
                let (from, to) = (at(place), bytes.len().min(at(place) + length));
                bytes.extend_from_within(from..to);
            }
        }
    }
    bytes
}

fn records(input: impl Read + Send + 'static) -> Vec<Record> {
    let mut log = ModemLog::from_reader("log", input).expect("the start shows the format");
    let mut records = Vec::new();
    while log.read(&mut records) {}
    let counted: u64 = log.report().notes.understood.values().sum();
    assert!(counted > 0 || records.is_empty());
    records
}

/// A reader that returns at most seven bytes at a time.
struct Trickle(Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let few = buffer.len().min(7);
        self.0.read(&mut buffer[..few])
    }
}

proptest! {
    #[test]
    fn whatever_follows_the_start_is_read_to_its_end(
        log in prop::sample::select(&LOGS[..]),
        damages in prop::collection::vec(damage(), 0..12),
    ) {
        let (start, rows) = log;
        let log = [start.as_bytes(), &damaged(&rows, &damages)].concat();
        let whole = records(Cursor::new(log.clone()));
        for record in &whole {
            let Record::Tti(Tti { prbs, prb_total, tbs_bytes, padding_bytes, .. }) = record else {
                continue;
            };
            prop_assert!(prbs.zip(*prb_total).is_none_or(|(prbs, total)| prbs <= total));
            prop_assert!(padding_bytes.zip(*tbs_bytes).is_none_or(|(less, size)| less <= size));
        }
        prop_assert_eq!(records(Trickle(Cursor::new(log))), whole);
    }
}

#[test]
fn rows_that_are_whole_are_all_read() {
    for (start, rows) in LOGS.iter() {
        let log = [start.as_str(), rows].concat();
        assert!(!records(Cursor::new(log.into_bytes())).is_empty(), "{start}");
    }
}
