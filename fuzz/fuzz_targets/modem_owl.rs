//! OWL's table behind a row.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    0\t0\t4660\t1\t20\t50\t36696\t36696\t-1\t\
    2\t1\t-1\t3\t4\t2\t2\t99\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
