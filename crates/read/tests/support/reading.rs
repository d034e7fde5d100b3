//! Reads logs that tests have made.

use std::io::Cursor;

use airmile_read::modem::{ModemLog, ModemReport, Record, Tti};

use crate::diag::{MS, STAMP, frame, log};

/// The size of a block with 16QAM on 10 PRBs and I_TBS 15, in bytes.
pub(crate) const BYTES: u16 = 2856 / 8;

/// Reads a log, with its report.
pub(crate) fn read(bytes: Vec<u8>) -> (Vec<Record>, ModemReport) {
    let log = ModemLog::from_reader("a test", Cursor::new(bytes));
    let mut log = log.unwrap_or_else(|error| panic!("{error}"));
    let mut records = Vec::new();
    while log.read(&mut records) {}
    (records, log.report())
}

/// The allocations that one kind of message reports.
pub(crate) fn ttis<'a>(records: &'a [Record], source: &str) -> Vec<&'a Tti> {
    let tti = |record: &'a Record| if let Record::Tti(tti) = record { Some(tti) } else { None };
    records.iter().filter_map(tti).filter(|tti| tti.source == source).collect()
}

/// The frame of a message, `ms` after the beginning of the log.
pub(crate) fn at(ms: u64, code: u16, payload: &[u8]) -> Vec<u8> {
    frame(&log(code, STAMP + ms * MS, payload))
}
