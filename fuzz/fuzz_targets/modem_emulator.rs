//! The emulated link's log behind its header.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    t_unix,tti,prb,tbs_bytes,user,cell,carrier,\
    direction,prb_total,mcs,modulation,layers,retx,crc_ok,padding_bytes\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
