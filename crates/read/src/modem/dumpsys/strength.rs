//! Reads `mSignalStrength=SignalStrength:{...}`: the signals of the serving cells.

use super::value::value;
use crate::modem::report::Notes;

/// A signal to noise ratio above this value in dB was written in tenths: the documentation of
/// Android's `getRssnr` ends at 30 dB.
const MOST_SNR_DB: i64 = 50;

/// The signal of a serving cell.
#[derive(Debug, PartialEq)]
pub(super) struct Strength {
    /// Whether the cell is a 5G cell.
    pub(super) nr: bool,
    pub(super) rsrp_dbm: Option<f64>,
    pub(super) rsrq_db: Option<f64>,
    pub(super) sinr_db: Option<f64>,
    pub(super) rssi_dbm: Option<f64>,
    pub(super) cqi: Option<u8>,
}

/// The signals of the LTE cell and of the 5G cell, each if its power is known. Once a phone has
/// been seen to write ratios in `tenths` of a dB, all its ratios are read so.
pub(super) fn all(line: &str, tenths: &mut bool, notes: &mut Notes) -> Vec<Strength> {
    let lte = section(line, "CellSignalStrengthLte:").and_then(|text| lte(text, tenths, notes));
    let nr = section(line, "CellSignalStrengthNr:").and_then(nr);
    lte.into_iter().chain(nr).collect()
}

/// The text after a name, up to the name of the next cell.
fn section<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(name)?;
    rest.split("CellSignalStrength").next()
}

fn lte(text: &str, tenths: &mut bool, notes: &mut Notes) -> Option<Strength> {
    let snr = value(text, "rssnr").map(|snr| {
        if snr.abs() > MOST_SNR_DB {
            notes.warn("rssnr is beyond 50 dB: this phone writes it in tenths, so it was divided");
            *tenths = true;
        }
        if *tenths { snr as f64 / 10.0 } else { snr as f64 }
    });
    Some(Strength {
        nr: false,
        // The ranges of TS 36.133 sections 9.1.4 and 9.1.7, with a margin.
        rsrp_dbm: Some(within(value(text, "rsrp"), -156..=-20)?),
        rsrq_db: within(value(text, "rsrq"), -40..=10),
        sinr_db: snr.filter(|snr| (-50.0..=50.0).contains(snr)),
        rssi_dbm: within(value(text, "rssi"), -140..=0),
        cqi: value(text, "cqi").and_then(|cqi| u8::try_from(cqi).ok()).filter(|cqi| *cqi <= 15),
    })
}

fn nr(text: &str) -> Option<Strength> {
    Some(Strength {
        nr: true,
        // The ranges of TS 38.133 sections 10.1.6, 10.1.11 and 10.1.16.
        rsrp_dbm: Some(within(value(text, "ssRsrp"), -157..=-20)?),
        rsrq_db: within(value(text, "ssRsrq"), -45..=21),
        sinr_db: within(value(text, "ssSinr"), -25..=41),
        rssi_dbm: None,
        cqi: None,
    })
}

/// The value if it is in the range that can be reported; `None` for other values, which were not
/// measured.
fn within(value: Option<i64>, range: std::ops::RangeInclusive<i64>) -> Option<f64> {
    value.filter(|value| range.contains(value)).map(|value| value as f64)
}
