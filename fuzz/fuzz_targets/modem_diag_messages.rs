//! Messages of DIAG: payloads that are framed here, so that all effort goes into their layouts.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| airmile_fuzz::diag::read_messages(input));
