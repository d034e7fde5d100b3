#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| airmile_fuzz::target("modem_text")(input));
