//! QCAT's text behind a title.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    2023 Jun  8  21:16:02.785  [80]  0xB173  LTE PDSCH Stat Indication\n\
    Version = 48\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
