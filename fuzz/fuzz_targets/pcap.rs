//! A classic pcap from its first byte, compressed or not.
#![no_main]

use std::io::Cursor;

use airmile_read::Capture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(mut capture) = Capture::from_reader("fuzz", Cursor::new(input.to_vec())) else { return };
    let mut packets = 0;
    while capture.next_packet().is_some() {
        packets += 1;
    }
    let report = capture.report();
    let skipped: u64 = report.skipped.values().sum();
    assert_eq!(report.counts.records, packets + skipped);
});
