//! Checks the properties that every modem log in text form must have.

use std::io::{self, Cursor, Read};

use airmile_radio::Order;
use airmile_read::modem::{ModemLog, Record, Tti};

/// Reads a log that begins like one of its format, once from memory and once from a pipe that gives
/// a few bytes at a time. Both must give the same result.
pub(crate) fn read_behind(start: &str, rest: &[u8]) {
    let log = [start.as_bytes(), rest].concat();
    let whole = records(Cursor::new(log.clone()));
    whole.iter().for_each(check);
    check_order(&whole);
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

/// Checks that the order of blocks counts each block once, and that neither numbers nor epochs of a
/// user go back, whatever stamps and counters the log contains.
fn check_order(records: &[Record]) {
    let mut order = Order::default();
    let blocks = records.iter().filter_map(|record| match record {
        Record::Tti(tti) => Some(tti),
        _ => None,
    });
    let count = blocks.clone().count() as u64;
    blocks.cloned().for_each(|tti| order.push(tti));
    let found = order.end_log();
    let all = order.finish();
    assert_eq!(all.len() as u64 + found.stray + found.copies, count);
    let in_order = |one: &Tti, next: &Tti| (one.epoch, one.tti) <= (next.epoch, next.tti);
    let same = |one: &Tti, next: &Tti| one.user == next.user && one.source == next.source;
    assert!(all.is_sorted_by(|one, next| !same(one, next) || in_order(one, next)));
}

/// A reader that gives at most seven bytes at a time.
struct Trickle(Cursor<Vec<u8>>);

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let few = buffer.len().min(7);
        self.0.read(buffer.get_mut(..few).unwrap_or_default())
    }
}
