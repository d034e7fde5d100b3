//! ns-3's table of the downlink behind its header.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    % time\tcellId\tIMSI\tframe\tsframe\tRNTI\t\
    mcsTb1\tsizeTb1\tmcsTb2\tsizeTb2\tccId\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
