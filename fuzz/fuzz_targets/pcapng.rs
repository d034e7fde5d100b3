//! The blocks of a pcapng file: the section header is given, so that all effort goes into them.
#![no_main]

use libfuzzer_sys::fuzz_target;

/// A little-endian section header block of unknown length.
const SECTION: [u8; 28] = [
    0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 28, 0, 0, 0,
];

fuzz_target!(|input: &[u8]| airmile_fuzz::read_all([&SECTION, input].concat()));
