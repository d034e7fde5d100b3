//! Tests with dumps in the forms that Android writes.

use airmile_types::Instant;

use crate::modem::text::tests::{check_cuts, read};
use crate::modem::{CellInfo, CellMeasurement, PrbSource, Record, User};

const NONE: &str = "mCdma=CellSignalStrengthCdma: cdmaDbm=2147483647 level=0,mGsm=CellSignalStrengthGsm: rssi=2147483647 ber=2147483647 mTa=2147483647 mLevel=0";
const NR_NONE: &str = "mNr=CellSignalStrengthNr:{ csiRsrp = 2147483647 ssRsrp = 2147483647 ssRsrq = 2147483647 ssSinr = 2147483647 level = 0 },primary=CellSignalStrengthLte}";
const NR: &str = "mNr=CellSignalStrengthNr:{ csiRsrp = 2147483647 ssRsrp = -92 ssRsrq = -11 ssSinr = 14 level = 0 },primary=CellSignalStrengthLte}";

fn lte(rssnr: i32) -> String {
    format!(
        "mLte=CellSignalStrengthLte: rssi=-51 rsrp=-77 rsrq=-9 rssnr={rssnr} cqiTableIndex=2147483647 cqi=2147483647 ta=2147483647 level=4 parametersUseForLevel=0"
    )
}

fn strength(rssnr: i32, nr: &str) -> String {
    format!("    mSignalStrength=SignalStrength:{{{NONE},{},{nr}\n", lte(rssnr))
}

const IDENTITY: &str = "    mCellIdentity=CellIdentityLte:{ mCi=4242424 mPci=96 mTac=1717 mEarfcn=66500 mBands=[66] mBandwidth=2147483647 mMcc=310 mMnc=410 }\n";
const CHANNELS: &str = "    mPhysicalChannelConfigs=[{mConnectionStatus=PrimaryServing,mCellBandwidthDownlinkKhz=20000,mCellBandwidthUplinkKhz=20000,mNetworkType=LTE,mDownlinkChannelNumber=66500,mPhysicalCellId=96,mBand=66}, {mConnectionStatus=SecondaryServing,mCellBandwidthDownlinkKhz=1400,mCellBandwidthUplinkKhz=0,mNetworkType=LTE_CA,mDownlinkChannelNumber=0,mPhysicalCellId=2147483647,mBand=3}, {mConnectionStatus=SecondaryServing,mCellBandwidthDownlinkKhz=100000,mNetworkType=NR,mPhysicalCellId=5}]\n";

fn measured(seconds: i64) -> CellMeasurement {
    CellMeasurement {
        time: Instant::from_nanos(seconds * 1_000_000_000),
        user: User(0),
        cell: Some(96),
        earfcn: Some(66_500),
        carrier: Some(0),
        serving: Some(true),
        rsrp_dbm: Some(-77.0),
        rsrq_db: Some(-9.0),
        sinr_db: Some(26.0),
        rssi_dbm: Some(-51.0),
        cqi: None,
        source: "dumpsys",
    }
}

#[test]
fn dumps_below_their_times_tell_cells_and_widths_of_each_phone() {
    let first = format!(
        "1700000000.000000000\nlast known state:\n  Phone Id=0\n{}{IDENTITY}{CHANNELS}",
        strength(26, NR_NONE)
    );
    let second = format!(
        "1700000001\nlast known state:\n  Phone Id=0\n{IDENTITY}{}  Phone Id=1\n{}",
        strength(26, NR),
        strength(-3, NR_NONE)
    );
    let (records, report) = read(&format!("{first}{second}"));
    let width = |carrier, cell, earfcn, downlink_prbs, uplink_prbs| CellInfo {
        time: measured(1_700_000_000).time,
        user: User(0),
        cell,
        earfcn,
        carrier: Some(carrier),
        downlink_prbs,
        uplink_prbs,
        source: PrbSource::Beside,
    };
    let nr = CellMeasurement {
        cell: None,
        earfcn: None,
        carrier: None,
        rsrp_dbm: Some(-92.0),
        rsrq_db: Some(-11.0),
        sinr_db: Some(14.0),
        rssi_dbm: None,
        ..measured(1_700_000_001)
    };
    let other = CellMeasurement {
        user: User(1),
        cell: None,
        earfcn: None,
        sinr_db: Some(-3.0),
        ..measured(1_700_000_001)
    };
    let expected = [
        Record::CellInfo(width(0, Some(96), Some(66_500), 100, Some(100))),
        Record::CellInfo(width(1, None, None, 6, None)),
        Record::Cell(measured(1_700_000_000)),
        Record::Cell(measured(1_700_000_001)),
        Record::Cell(nr),
        Record::Cell(other),
    ];
    assert_eq!(records, expected);
    assert_eq!(report.notes.skipped.get("nr_channel"), Some(&1));
    assert!(report.notes.warnings.is_empty());
}

