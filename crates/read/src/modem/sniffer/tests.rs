//! Tests with tables in the form in which the programs write them.

use airmile_types::{Direction, Instant};

use super::rows::plain;
use crate::modem::text::tests::{check_cuts, read};
use crate::modem::{Record, Rnti, Tti};

fn rows(rows: &[&str]) -> String {
    rows.iter().map(|row| row.split(' ').collect::<Vec<_>>().join("\t") + "\n").collect()
}

fn ttis(text: &str) -> Vec<Tti> {
    let of = |record| if let Record::Tti(tti) = record { Some(tti) } else { None };
    read(text).0.into_iter().filter_map(of).collect()
}

/// An OWL table: SFN, subframe, RNTI, direction, MCS, PRBs, bits, bits of both codewords, and
/// columns that are not read.
fn owl() -> String {
    rows(&[
        "1023 9 4660 1 20 50 36696 36696 -1 2 1 -1 3 4 2 2 99",
        "0000 0 4660 1 20 50 37888 18944 18944 6 1 0 4 4 2 2 99",
        "0000 0 65535 1 1 4 208 208 -1 2 0 -1 0 4 2 2 99",
        "0000 4 4661 0 29 10 0 -1 -1 0 0 -1 2 4 2 2 99",
    ])
}

#[test]
fn owls_frames_make_a_time_over_their_wrap() {
    let text = format!("print_note1 found a cell\n{}", owl());
    let at = |ms: i64, tti, rnti| plain(Instant::from_nanos(ms * 1_000_000), tti, rnti, "owl");
    let full = Tti { prbs: Some(50), mcs: Some(20), ..at(0, 10_239, 4660) };
    let two = Tti { harq: Some(4), tbs_bytes: Some(2368), ..full };
    let two = Tti { time: Instant::from_nanos(1_000_000), tti: 0, ..two };
    let expected = [
        Tti {
            harq: Some(3),
            tbs_bytes: Some(4587),
            prbs: Some(50),
            mcs: Some(20),
            ..at(0, 10_239, 4660)
        },
        two.clone(),
        Tti { block: 1, mcs: None, ..two },
        Tti { harq: Some(0), tbs_bytes: Some(26), prbs: Some(4), mcs: Some(1), ..at(1, 0, 65_535) },
        Tti {
            direction: Direction::Uplink,
            harq: Some(2),
            prbs: Some(10),
            mcs: Some(29),
            retransmission: Some(true),
            ..at(5, 4, 4661)
        },
    ];
    assert_eq!(ttis(&text), expected);
    assert_eq!(expected.map(|tti| tti.rnti).get(3), Some(&Rnti::Other));
    let (_, report) = read(&text);
    assert_eq!((report.format.as_str(), report.notes.skipped.get("no_row")), ("owl", Some(&1)));
    assert!(report.notes.warnings.iter().any(|warning| warning.contains("no time")));
}

fn falcon() -> String {
    rows(&[
        "1546300800.000500 100 5 4660 1 20 50 36696 36696 -1 3 1 -1 3 4 2 2 5 44 0fab",
        "1546300820.481500 100 6 4660 0 10 5 872 872 -1 1 1 -1 3 4 2 2 5 44 0fab",
    ])
}

#[test]
fn falcons_times_are_those_of_the_rows() {
    let found = ttis(&falcon());
    let fields: Vec<_> =
        found.iter().map(|tti| (tti.time.as_nanos(), tti.tti, tti.direction)).collect();
    let expected = [
        (1_546_300_800_000_500_000, 1005, Direction::Downlink),
        (1_546_300_820_481_500_000, 1006, Direction::Uplink),
    ];
    assert_eq!(fields, expected);
    assert_eq!(found.first().map(|tti| (tti.tbs_bytes, tti.prbs)), Some((Some(4587), Some(50))));
    assert_eq!(read(&falcon()).1.format, "falcon");
}

fn ngscope() -> String {
    rows(&[
        "10239 4660 100 60 20 0 43816 0 0 0 3 1546300800000500 1 0 ",
        "0 4660 100 100 27 0 75376 27 2 75376 4 1546300800001500 1 0 ",
        "0 4661 100 0 0 0 0 0 0 0 4 1546300800001500 1 0 ",
        "1 0 0 0 0 0 0 0 0 0 0 1546300800002500 0 0 ",
    ])
}

#[test]
fn ngscope_gives_the_cells_prbs_and_which_subframes_were_empty() {
    let found = ttis(&ngscope());
    let fields =
        |tti: &Tti| (tti.tti, tti.user.0, tti.prbs, tti.tbs_bytes, tti.block, tti.retransmission);
    let expected = [
        (10_239, 4660, Some(60), Some(5477), 0, Some(false)),
        (0, 4660, Some(100), Some(9422), 0, Some(false)),
        (0, 4660, Some(100), Some(9422), 1, Some(true)),
        (0, 4661, Some(0), None, 0, Some(false)),
    ];
    assert_eq!(found.iter().map(fields).collect::<Vec<_>>(), expected);
    assert!(found.iter().all(|tti| tti.prb_total == Some(100)));
    let notes = read(&ngscope()).1.notes;
    assert_eq!((notes.skipped.get("empty_subframe"), notes.problems.len()), (Some(&1), 0));
}

#[test]
fn ngscopes_uplink_and_what_is_to_be_sent_again() {
    let uplink = rows(&[
        "5 4660 50 10 9 0 1544 0 0 0 0 1546300800000500 ",
        "6 0 0 0 0 0 0 0 0 0 0 1546300800001500",
    ]);
    let [grant] = <[Tti; 1]>::try_from(ttis(&uplink)).expect("one row is empty");
    let fields = (grant.direction, grant.tbs_bytes, grant.prb_total, grant.harq);
    assert_eq!(fields, (Direction::Uplink, Some(193), Some(50), None));
    let phich = rows(&["13 4660 2 1546300800008500", "14 4660 0 1546300800009500"]);
    let [again] = <[Tti; 1]>::try_from(ttis(&phich)).expect("a first transmission is none");
    let fields = (again.direction, again.retransmission, again.prbs, again.tbs_bytes);
    assert_eq!(fields, (Direction::Uplink, Some(true), None, None));
}

#[test]
fn rows_that_cannot_be_are_skipped_with_their_reason() {
    let text = ngscope() + &rows(&["2 4660 100 101 20 0 1 0 0 0 3 1546300800003500 1 0"]);
    let (records, report) = read(&text);
    assert_eq!((records.len(), report.notes.skipped.get("bad_row")), (4, Some(&1)));
    let problem = report.notes.problems.first().expect("it is reported");
    assert_eq!(problem.text, "line 5: ue_prb: not a whole number from 0 to 100; it was skipped");
    let text = owl() + &rows(&["1 9 4660 1 20"]);
    assert_eq!(read(&text).1.notes.skipped.get("bad_row"), Some(&1));
}

#[test]
fn a_cut_loses_one_row_at_most() {
    check_cuts(&owl());
    check_cuts(&falcon());
}
