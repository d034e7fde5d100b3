//! Tests of the emulated link's log and of the files in its folder.

use airmile_types::Instant;

use super::*;
use crate::modem::text::tests::{check_cuts, read};
use crate::modem::{CellMeasurement, Modulation, RrcStep};

const FULL: &str = "\
t_unix,tti,prb,tbs_bytes,user,cell,carrier,direction,prb_total,mcs,modulation,layers,retx,crc_ok,padding_bytes
1795246301.879599,415,3,60,,,,downlink,50,,,,0,,
1795246301.956599123,492,50,1894,7,503,1,uplink,100,31,256QAM,2,1,false,12
";

fn ttis(text: &str) -> Vec<Tti> {
    let of = |record| if let Record::Tti(tti) = record { Some(tti) } else { None };
    read(text).0.into_iter().filter_map(of).collect()
}

fn plain() -> Tti {
    let plain =
        Tti::plain(Instant::from_nanos(1_795_246_301_879_599_000), 415, User(0), "emulator");
    Tti { rnti: Rnti::C, prbs: Some(3), tbs_bytes: Some(60), ..plain }
}

#[test]
fn four_columns_make_an_allocation_of_the_downlink() {
    let (records, report) = read("t_unix,tti,prb,tbs_bytes\n1795246301.879599,415,3,60\n");
    assert_eq!(records, [Record::Tti(plain())]);
    assert_eq!((report.format.as_str(), report.notes.first_time), ("emulator", Some(plain().time)));
    assert!(report.notes.problems.is_empty() && report.notes.warnings.is_empty());
}

#[test]
fn every_column_reaches_its_field_and_an_empty_cell_is_unknown() {
    let first = Tti { prb_total: Some(50), retransmission: Some(false), ..plain() };
    let second = Tti {
        time: Instant::from_nanos(1_795_246_301_956_599_123),
        tti: 492,
        user: User(7),
        direction: Direction::Uplink,
        cell: Some(503),
        carrier: 1,
        prbs: Some(50),
        prb_total: Some(100),
        tbs_bytes: Some(1894),
        mcs: Some(31),
        modulation: Some(Modulation::Qam256),
        layers: Some(2),
        retransmission: Some(true),
        crc_ok: Some(false),
        padding_bytes: Some(12),
        ..plain()
    };
    assert_eq!(ttis(FULL), [first, second]);
}

#[test]
fn columns_go_by_name_and_those_that_are_not_known_are_named_once() {
    let text = "noise,tbs_bytes,prb,tti,t_unix\r\nx,60,3,415,1795246301.879599\r\n";
    assert_eq!(ttis(text), [plain()]);
    assert_eq!(read(text).1.notes.warnings, ["columns that are not known are left out: noise"]);
}

#[test]
fn a_row_out_of_range_is_skipped_with_its_place_and_reason() {
    let cells = [
        ("1795246301,1,3", "3 cells in 4 columns"),
        ("x,1,3,60", "t_unix: not decimal seconds since 1970"),
        (",1,3,60", "t_unix: not given"),
        ("1795246301,-1,3,60", "tti: not a whole number from 0 to 9007199254740992"),
        ("1795246301,1,274,60", "prb: not a whole number from 0 to 273"),
        ("1795246301,1,3,99999999999999999999", "tbs_bytes: not a whole number from 0 to 1000000"),
    ];
    for (row, reason) in cells {
        let text = format!("t_unix,tti,prb,tbs_bytes\n{row}\n1795246301.879599,415,3,60\n");
        let (records, report) = read(&text);
        assert_eq!(records, [Record::Tti(plain())], "{row}");
        assert_eq!(report.notes.skipped.get("bad_row"), Some(&1));
        let problem = report.notes.problems.first().expect("it is reported");
        assert_eq!(problem.offset, 25);
        assert_eq!(problem.text, format!("line 2: {reason}; it was skipped"));
    }
}

#[test]
fn more_prbs_than_the_cell_has_are_no_allocation_of_it() {
    let text = "t_unix,tti,prb,tbs_bytes,prb_total\n1,1,51,60,50\n1,1,50,60,50\n";
    assert_eq!((ttis(text).len(), read(text).1.notes.problems.len()), (1, 1));
}

#[test]
fn a_millisecond_without_allocation_is_counted_and_a_repeated_block_is_kept() {
    let text = "t_unix,tti,prb,tbs_bytes,retx\n1,1,0,0,0\n1,2,50,0,1\n";
    assert_eq!(ttis(text).len(), 1);
    let notes = read(text).1.notes;
    assert_eq!(notes.skipped.get("no_allocation"), Some(&1));
    let idle = read("t_unix,tti,prb,tbs_bytes\n1,1,50,9\n5,4001,0,0\n").1.notes;
    assert_eq!(idle.last_time, Some(Instant::from_nanos(5_000_000_000)), "the log went on");
}