#[test]
fn nothing_that_names_a_place_or_an_operator_is_read() {
    let text = format!("1700000000\n{}{IDENTITY}", strength(26, NR));
    let found = format!("{:?}", read(&text));
    assert!(["4242424", "1717", "310", "410"].iter().all(|secret| !found.contains(secret)));
}

#[test]
fn a_ratio_in_tenths_is_divided_and_said() {
    let (records, report) = read(&format!("5\n{IDENTITY}{}", strength(246, NR_NONE)));
    assert_eq!(records, [Record::Cell(CellMeasurement { sinr_db: Some(24.6), ..measured(5) })]);
    assert!(report.notes.warnings.iter().any(|warning| warning.contains("tenths")));
}

#[test]
fn one_dump_without_a_time_is_at_zero_and_says_so() {
    let (records, report) = read(&format!("{IDENTITY}{}", strength(26, NR_NONE)));
    assert_eq!(records, [Record::Cell(measured(0))]);
    assert!(report.notes.warnings.iter().any(|warning| warning.contains("without a time")));
}

#[test]
fn the_history_below_a_dump_is_not_its_state() {
    let history = format!("local logs:\n  notifySignalStrength: {}", strength(-10, NR_NONE).trim());
    let (records, _) = read(&format!("5\n{IDENTITY}{}{history}\n", strength(26, NR_NONE)));
    assert_eq!(records, [Record::Cell(measured(5))]);
}

#[test]
fn an_old_phone_gives_widths_alone_and_a_phone_without_signal_nothing() {
    let old = "5\n mPhysicalChannelConfigs=[{mConnectionStatus=PrimaryServing,mCellBandwidthDownlinkKhz=10000}]\n";
    let widths: Vec<u16> = read(old)
        .0
        .into_iter()
        .map(|record| match record {
            Record::CellInfo(info) => info.downlink_prbs,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(widths, [50]);
    let none = "5\nPhone Id=0\nmSignalStrength=SignalStrength:{mLte=CellSignalStrengthLte: rssi=2147483647 rsrp=2147483647 rsrq=2147483647 rssnr=2147483647,mNr=Invalid}\nmPhysicalChannelConfigs=[]\n";
    assert_eq!(read(none).0, []);
}

#[test]
fn numbers_beyond_any_signal_are_unknown() {
    let text = strength(26, NR_NONE)
        .replace("rsrq=-9", "rsrq=-99999999999999999999")
        .replace("rssi=-51", "rssi=77");
    let expected = CellMeasurement { rsrq_db: None, rssi_dbm: None, ..measured(5) };
    assert_eq!(read(&format!("5\n{IDENTITY}{text}")).0, [Record::Cell(expected)]);
}

#[test]
fn a_cut_loses_what_was_not_there_yet() {
    check_cuts(&format!("5\n{}6\n{}", strength(26, NR_NONE), strength(26, NR_NONE)));
}

#[test]
fn a_phone_that_writes_tenths_writes_them_below_50_too() {
    let dump = |seconds: u32, rssnr| format!("{seconds}\nPhone Id=0\n{}", strength(rssnr, NR_NONE));
    let (records, _) = read(&[dump(5, 104), dump(6, 30), dump(7, -45)].concat());
    let found: Vec<_> = records
        .iter()
        .map(|record| if let Record::Cell(cell) = record { cell.sinr_db } else { None })
        .collect();
    assert_eq!(found, [Some(10.4), Some(3.0), Some(-4.5)]);
}
