//! srsRAN's metrics behind their header.
#![no_main]

use airmile_fuzz::modem::read_behind;
use libfuzzer_sys::fuzz_target;

const START: &str = "\
    time;cc;earfcn;pci;rsrp;pl;cfo;\
    pci_neigh;rsrp_neigh;cfo_neigh;dl_mcs;dl_snr\n";

fuzz_target!(|input: &[u8]| read_behind(START, input));
