//! MobileInsight's lines of JSON behind one of them.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    {\"type_id\":\"LTE_NAS\",\"timestamp\":\"2019-06-01 03:44:29.574046\"}\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
