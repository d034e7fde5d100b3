//! Tests which layouts the checks of a log prove, and which they do not.

#[path = "support/diag.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod diag;
#[path = "support/reading.rs"]
mod reading;
#[path = "support/upload.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod upload;

use airmile_read::modem::{Checked, Record};
use diag::{BLOCK, Subframe, pdsch, pdsch_stat};
use proptest::prelude::*;
use reading::{BYTES, at, read, ttis};
use upload::{Sent, counters, granted, mac_up, pusch};

/// An upload: a grant every 8 ms, its block four subframes later, and the message of the MAC layer
/// about both. Every fifth block contains padding. `change` makes an error in the block that was
/// sent.
fn an_upload(blocks: u16, change: impl Fn(u16, &mut Sent)) -> Vec<u8> {
    let mut bytes = Vec::new();
    for block in 0..blocks {
        let (ms, count) = (u64::from(block) * 8, 1000 + block * 8);
        let start = u64::from(block % 30);
        bytes.extend(at(ms, 0xb130, &granted(count.into(), start, 10)));
        let mut sent = (count + 4, start as u32, 10, BYTES, 2);
        change(block, &mut sent);
        bytes.extend(at(ms + 5, 0xb139, &pusch(124, &[sent])));
        let padding = if block % 5 == 0 { 100 } else { 0 };
        bytes.extend(at(ms + 6, 0xb064, &mac_up(2, &[(count + 4, BYTES, padding)])));
        bytes.extend(at(ms + 7, 0xb067, &counters(BYTES.into(), (BYTES - padding).into())));
    }
    bytes
}

const fn all(passed: u64) -> Checked {
    Checked { passed, failed: 0 }
}

#[test]
fn an_upload_proves_the_messages_that_tell_of_it() {
    let (records, report) = read(an_upload(50, |_, _| {}));
    assert_eq!((ttis(&records, "0xB139").len(), ttis(&records, "0xB064").len()), (50, 50));
    assert_eq!(report.refused(), [""; 0]);
    let checks = &report.notes.checks;
    assert_eq!(checks[&("0xB139", 124)]["size"], all(50));
    assert_eq!(checks[&("0xB139", 124)]["grant"], all(50));
    assert_eq!(checks[&("0xB130", 121)]["grant"], all(50));
    assert_eq!(checks[&("0xB130", 121)]["width"], all(50));
    assert_eq!(checks[&("0xB064", 2)]["mac"], all(50));
    assert_eq!(checks[&("0xB064", 2)]["sum"], all(10));
    assert_eq!(checks[&("0xB064", 2)]["counter"], all(1));
    // Each record has the time at which it was on the air, even if its packet waited.
    let numbers: Vec<i64> = ttis(&records, "0xB139").iter().map(|tti| tti.tti).collect();
    assert_eq!(numbers, (0..50).map(|block| 1004 + block * 8).collect::<Vec<_>>());
}

#[test]
fn sizes_that_cannot_be_refuse_a_layout_by_name_and_nothing_else() {
    let (records, report) = read(an_upload(50, |_, sent| sent.3 += 1));
    assert_eq!((ttis(&records, "0xB139").len(), ttis(&records, "0xB064").len()), (0, 50));
    let why = "50 records of 0xB139 version 124 refused: the check size held in 0 of 20";
    assert_eq!(report.refused(), [why]);
    assert_eq!(report.notes.understood[&("0xB064", 2)], 50);
    assert!(!report.notes.understood.contains_key(&("0xB139", 124)));
}

#[test]
fn blocks_beside_their_grants_refuse_one_of_them() {
    // Sizes are right but positions are not, because the start is read one bit later. The two
    // messages do not show which of them is wrong; the layout with more evidence is kept.
    let (records, report) = read(an_upload(50, |_, sent| sent.1 = sent.1 * 2 + 1));
    let parsed = report.refused();
    assert_eq!((ttis(&records, "0xB064").len(), parsed.len()), (50, 1), "{parsed:?}");
    assert!(parsed[0].contains("refused: the check grant held in 0 of 2"), "{parsed:?}");
}

