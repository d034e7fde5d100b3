//! Tests what happens to records that contradict the layout of their message: which ones do, which
//! are left out, and how many refuse the layout (methods G1).
#![expect(clippy::print_stdout, reason = "a skipped test says why")]

#[path = "support/diag.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod diag;
#[path = "support/mixed.rs"]
mod mixed;
#[path = "support/reading.rs"]
mod reading;
#[path = "support/upload.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod upload;

use std::collections::BTreeSet;
use std::path::PathBuf;

use airmile_read::modem::{Checked, ModemReport, Record, Tti};
use diag::pdsch;
use mixed::Mixed;
use reading::{BYTES, at, read, ttis};
use upload::{Sent, granted, mac_up, pusch, second_cluster};

/// Another size with 16QAM on 10 PRBs: I_TBS 14.
const OTHER_BYTES: u16 = 2536 / 8;
const SENT: (&str, u32) = ("0xB139", 124);
const FILLED: (&str, u32) = ("0xB064", 2);
const DEMAPPED: (&str, u32) = ("0xB126", 123);

fn left_out(report: &ModemReport) -> u64 {
    report.notes.skipped.get("deviating_record").copied().unwrap_or(0)
}

/// An upload with a block every 8 ms, in subframe 1004 + 8 n, and the messages about it; `change`
/// makes an error in what 0xB139 reports.
fn an_upload(count: u16, change: impl Fn(u16, &mut Sent)) -> Vec<u8> {
    let one = |block: u16| {
        let (ms, start) = (u64::from(block) * 8, u32::from(block % 30));
        let [granting, count] = [1000, 1004].map(|first| (first + block * 8) % 10_240);
        let mut sent = (count, start, 10, BYTES, 2);
        change(block, &mut sent);
        [
            at(ms, 0xb130, &granted(granting.into(), start.into(), 10)),
            at(ms + 5, 0xb139, &pusch(124, &[sent])),
            at(ms + 6, 0xb064, &mac_up(2, &[(count, BYTES, 100)])),
        ]
    };
    (0..count).flat_map(one).flatten().collect()
}

#[test]
fn a_record_that_contradicts_itself_is_left_out_and_counted() {
    let (records, report) =
        read(an_upload(50, |block, sent| sent.3 += u16::from(block % 20 == 19)));
    assert_eq!((ttis(&records, "0xB139").len(), report.refused().len()), (48, 0));
    assert_eq!(left_out(&report), 2);
    assert_eq!(report.notes.checks[&SENT]["size"], Checked { passed: 48, failed: 2 });
    // The message of the MAC layer about the same block is not blamed.
    assert_eq!(ttis(&records, "0xB064").len(), 50);
    assert_eq!(report.notes.checks[&FILLED]["mac"], Checked { passed: 48, failed: 0 });
}

#[test]
fn records_that_deviate_together_at_the_start_of_a_log_do_not_refuse_a_layout() {
    let (records, report) = read(an_upload(400, |block, sent| sent.3 += u16::from(block < 12)));
    assert_eq!((ttis(&records, "0xB139").len(), report.refused().len()), (388, 0));
    assert_eq!(left_out(&report), 12);
}

#[test]
fn half_of_the_records_of_a_short_log_refuse_a_layout() {
    let deviates = |block: u16, sent: &mut Sent| sent.3 += u16::from(block.is_multiple_of(2));
    let (records, report) = read(an_upload(22, deviates));
    assert!(ttis(&records, "0xB139").is_empty());
    let why = "22 records of 0xB139 version 124 refused: the check size held in 11 of 22";
    assert_eq!(report.refused(), [why]);
    // With the deviating half after the other, the rows that agreed before stay, and it is said.
    let (records, report) = read(an_upload(22, |block, sent| sent.3 += u16::from(block >= 11)));
    assert_eq!(ttis(&records, "0xB139").len(), 11);
    let why = "0xB139 version 124 contradicted: the check size held in 11 of 22; what was read \
               before is kept";
    assert_eq!(report.refused(), [why]);
}

