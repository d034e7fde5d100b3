//! FALCON's table behind a row.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    1546300800.000500\t100\t5\t4660\t1\t20\t50\t36696\t36696\t-1\t\
    3\t1\t-1\t3\t4\t2\t2\t5\t44\t0fab\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
