//! Arbitrary packets through the whole engine: no analysis panics, and every row keeps the
//! contract of rows.
#![no_main]

use airmile_fuzz::null::Null;
use airmile_fuzz::script::Script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: Script| Null::run(|take| script.play(take)));
