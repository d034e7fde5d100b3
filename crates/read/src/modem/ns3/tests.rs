//! Tests with tables in the form in which ns-3 writes them.

use airmile_types::{Direction, Instant};

use crate::modem::text::tests::{check_cuts, read};
use crate::modem::{CellMeasurement, Record, Rnti, Tti, User};

const DOWNLINK: &str =
    "% time\tcellId\tIMSI\tframe\tsframe\tRNTI\tmcsTb1\tsizeTb1\tmcsTb2\tsizeTb2\tccId
0.021\t1\t777\t3\t2\t12\t28\t9422\t0\t0\t0
1234.57\t1\t777\t123457\t5\t12\t0\t2\t28\t9422\t1
0.024\t1\t777\t3\t5\t12\t0\t0\t0\t0\t0
";

fn block() -> Tti {
    let plain = Tti::plain(Instant::from_nanos(21_000_000), 21, User(12), "ns3");
    Tti {
        rnti: Rnti::C,
        cell: Some(1),
        prbs: Some(100),
        tbs_bytes: Some(9422),
        mcs: Some(28),
        ..plain
    }
}

#[test]
fn blocks_with_their_prbs_and_times_finer_than_printed() {
    let (records, report) = read(DOWNLINK);
    let later =
        Tti { time: Instant::from_nanos(1_234_564_000_000), tti: 1_234_564, carrier: 1, ..block() };
    let expected = [
        block(),
        Tti { prbs: Some(1), tbs_bytes: Some(2), mcs: Some(0), ..later.clone() },
        Tti { block: 1, ..later },
    ];
    assert_eq!(records, expected.map(Record::Tti));
    let notes = report.notes;
    assert_eq!(notes.skipped.get("no_allocation"), Some(&1));
    let warning = "2 blocks may be of several PRB counts: the smallest was taken";
    assert_eq!(notes.warnings, [warning]);
}

#[test]
fn the_index_of_a_phone_is_nowhere() {
    assert!(!format!("{:?}", read(DOWNLINK)).contains("777"));
}

#[test]
fn grants_of_the_uplink_without_the_carriers_column() {
    let text =
        "% time\tcellId\tIMSI\tframe\tsframe\tRNTI\tmcs\tsize\n0.021\t1\t1\t3\t2\t12\t0\t2\n";
    let expected = Tti {
        direction: Direction::Uplink,
        prbs: Some(1),
        tbs_bytes: Some(2),
        mcs: Some(0),
        ..block()
    };
    assert_eq!(read(text).0, [Record::Tti(expected)]);
}

#[test]
fn watts_and_ratios_become_decibels() {
    let text = "% time\tcellId\tIMSI\tRNTI\trsrp\tsinr\tComponentCarrierId
0.000214286\t1\t1\t0\t1e-12\t100\t0
0.5\t1\t1\t3\t0\t0\t1
";
    let first = CellMeasurement {
        time: Instant::from_nanos(214_286),
        user: User(0),
        cell: Some(1),
        earfcn: None,
        carrier: Some(0),
        serving: Some(true),
        rsrp_dbm: Some(-90.0),
        rsrq_db: None,
        sinr_db: Some(20.0),
        rssi_dbm: None,
        cqi: None,
        source: "ns3",
    };
    let second = CellMeasurement {
        time: Instant::from_nanos(500_000_000),
        user: User(3),
        carrier: Some(1),
        rsrp_dbm: None,
        sinr_db: None,
        ..first.clone()
    };
    assert_eq!(read(text).0, [first, second].map(Record::Cell));
}

#[test]
fn rows_that_cannot_be_are_skipped_with_their_reason() {
    for (row, reason) in [
        ("x\t1\t1\t3\t2\t12\t28\t9422\t0\t0\t0", "time: not seconds since the start"),
        ("1\t1\t1\t3\t2\t12\t29\t9422\t0\t0\t0", "mcsTb1: not a whole number from 0 to 28"),
        ("1\t1\t1\t3\t11\t12\t28\t9422\t0\t0\t0", "sframe: not a whole number from 0 to 10"),
        ("1\t1\t1\t3", "sframe: not given"),
        ("nan\t1\t1\t3\t2\t12\t28\t9422\t0\t0\t0", "time: not seconds since the start"),
    ] {
        let (records, report) = read(&format!("{DOWNLINK}{row}\n"));
        let problem = report.notes.problems.first().expect("it is reported");
        let expected = format!("line 5: {reason}; it was skipped");
        assert_eq!((records.len(), &problem.text), (3, &expected));
    }
}

#[test]
fn a_size_that_no_prbs_have_is_kept_without_prbs() {
    let (records, report) = read(&DOWNLINK.replace("9422", "9421"));
    assert_eq!(records.len(), 3);
    assert_eq!(report.notes.warnings, ["2 blocks have a size that their MCS has on no PRB count"]);
}

#[test]
fn a_cut_loses_one_row_at_most() {
    check_cuts(&DOWNLINK.replace("2\t28\t9422\t1", "0\t0\t0\t0"));
}