#[test]
fn a_retransmission_has_the_size_of_the_first_transmission_and_other_prbs() {
    // 520 bits with 64QAM are I_TBS 22 on one PRB, and no size for three.
    let first = |count: u16| at(count.into(), 0xb126, &pdsch(123, 30, count, 1, [520, 0]));
    let again = |count: u16| at(count.into(), 0xb126, &pdsch(123, 30, count, 3, [520, 0]));
    let proves = || (0..20).flat_map(|n| at(n, 0xb126, &pdsch(123, 30, n as u16, 12, [3624, 0])));
    let (records, report) = read(proves().chain(first(20)).chain(again(28)).collect());
    assert_eq!(ttis(&records, "0xB126").len(), 22);
    assert_eq!(report.notes.checks[&DEMAPPED]["size"], Checked { passed: 21, failed: 0 });
    // Without the first transmission, the record contradicts itself.
    let (records, report) = read(proves().chain(again(28)).collect());
    assert_eq!((ttis(&records, "0xB126").len(), left_out(&report)), (20, 1));
}

#[test]
fn a_block_on_two_layers_and_many_prbs_has_a_size_that_this_table_lacks() {
    // 36,696 bits: the block of two layers for 18,336 bits (TS 36.213 table 7.1.7.2.2-1).
    let one = |count: u16| {
        let mut payload = pdsch(123, 30, count, 60, [36_696, 0]);
        payload[7] |= 1 << 4;
        at(count.into(), 0xb126, &payload)
    };
    let (records, report) = read((0..10).flat_map(one).collect());
    assert_eq!((ttis(&records, "0xB126").len(), left_out(&report)), (10, 0));
    assert!(ttis(&records, "0xB126").iter().all(|block| block.layers == Some(2)));
    assert!(!report.notes.checks[&DEMAPPED].contains_key("size"));
}

#[test]
fn blocks_on_two_carriers_in_one_subframe_are_compared_each_with_its_own() {
    let one = |block: u16| {
        let (ms, count) = (u64::from(block) * 8, 1000 + block * 8);
        [
            at(ms, 0xb130, &granted(count.into(), 3, 10)),
            at(ms, 0xb130, &granted(count.into(), 20, 10)),
            at(
                ms + 5,
                0xb139,
                &pusch(124, &[(count + 4, 3, 10, BYTES, 2), (count + 4, 20, 10, OTHER_BYTES, 2)]),
            ),
            at(ms + 6, 0xb064, &mac_up(2, &[(count + 4, BYTES, 0), (count + 4, OTHER_BYTES, 0)])),
        ]
    };
    let (records, report) = read((0..22).flat_map(one).flatten().collect());
    assert_eq!((ttis(&records, "0xB139").len(), report.refused().len()), (44, 0));
    for check in ["grant", "mac"] {
        assert_eq!(report.notes.checks[&SENT][check], Checked { passed: 44, failed: 0 });
    }
}

#[test]
fn a_block_that_the_log_lacks_is_not_compared_with_the_one_four_subframes_later() {
    let one = |block: u16| {
        let (ms, count) = (u64::from(block) * 8, 1000 + block * 8);
        // The log lacks every second block of the first series.
        let mut sent = vec![(count + 4, 3, 10, BYTES, 2), (count + 8, 3, 10, OTHER_BYTES, 2)];
        if block % 2 == 1 {
            sent.remove(0);
        }
        let filled = [(count + 4, BYTES, 0), (count + 8, OTHER_BYTES, 0)];
        [at(ms + 9, 0xb139, &pusch(124, &sent)), at(ms + 9, 0xb064, &mac_up(2, &filled))]
    };
    let (_, report) = read((0..22).flat_map(one).flatten().collect());
    assert_eq!(report.refused(), [""; 0]);
    assert_eq!(report.notes.checks[&FILLED]["mac"], Checked { passed: 33, failed: 0 });
}

