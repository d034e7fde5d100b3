//! What the fuzz targets share.

pub mod check;
pub mod diag;
pub mod modem;
pub mod null;
pub mod script;

use std::io::Cursor;

use airmile_read::Capture;

/// Reads a capture to its end: every record is a packet or counted with its reason.
pub fn read_all(file: Vec<u8>) {
    let Ok(mut capture) = Capture::from_reader("fuzz", Cursor::new(file)) else { return };
    let mut packets = 0;
    while capture.next_packet().is_some() {
        packets += 1;
    }
    let report = capture.report();
    let skipped: u64 = report.skipped.values().sum();
    assert_eq!(report.counts.records, packets + skipped);
}
