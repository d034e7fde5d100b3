//! MobileInsight's XML behind one message.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "<dm_log_packet><pair key=\"type_id\">LTE_NAS</pair></dm_log_packet>\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
