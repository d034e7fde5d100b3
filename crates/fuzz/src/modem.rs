//! Checks the properties that every modem log in text form must have.

use std::io::{self, Cursor, Read};

use airmile_read::modem::{ModemLog, Record, Tti};

/// Reads a log that begins like one of its format, once from memory and once from a pipe that gives
/// a few bytes at a time. Both must give the same result.
pub(crate) fn read_behind(start: &str, rest: &[u8]) {
    let log = [start.as_bytes(), rest].concat();
    let whole = records(Cursor::new(log.clone()));
    whole.iter().for_each(check);
    assert_eq!(records(Trickle(Cursor::new(log))), whole);
}

fn records(input: impl Read + Send + 'static) -> Vec<Record> {
    let mut log = ModemLog::from_reader("fuzz", input).expect("the start shows the format");
    let mut records = Vec::new();
    while log.read(&mut records) {}
    records
}

/// Checks the properties that an allocation has whatever the log contains.
fn check(record: &Record) {
    let Record::Tti(Tti { prbs, prb_total, tbs_bytes, padding_bytes, .. }) = record else { return };
    assert!(prbs.zip(*prb_total).is_none_or(|(prbs, total)| prbs <= total));
    assert!(padding_bytes.zip(*tbs_bytes).is_none_or(|(padding, size)| padding <= size));
}

/// A reader that gives at most seven bytes at a time.
struct Trickle(Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let few = buffer.len().min(7);
        self.0.read(buffer.get_mut(..few).unwrap_or_default())
    }
}
