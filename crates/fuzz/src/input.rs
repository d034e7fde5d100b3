//! Turns an input of the fuzzer into values of a type, or into a file that is read to its end.

use std::io::Cursor;

use airmile_read::Capture;
use arbitrary::{Arbitrary, Unstructured};

/// Reads a capture to its end, and checks that every record is a packet or is counted with a
/// reason.
pub(super) fn read_all(file: Vec<u8>) {
    let Ok(mut capture) = Capture::from_reader("fuzz", Cursor::new(file)) else { return };
    let mut packets = 0;
    while capture.next_packet().is_some() {
        packets += 1;
    }
    let report = capture.report();
    let skipped: u64 = report.skipped.values().sum();
    assert_eq!(report.counts.records, packets + skipped);
}

/// Makes a value from all bytes, as libFuzzer's macro does; `None` when there are too few.
pub(super) fn made<'a, T: Arbitrary<'a>>(input: &'a [u8]) -> Option<T> {
    if input.len() < T::size_hint(0).0 {
        return None;
    }
    T::arbitrary_take_rest(Unstructured::new(input)).ok()
}