#[test]
fn a_cut_loses_one_row_at_most() {
    check_cuts(FULL);
}

const CELLS: &str = "\
t_unix,cell,earfcn,serving,rsrp_dbm,rsrq_db,sinr_db,cqi
1795246301.000000,0,5230,1,-93.24,-11.20,18.41,12
1795246301.000000,1,5230,0,-108.02,-25.98,,
";

const HANDOVERS: &str = "\
t_start,t_end,from_cell,to_cell
1795246307.412000,1795246307.462000,0,1
1795246329.004000,,1,2
";

#[test]
fn a_measurement_has_every_level_and_an_empty_cell_is_unknown() {
    let (records, report) = read(CELLS);
    let serving = CellMeasurement {
        time: Instant::from_nanos(1_795_246_301_000_000_000),
        user: User(0),
        cell: Some(0),
        earfcn: Some(5230),
        carrier: Some(0),
        serving: Some(true),
        rsrp_dbm: Some(-93.24),
        rsrq_db: Some(-11.2),
        sinr_db: Some(18.41),
        rssi_dbm: None,
        cqi: Some(12),
        source: "emulator_cells",
    };
    let neighbour = CellMeasurement {
        cell: Some(1),
        serving: Some(false),
        rsrp_dbm: Some(-108.02),
        rsrq_db: Some(-25.98),
        sinr_db: None,
        cqi: None,
        ..serving.clone()
    };
    assert_eq!(records, [Record::Cell(serving), Record::Cell(neighbour)]);
    assert_eq!(report.notes.understood.get(&("emulator_cells", 0)), Some(&2));
}

#[test]
fn a_handover_is_a_command_and_its_completion() {
    let (records, report) = read(HANDOVERS);
    let steps = records.iter().map(|record| match record {
        Record::Rrc(event) => (event.step, event.cell, event.target_cell),
        other => panic!("{other:?}"),
    });
    let expected = [
        (RrcStep::Command, Some(0), Some(1)),
        (RrcStep::Complete, Some(1), None),
        (RrcStep::Command, Some(1), Some(2)),
    ];
    assert_eq!(steps.collect::<Vec<_>>(), expected);
    assert_eq!(report.notes.understood.get(&("emulator_handovers", 0)), Some(&2));
}

#[test]
fn a_header_alone_says_that_there_was_nothing() {
    for text in [CELLS, HANDOVERS] {
        let header = text.split_inclusive('\n').next().expect("a header");
        let (records, report) = read(header);
        assert!(records.is_empty() && report.outcome() == crate::report::Outcome::Clean);
    }
}

#[test]
fn a_level_that_is_none_is_refused_with_its_place_and_reason() {
    let cells = [
        ("1,0,5230,1,nan,-11,18,12", "rsrp_dbm: not a level in dB"),
        ("1,0,5230,1,-93,-inf,18,12", "rsrq_db: not a level in dB"),
        ("1,0,5230,1,-93,-11,1e9,12", "sinr_db: not a level in dB"),
        ("1,1008,5230,1,-93,-11,18,12", "cell: not a whole number from 0 to 1007"),
        ("1,0,262144,1,-93,-11,18,12", "earfcn: not a whole number from 0 to 262143"),
        ("1,0,5230,2,-93,-11,18,12", "serving: not 0 or 1"),
        ("1,0,5230,1,-93,-11,18,16", "cqi: not a whole number from 0 to 15"),
        ("1,0,5230", "3 cells in 8 columns"),
    ];
    let header = "t_unix,cell,earfcn,serving,rsrp_dbm,rsrq_db,sinr_db,cqi";
    for (row, reason) in cells {
        check_refused(&format!("{header}\n{row}\n"), reason);
    }
    let handovers = [
        (",2,0,1", "t_start: not given"),
        ("3,2,0,1", "t_end: not after t_start"),
        ("1,2,0,-1", "to_cell: not a whole number from 0 to 1007"),
    ];
    for (row, reason) in handovers {
        check_refused(&format!("t_start,t_end,from_cell,to_cell\n{row}\n"), reason);
    }
}

fn check_refused(text: &str, reason: &str) {
    let (records, report) = read(text);
    assert!(records.is_empty(), "{text}");
    assert_eq!(report.notes.skipped.get("bad_row"), Some(&1), "{text}");
    let problem = report.notes.problems.first().expect("it is reported");
    assert_eq!(problem.text, format!("line 2: {reason}; it was skipped"));
}

#[test]
fn a_cut_of_the_files_beside_loses_one_row_at_most() {
    check_cuts(CELLS);
}
