//! Recognises the kinds of ns-3's tables, and reads their rows.

use airmile_types::{Direction, Duration, Instant};

use crate::modem::record::{CellMeasurement, Record, Rnti, Tti, User};
use crate::modem::text::{Bad, Column, Row};

/// The greatest number of a frame: more than in a year.
const MOST_FRAMES: u64 = 1 << 32;
/// The greatest relative error of the printed time, which has six digits.
const TIME_DIGITS: f64 = 1e-5;
/// The name of the format in reports and records.
pub(super) const NAME: &str = "ns3";

/// The column names in a header; `None` if the line is not a header.
pub(super) fn header(line: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = line.strip_prefix('%')?.split_whitespace().collect();
    Kind::of(&names).map(|_| names)
}

/// The kind of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Downlink,
    Uplink,
    Cells,
}

impl Kind {
    fn of(names: &[&str]) -> Option<Self> {
        let has = |wanted: &[&str]| wanted.iter().all(|name| names.contains(name));
        if !has(&["time", "cellId", "RNTI"]) {
            None
        } else if has(&["frame", "sframe", "mcsTb1", "sizeTb1"]) {
            Some(Self::Downlink)
        } else if has(&["frame", "sframe", "mcs", "size"]) {
            Some(Self::Uplink)
        } else {
            has(&["rsrp", "sinr"]).then_some(Self::Cells)
        }
    }
}

/// The columns of a table.
pub(super) struct Table {
    pub(super) kind: Kind,
    time: Column,
    cell: Column,
    rnti: Column,
    frame: Column,
    subframe: Column,
    /// The columns of MCS and size for each block.
    pub(super) blocks: Vec<[Column; 2]>,
    rsrp: Column,
    sinr: Column,
    carrier: Column,
}

impl Table {
    /// The table with the columns of a header; `None` if it is not known.
    pub(super) fn of(names: &[&str]) -> Option<Self> {
        let column = |name| Column::named(name, names);
        let kind = Kind::of(names)?;
        let blocks = match kind {
            Kind::Downlink => {
                vec![[column("mcsTb1"), column("sizeTb1")], [column("mcsTb2"), column("sizeTb2")]]
            }
            _ => vec![[column("mcs"), column("size")]],
        };
        let older = column("ccId");
        Some(Self {
            kind,
            time: column("time"),
            cell: column("cellId"),
            rnti: column("RNTI"),
            frame: column("frame"),
            subframe: column("sframe"),
            blocks: blocks.into_iter().filter(|[mcs, _]| mcs.at.is_some()).collect(),
            rsrp: column("rsrp"),
            sinr: column("sinr"),
            carrier: if older.at.is_some() { older } else { column("ComponentCarrierId") },
        })
    }

    /// The fields that the blocks of a row share.
    pub(super) fn common(&self, row: &Row<'_>) -> Result<Tti, Bad> {
        let frame: i64 = row.must(self.frame, 0..=MOST_FRAMES)?;
        let subframe: i64 = row.must(self.subframe, 0..=10)?;
        // Frame and subframe both count from 1 at time 0.
        let tti = frame * 10 + subframe - 11;
        let direction =
            if self.kind == Kind::Uplink { Direction::Uplink } else { Direction::Downlink };
        let (time, user) = (exact(self.seconds(row)?, tti), self.user(row)?);
        Ok(Tti {
            rnti: Rnti::C,
            direction,
            cell: row.whole(self.cell, 0..=u64::from(u16::MAX))?,
            carrier: row.whole(self.carrier, 0..=31)?.unwrap_or(0),
            ..Tti::plain(time, tti, user, NAME)
        })
    }

    /// Appends the measurement of a row; returns its time.
    pub(super) fn measurement(
        &self,
        row: &Row<'_>,
        out: &mut Vec<Record>,
    ) -> Result<Option<Instant>, Bad> {
        let (rsrp, time) = (number(row, self.rsrp)?, instant(self.seconds(row)?));
        out.push(Record::Cell(CellMeasurement {
            time,
            user: self.user(row)?,
            cell: row.whole(self.cell, 0..=u64::from(u16::MAX))?,
            earfcn: None,
            carrier: row.whole(self.carrier, 0..=31)?,
            serving: Some(true),
            // The value is in watts; models of other links write dBm.
            rsrp_dbm: if rsrp < 0.0 { Some(rsrp) } else { decibels(rsrp).map(|dbw| dbw + 30.0) },
            rsrq_db: None,
            // The value is a ratio and not in decibels.
            sinr_db: decibels(number(row, self.sinr)?),
            rssi_dbm: None,
            cqi: None,
            source: NAME,
        }));
        Ok(Some(time))
    }

    fn user(&self, row: &Row<'_>) -> Result<User, Bad> {
        row.must(self.rnti, 0..=0xFFFF).map(User)
    }

    fn seconds(&self, row: &Row<'_>) -> Result<f64, Bad> {
        number(row, self.time)
            .ok()
            .filter(|seconds| (0.0..=1e9).contains(seconds))
            .ok_or_else(|| Bad::cell(self.time, "seconds since the start"))
    }
}

/// The time of a subframe: computed from its number if that agrees with the printed time, which has
/// only six digits.
fn exact(printed: f64, tti: i64) -> Instant {
    let counted = Duration::from_millis(tti);
    let close = (counted.as_secs_f64() - printed).abs() <= (printed * TIME_DIGITS).max(0.01);
    if close { Instant::from_nanos(counted.as_nanos()) } else { instant(printed) }
}

fn instant(seconds: f64) -> Instant {
    Instant::from_nanos(Duration::from_secs_f64(seconds).as_nanos())
}

/// Reads a number as C++ prints it.
fn number(row: &Row<'_>, column: Column) -> Result<f64, Bad> {
    let read = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    row.read(column, "a number", read)?.ok_or_else(|| Bad::cell(column, "given"))
}

/// A ratio in decibels; `None` for the ratio 0.
fn decibels(ratio: f64) -> Option<f64> {
    (ratio > 0.0).then(|| 10.0 * ratio.log10())
}
