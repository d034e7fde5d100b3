//! DIAG logs as they come: frames, containers, packets.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| airmile_fuzz::diag::read_any(input));