#[test]
fn a_block_on_two_clusters_has_the_size_of_both() {
    // 16QAM on 6 and 4 PRBs, I_TBS 15.
    let one = |block: u16| {
        let payload = pusch(124, &[(1004 + block * 8, 3, 6, BYTES, 2)]);
        at(u64::from(block) * 8, 0xb139, &second_cluster(payload, 30, 4))
    };
    let (records, report) = read((0..10).flat_map(one).collect());
    assert!(ttis(&records, "0xB139").iter().all(|block| block.prbs == Some(10)));
    assert_eq!(report.notes.checks[&SENT]["size"], Checked { passed: 10, failed: 0 });
}

/// Shares of deviating records, and whether a layout is used with them.
const SHARES: [(f64, bool); 6] =
    [(0.001, true), (0.01, true), (0.05, true), (0.1, true), (0.15, false), (0.2, false)];

/// Reads an upload of 2,000 blocks of which a share deviates: bytes, PRBs and modulation are random.
fn mixed(share: f64) -> (Vec<Record>, ModemReport, usize) {
    let mut mixed = Mixed::new(38, share);
    let chosen: Vec<Option<[u16; 3]>> =
        (0..2000).map(|_| mixed.chooses().then(|| [0, 1, 2].map(|_| mixed.random()))).collect();
    let change = |block: u16, sent: &mut Sent| {
        if let Some([bytes, prbs, modulation]) = chosen[usize::from(block)] {
            (sent.2, sent.3) = (u32::from(prbs % 100) + 1, bytes);
            sent.4 = u32::from(modulation % 4);
        }
    };
    let log = an_upload(2000, change);
    let (records, report) = read(log);
    (records, report, chosen.iter().flatten().count())
}

#[test]
fn up_to_a_tenth_of_the_records_may_deviate() {
    for (share, used) in SHARES {
        let (records, report, deviating) = mixed(share);
        let sent = ttis(&records, "0xB139").len();
        assert_eq!(report.refused().is_empty(), used, "{share}: {:?}", report.refused());
        assert_eq!(ttis(&records, "0xB064").len(), 2000, "{share}");
        if used {
            // One random record in a hundred agrees by chance.
            assert!((2000 - deviating..=2000 - deviating * 9 / 10).contains(&sent), "{share}");
            assert_eq!(left_out(&report) as usize, 2000 - sent, "{share}");
        } else {
            assert!(sent < 2000 - deviating, "{share}: {sent}");
        }
    }
}

/// The subframe, PRBs, bytes and retransmission of a block.
type Place = (i64, Option<u16>, Option<u32>, Option<bool>);

/// The places of blocks. The times are not compared: they come from
/// the delays of all packets.
fn places(blocks: &[&Tti]) -> BTreeSet<Place> {
    let place = |tti: &&Tti| (tti.tti, tti.prbs, tti.tbs_bytes, tti.retransmission);
    blocks.iter().map(place).collect()
}

#[test]
fn public_logs_with_deviating_records_mixed_in_are_kept_or_refused_as_argued() {
    let Some(corpus) = std::env::var_os("AIRMILE_CORPUS").map(PathBuf::from) else {
        println!("skipped: AIRMILE_CORPUS does not name the corpus folder");
        return;
    };
    let path = corpus.join("radio-uplink").join("diag_log_20211220_111534.mi2log");
    #[expect(clippy::disallowed_methods, reason = "a test reads its own input")]
    let bytes = std::fs::read(path).expect("the corpus has the log");
    let (whole, _) = read(bytes.clone());
    let whole = places(&ttis(&whole, "0xB139"));
    for (share, used) in SHARES {
        let mut mixed = Mixed::new(38, share);
        let (records, report) = read(mixed.blocks_of_0xb139(&bytes));
        let sent = places(&ttis(&records, "0xB139"));
        println!("{share}: {} of {} blocks, {:?}", sent.len(), whole.len(), report.refused());
        assert_eq!(report.refused().is_empty(), used, "{share}: {:?}", report.refused());
        if used {
            // Of each record that was not changed, the row is the same.
            let same = whole.intersection(&sent).count();
            assert_eq!(same, whole.len() - mixed.changed, "{share}");
            assert!(sent.len() - same <= mixed.changed.div_ceil(10), "{share}");
        }
    }
}
