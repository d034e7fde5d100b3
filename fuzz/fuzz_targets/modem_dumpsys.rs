//! Android's dumps behind the line of a time.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "1700000000.5\nlast known state:\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
