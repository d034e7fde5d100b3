//! Reads measurements of cells, and the bandwidths of cells.

use super::context::{Context, version};
use crate::modem::diag::messages::scale::{measured, rsrp_dbm, rsrq_db};
use crate::modem::mobile_insight::fields::Fields;
use crate::modem::record::{CellInfo, CellMeasurement, PrbSource, Record};
use crate::modem::text::{Bad, carrier, lte_prbs};

const MOST_CELL: u64 = 503;
/// The greatest EARFCN (TS 36.101 section 5.7.3).
const MOST_EARFCN: u64 = 262_143;
/// The powers in dBm that a phone can report; a value outside the range was not measured.
const DBM: std::ops::RangeInclusive<f64> = -200.0..=50.0;
/// The ratios in dB that a phone can report.
const DB: std::ops::RangeInclusive<f64> = -100.0..=100.0;

/// Reads 0xB193: serving cells, as the physical layer measures them.
pub(super) fn serving(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    for part in fields.list("Subpackets").filter(|part| part.has("RSRP Rx[0]")) {
        let serving: Option<u8> = part.whole("Is Serving Cell", 0..=1)?;
        let index = part.word("Serving Cell Index").and_then(carrier);
        let measurement = CellMeasurement {
            cell: part.whole("Physical Cell ID", 0..=MOST_CELL)?,
            earfcn: part.whole("E-ARFCN", 0..=MOST_EARFCN)?,
            carrier: index.filter(|_| serving == Some(1)),
            serving: serving.map(|serving| serving == 1),
            // The combined value is that of the better antenna, because MobileInsight reads the
            // quality from wrong bits in subpackets 22 and 36, and copies a strength in 18.
            rsrp_dbm: better(part, ["RSRP Rx[0]", "RSRP Rx[1]"], DBM)?
                .and_then(|dbm| measured(dbm, rsrp_dbm(0))),
            rsrq_db: better(part, ["RSRQ Rx[0]", "RSRQ Rx[1]"], DB)?
                .and_then(|db| measured(db, rsrq_db(0))),
            sinr_db: better(part, ["FTL SNR Rx[0]", "FTL SNR Rx[1]"], DB)?,
            rssi_dbm: better(part, ["RSSI Rx[0]", "RSSI Rx[1]"], DBM)?,
            ..nothing(context, "0xB193")
        };
        context.out.push(Record::Cell(measurement));
    }
    version(fields)
}

/// Reads 0xB179: the serving cell and its neighbours on the same frequency.
pub(super) fn neighbours(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let earfcn = fields.whole("E-ARFCN", 0..=MOST_EARFCN)?;
    let index = fields.word("Serving Cell Index").and_then(carrier);
    let serving = CellMeasurement {
        cell: fields.whole("Serving Physical Cell ID", 0..=MOST_CELL)?,
        earfcn,
        carrier: index,
        serving: Some(true),
        rsrp_dbm: fields.number("RSRP(dBm)", DBM)?,
        rsrq_db: fields.number("RSRQ(dB)", DB)?,
        ..nothing(context, "0xB179")
    };
    context.out.push(Record::Cell(serving));
    for cell in fields.list("Neighbor Cells").chain(fields.list("Detected Cells")) {
        let measurement = CellMeasurement {
            cell: cell.whole("Physical Cell ID", 0..=MOST_CELL)?,
            earfcn,
            serving: Some(false),
            rsrp_dbm: cell.number("RSRP(dBm)", DBM)?,
            rsrq_db: cell.number("RSRQ(dB)", DB)?,
            ..nothing(context, "0xB179")
        };
        context.out.push(Record::Cell(measurement));
    }
    version(fields)
}

/// Reads 0xB14E: the channel quality that the phone reports.
pub(super) fn channel_state(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let measurement = CellMeasurement {
        carrier: fields.word("Carrier Index").and_then(carrier),
        serving: Some(true),
        // The range of the CQI (TS 36.213 table 7.2.3-1).
        cqi: fields.whole("WideBand CQI CW0", 0..=15)?,
        ..nothing(context, "0xB14E")
    };
    context.out.push(Record::Cell(measurement));
    version(fields)
}

/// Reads 0xB0C1: the master information block.
pub(super) fn mib(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let downlink_prbs = prbs(fields, "DL BW")?;
    context.out.push(Record::CellInfo(CellInfo {
        cell: fields.whole("Physical Cell ID", 0..=MOST_CELL)?,
        earfcn: fields.whole("Freq", 0..=MOST_EARFCN)?,
        ..wide(context, downlink_prbs, PrbSource::Mib)
    }));
    version(fields)
}

/// Reads 0xB0C2: the serving cell, except its identity and its operator.
pub(super) fn serving_cell(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let downlink_prbs = prbs(fields, "Downlink bandwidth")?;
    context.out.push(Record::CellInfo(CellInfo {
        cell: fields.whole("Cell ID", 0..=MOST_CELL)?,
        earfcn: fields.whole("Downlink frequency", 0..=MOST_EARFCN)?,
        uplink_prbs: fields.word("Uplink bandwidth").and_then(lte_prbs),
        ..wide(context, downlink_prbs, PrbSource::ServingCell)
    }));
    version(fields)
}

/// Reads 0xB130: the bandwidth of a carrier.
pub(super) fn pdcch(fields: Fields<'_>, context: &mut Context<'_>) -> Result<u32, Bad> {
    let carrier = fields.meaning("Carrier Index", carrier)?.unwrap_or(0);
    let mhz: Option<u8> = fields.whole("Band Width (MHz)", 1..=20)?;
    let prbs = mhz.and_then(|mhz| lte_prbs(&mhz.to_string()));
    let (user, time) = (context.user, context.time);
    let widths = &mut context.memory.widths;
    if let Some(prbs) = prbs.filter(|prbs| widths.is_news(user, carrier, *prbs, time)) {
        let info = wide(context, prbs, PrbSource::Pdcch);
        context.out.push(Record::CellInfo(CellInfo { carrier: Some(carrier), ..info }));
    }
    version(fields)
}

fn prbs(fields: Fields<'_>, name: &'static str) -> Result<u16, Bad> {
    fields.meaning(name, lte_prbs)?.ok_or_else(|| Bad::new(format!("{name}: not given")))
}

/// The larger of two values, or the only one that is present.
fn better(
    part: Fields<'_>,
    names: [&'static str; 2],
    range: std::ops::RangeInclusive<f64>,
) -> Result<Option<f64>, Bad> {
    let [first, second] = names;
    let (first, second) = (part.number(first, range.clone())?, part.number(second, range)?);
    Ok(first.zip(second).map(|(first, second)| first.max(second)).or(first).or(second))
}

fn nothing(context: &Context<'_>, source: &'static str) -> CellMeasurement {
    CellMeasurement {
        time: context.time,
        user: context.user,
        cell: None,
        earfcn: None,
        carrier: None,
        serving: None,
        rsrp_dbm: None,
        rsrq_db: None,
        sinr_db: None,
        rssi_dbm: None,
        cqi: None,
        source,
    }
}

fn wide(context: &Context<'_>, downlink_prbs: u16, source: PrbSource) -> CellInfo {
    CellInfo {
        time: context.time,
        user: context.user,
        cell: None,
        earfcn: None,
        carrier: None,
        downlink_prbs,
        uplink_prbs: None,
        source,
    }
}
