//! Tests of srsRAN's metrics.

use super::*;
use crate::modem::text::tests::{check_cuts, read};

const HEADER: &str = "time;cc;earfcn;pci;rsrp;pl;cfo;pci_neigh;rsrp_neigh;cfo_neigh;dl_mcs;dl_snr;dl_turbo;dl_brate;dl_bler;ul_ta;distance_km;speed_kmph;ul_mcs;ul_buff;ul_brate;ul_bler;rf_o;rf_u;rf_l;is_attached\n";
const ROWS: &str = "1000;0;3400;1;-58.25;0;1.0;n/a;n/a;n/a;27;34.5;1;1;0;0;0;0;8;0;1;0;0;0;0;1.0\n\
    2000;1;6200;7;-60;0;1.0;12;-71.5;0;27;nan;1;1;0;0;0;0;8;0;1;0;0;0;0;1.0\n#eof\n";

fn serving() -> CellMeasurement {
    CellMeasurement {
        time: Instant::from_nanos(1_000_000_000),
        user: User(0),
        cell: Some(1),
        earfcn: Some(3400),
        carrier: Some(0),
        serving: Some(true),
        rsrp_dbm: Some(-58.25),
        rsrq_db: None,
        sinr_db: Some(34.5),
        rssi_dbm: None,
        cqi: None,
        source: "srsran",
    }
}

#[test]
fn cells_of_the_phone_and_their_neighbours() {
    let second = CellMeasurement {
        time: Instant::from_nanos(2_000_000_000),
        cell: Some(7),
        earfcn: Some(6200),
        carrier: Some(1),
        rsrp_dbm: Some(-60.0),
        sinr_db: None,
        ..serving()
    };
    let neighbour = CellMeasurement {
        cell: Some(12),
        carrier: None,
        serving: Some(false),
        rsrp_dbm: Some(-71.5),
        ..second.clone()
    };
    let (records, report) = read(&format!("{HEADER}{ROWS}"));
    assert_eq!(records, [serving(), neighbour, second].map(Record::Cell));
    assert_eq!((report.format.as_str(), report.notes.problems.len()), ("srsran", 0));
}

#[test]
fn a_row_that_cannot_be_is_skipped_with_its_reason() {
    let cut = "3000;0;3400\n";
    let text = format!("{HEADER}{cut}{}", ROWS.replace("34.5", "x"));
    let (records, report) = read(&text);
    let texts: Vec<&str> = report.notes.problems.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(records.len(), 2);
    assert_eq!(
        texts,
        [
            "line 2: 3 cells in 26 columns; it was skipped",
            "line 3: dl_snr: not decibels; it was skipped"
        ]
    );
}

#[test]
fn a_base_stations_metrics_are_counted() {
    let text = "time;nof_ue;dl_brate;ul_brate;thread_count\n1.0;1;0;0;12\n2.0;1;0;0;12\n";
    let (records, report) = read(text);
    assert_eq!((records.len(), report.notes.other.get("enb_metrics")), (0, Some(&2)));
    assert!(
        report.notes.warnings.iter().any(|warning| warning.contains("give those of the phone"))
    );
}

#[test]
fn a_cut_loses_one_row_at_most() {
    check_cuts(&format!("{HEADER}{ROWS}").replace("12;-71.5", "n/a;n/a"));
}
