//! Arbitrary packets through the tracker: what it promises holds after each of them.
#![no_main]

use airmile_fuzz::check::Check;
use airmile_fuzz::script::Script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: Script| Check::run(|take| script.play(take)));
