//! NG-Scope's table behind a row.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    0\t4660\t100\t100\t27\t0\t75376\t27\t2\t75376\t\
    4\t1546300800001500\t1\t0\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
