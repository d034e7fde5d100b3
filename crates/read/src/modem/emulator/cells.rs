//! Reads the measurements of the emulated phone: `cells.csv` in the folder of its log, with a row
//! per cell and second.
//!
//! The columns are `t_unix,cell,earfcn,serving,rsrp_dbm,rsrq_db,sinr_db,cqi`; an empty cell is
//! unknown.

use std::iter;
use std::ops::RangeInclusive;

use airmile_types::Instant;

use super::bounds::MOST_CELL;
use super::rows::{Columns, Rows};
use crate::modem::reader::Form;
use crate::modem::record::{CellMeasurement, Record, User};
use crate::modem::text::{self, Bad, Column, Row, decimal, flag, unix_seconds};

/// A row without one of these columns cannot be a measurement.
const REQUIRED: [&str; 4] = ["t_unix", "cell", "serving", "sinr_db"];
/// The greatest downlink EARFCN (TS 36.101 section 5.7.3; `maxEARFCN2` of TS 36.331): 262143.
const MOST_EARFCN: u64 = 262_143;
/// The greatest CQI (TS 36.213 table 7.2.3-1).
const MOST_CQI: u64 = 15;
/// The plausible levels in dB or dBm. By TS 36.133, RSRP is reported from -156 to -44 dBm and RSRQ
/// from -34 to 2.5 dB. A model may compute other levels, but none beyond these.
const LEVELS: RangeInclusive<f64> = -300.0..=100.0;
/// The form of the measurements in the folder of the emulated link's log.
pub(super) const FORM: Form =
    Form { name: Cells::NAME, is_text: true, is, open: text::open::<Rows<Cells>> };

fn is(first: &[u8]) -> bool {
    text::has_columns(first, &REQUIRED)
}

/// The columns of the file.
struct Cells {
    count: usize,
    time: Column,
    cell: Column,
    earfcn: Column,
    serving: Column,
    rsrp: Column,
    rsrq: Column,
    sinr: Column,
    cqi: Column,
}

impl Columns for Cells {
    const NAME: &'static str = "emulator_cells";

    fn of(header: &Row<'_>) -> Self {
        let find = |name| Column::named(name, header.cells());
        Self {
            count: header.cells().len(),
            time: find("t_unix"),
            cell: find("cell"),
            earfcn: find("earfcn"),
            serving: find("serving"),
            rsrp: find("rsrp_dbm"),
            rsrq: find("rsrq_db"),
            sinr: find("sinr_db"),
            cqi: find("cqi"),
        }
    }

    fn records(&self, row: &Row<'_>) -> Result<impl Iterator<Item = (Instant, Record)>, Bad> {
        let measurement = self.measurement(row)?;
        Ok(iter::once((measurement.time, Record::Cell(measurement))))
    }
}

impl Cells {
    fn measurement(&self, row: &Row<'_>) -> Result<CellMeasurement, Bad> {
        row.has(self.count)?;
        let level = |column| row.read(column, "a level in dB", |text| decimal(text, &LEVELS));
        let time = row
            .read(self.time, "decimal seconds since 1970", unix_seconds)?
            .ok_or_else(|| Bad::cell(self.time, "given"))?;
        Ok(CellMeasurement {
            time,
            user: User(0),
            cell: row.whole(self.cell, 0..=MOST_CELL)?,
            earfcn: row.whole(self.earfcn, 0..=MOST_EARFCN)?,
            carrier: Some(0),
            serving: row.read(self.serving, "0 or 1", flag)?,
            rsrp_dbm: level(self.rsrp)?,
            rsrq_db: level(self.rsrq)?,
            sinr_db: level(self.sinr)?,
            rssi_dbm: None,
            cqi: row.whole(self.cqi, 0..=MOST_CQI)?,
            source: Self::NAME,
        })
    }
}