#[test]
fn what_no_log_has_proved_is_used_where_its_checks_hold() {
    let sent = |count: u16| (count, 3, 10, BYTES, 2);
    let message = |ms: u64| at(ms, 0xb139, &pusch(162, &[sent(1000 + ms as u16)]));
    let (records, report) = read((0..3).flat_map(|block| message(block * 8)).collect());
    assert_eq!((ttis(&records, "0xB139").len(), report.refused().len()), (3, 0));
    let (records, report) = read((0..2).flat_map(|block| message(block * 8)).collect());
    assert!(ttis(&records, "0xB139").is_empty());
    let why = "2 records of 0xB139 version 162 refused: a layout that no log has proved, and 2 \
               checks are too few to";
    assert_eq!(report.refused(), [why]);
}

#[test]
fn later_subpackets_of_0xb064_prove_themselves_by_their_headers() {
    for version in [3, 5, 7] {
        let message = |block: u16| {
            at(u64::from(block) * 8, 0xb064, &mac_up(version, &[(block * 8, 500, 40)]))
        };
        let (records, report) = read((0..4).flat_map(message).collect());
        let blocks = ttis(&records, "0xB064");
        assert_eq!(blocks.len(), 4, "version {version}: {report:?}");
        assert_eq!((blocks[3].tbs_bytes, blocks[3].padding_bytes), (Some(500), Some(40)));
        assert_eq!(report.notes.checks[&("0xB064", version.into())]["sum"], all(4));
    }
}

#[test]
fn a_subframe_that_is_far_from_the_logs_time_refuses_a_layout() {
    // The layout that is proved gives the time; the subframes of the other one are random.
    let mut bytes = Vec::new();
    for block in 0..40_u16 {
        let ms = u64::from(block) * 8;
        bytes.extend(at(ms, 0xb126, &pdsch(23, 7, 1000 + block * 8, 12, [3624, 0])));
        let count = u32::from(block).wrapping_mul(2_654_435_761) >> 8;
        bytes.extend(at(ms, 0xb126, &pdsch(123, 7, (count % 10_240) as u16, 12, [3624, 0])));
    }
    let (records, report) = read(bytes);
    let parsed = report.refused();
    assert_eq!((ttis(&records, "0xB126").len(), parsed.len()), (40, 1), "{parsed:?}");
    assert!(parsed[0].contains("version 123 refused: the check clock held in "), "{parsed:?}");
}

/// 0xB126 version 163: twenty subframes from `count` on, each with the same number of PRBs.
fn without_sizes(count: u32, prbs: u32) -> Vec<u8> {
    let mut payload = vec![0; 8];
    payload[0] = 163;
    for at in count..count + 20 {
        let mut record = vec![0; 48];
        record[..2].copy_from_slice(&(((at % 10) | ((at / 10) << 4)) as u16).to_le_bytes());
        let bitmap = ((1_u64 << prbs) - 1).to_le_bytes();
        record[8..16].copy_from_slice(&bitmap);
        record[24..32].copy_from_slice(&bitmap);
        payload.extend(record);
    }
    payload
}

#[test]
fn prbs_of_two_messages_agree_or_refuse_the_one_that_is_not_proved() {
    let log = |prbs: u32| {
        let subframes: Vec<_> = (1000..1020)
            .map(|count| Subframe { count, layers: 1, carrier: 0, blocks: vec![BLOCK] })
            .collect();
        let proved = at(20, 0xb173, &pdsch_stat(24, &subframes));
        read([proved, at(21, 0xb126, &without_sizes(1000, prbs))].concat())
    };
    let (records, report) = log(BLOCK.prbs.into());
    assert_eq!((ttis(&records, "0xB173").len(), report.refused().len()), (20, 0));
    assert_eq!(report.notes.checks[&("0xB126", 163)]["prbs"], all(20));
    let (records, report) = log(7);
    assert_eq!(ttis(&records, "0xB173").len(), 20);
    let why = "1 record of 0xB126 version 163 refused: the check prbs held in 0 of 20";
    assert_eq!(report.refused(), [why]);
}

/// 0xB16C version 50: one subframe with one grant.
fn given(count: u32, start: u32, prbs: u32) -> Vec<u8> {
    let mut payload = vec![50, 1 << 6, 0, 0];
    payload.extend(((count / 10) | ((count % 10) << 10) | (1 << 14)).to_le_bytes());
    let mut grant = [0; 16];
    grant[..8].copy_from_slice(&((u64::from(start) << 43) | (u64::from(prbs) << 50)).to_le_bytes());
    payload.extend(grant);
    payload
}

