//! A classic pcap from its first byte.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| airmile_fuzz::read_all(input.to_vec()));