#[test]
fn grants_of_newer_phones_prove_what_they_send() {
    let log = |ms: u64| {
        let (count, start) = (1000 + ms as u16, (ms % 30) as u32);
        let grant = at(ms, 0xb16c, &given(count.into(), start, 10));
        let sent = at(ms + 5, 0xb139, &pusch(162, &[(count + 4, start, 10, BYTES, 2)]));
        [grant, sent].concat()
    };
    let (records, report) = read((0..10).flat_map(|block| log(block * 8)).collect());
    assert_eq!((ttis(&records, "0xB139").len(), report.refused().len()), (10, 0), "{report:?}");
    assert_eq!(report.notes.checks[&("0xB139", 162)]["grant"], all(10));
    assert_eq!(report.notes.checks[&("0xB16C", 50)]["grant"], all(10));
    assert_eq!(report.notes.understood[&("0xB16C", 50)], 10);
}

/// 0xB193 with subpacket 66: a cell of 50 PRBs at -90 dBm, with the given strength and quality.
fn serving(rsrq_db: f64, rssi_dbm: f64) -> Vec<u8> {
    let raw = |value: f64, zero: f64| ((value - zero) * 16.0).round() as u32;
    let mut cell = vec![0; 144];
    cell[8..10].copy_from_slice(&(235_u16 | (1 << 15)).to_le_bytes());
    let mut word = |at: usize, value: u32| cell[at..at + 4].copy_from_slice(&value.to_le_bytes());
    word(24, raw(-90.0, -180.0) << 10);
    word(28, raw(-95.0, -180.0) << 12);
    word(40, (raw(-90.0, -180.0) - 640) << 12);
    word(48, raw(rsrq_db, -30.0));
    word(56, raw(rsrq_db, -30.0));
    word(60, raw(rssi_dbm, -110.0));
    word(68, raw(rssi_dbm, -110.0));
    let data = [&650_u32.to_le_bytes()[..], &[1, 0, 3, 0], &cell].concat();
    upload::subpacket(25, 66, &data)
}

#[test]
fn levels_prove_a_measurement() {
    let log =
        |rsrq_db| read((0..4).flat_map(|n| at(n * 40, 0xb193, &serving(rsrq_db, -60.0))).collect());
    // RSRQ = 50 RSRP / RSSI: -90 + 60 + 17 dB.
    let (records, report) = log(-13.0);
    let [Record::Cell(cell), ..] = &records[..] else { panic!("{report:?}") };
    assert_eq!((cell.cell, cell.earfcn, cell.serving), (Some(235), Some(650), Some(true)));
    assert_eq!(
        (cell.rsrp_dbm, cell.rsrq_db, cell.rssi_dbm),
        (Some(-90.0), Some(-13.0), Some(-60.0))
    );
    assert_eq!(report.notes.checks[&("0xB193", 66)]["level"], all(4));
    let (records, report) = log(-6.0);
    assert!(records.is_empty());
    let why = "4 records of 0xB193 version 66 refused: the check level held in 0 of 4";
    assert_eq!(report.refused(), [why]);
}

proptest! {
    #[test]
    fn anything_is_read_or_refused(
        messages in prop::collection::vec(
            (prop::sample::select(&CODES[..]), prop::collection::vec(any::<u8>(), 0..300)), 1..40),
        versions in prop::collection::vec(prop::sample::select(&VERSIONS[..]), 40),
    ) {
        let message = |((code, mut payload), version): ((u16, Vec<u8>), u8)| {
            if let Some(first) = payload.first_mut() {
                *first = version;
            }
            at(0, code, &payload)
        };
        let bytes = messages.into_iter().zip(versions).flat_map(message).collect();
        let (records, report) = read(bytes);
        prop_assert!(records.len() < 10_000 && report.notes.checks.len() <= CODES.len() * 9);
    }
}

const CODES: [u16; 10] =
    [0xb063, 0xb064, 0xb067, 0xb126, 0xb130, 0xb139, 0xb14e, 0xb16c, 0xb193, 0xb97f];
const VERSIONS: [u8; 9] = [0, 1, 50, 102, 121, 123, 124, 162, 163];
