//! Reads metrics that the programs of srsRAN 4G write: separated by `;`, with a row per carrier and
//! period.
//!
//! The file of the phone describes cells; its times are milliseconds since the program began. The
//! file of the base station has no cells and no allocations; its rows are only counted.

use airmile_types::Instant;

use crate::modem::reader::{Form, Holds, ModemFormat};
use crate::modem::record::{CellMeasurement, Record, User};
use crate::modem::report::Notes;
use crate::modem::text::{self, Bad, ByLine, Column, Line, Row, whole};

/// The format of srsRAN's metrics.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "srsRAN's metrics of the phone",
    endings: &[".csv"],
    holds: Holds {
        allocations: "no",
        other_users: "no",
        cell_prbs: "no",
        padding: "no",
        decoded: "no",
        handovers: "by cell, each period",
        uplink_buffer: "no",
    },
    forms: &[Form { name: "srsran", is_text: true, is, open: text::open::<SrsRan> }],
};

/// Columns of the phone's file; without one of them no row can be read.
const PHONE: [&str; 5] = ["time", "cc", "earfcn", "pci", "rsrp"];
/// Columns of the base station's file.
const BASE_STATION: [&str; 4] = ["time", "nof_ue", "dl_brate", "ul_brate"];
/// What the program writes for an unknown value.
const UNKNOWN: [&str; 4] = ["n/a", "nan", "-nan", "inf"];
/// The plausible range of powers in dBm and of ratios in dB; it is wide enough for simulated links.
const DB: std::ops::RangeInclusive<f64> = -300.0..=300.0;

fn is(first: &[u8]) -> bool {
    text::first_line(first).is_some_and(|line| {
        let row = Row::split(line, ';');
        [&PHONE[..], &BASE_STATION].iter().any(|names| has(&row, names))
    })
}

fn has(row: &Row<'_>, names: &[&str]) -> bool {
    names.iter().all(|name| row.cells().contains(name))
}

/// Reads the metrics.
#[derive(Default)]
struct SrsRan {
    columns: Option<Columns>,
}

impl ByLine for SrsRan {
    const NAME: &'static str = "srsran";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        if line.text.is_empty() || line.text.starts_with('#') {
            return;
        }
        let row = Row::split(&line.text, ';');
        let Some(columns) = &self.columns else {
            self.columns = Some(Columns::of(&row, notes));
            return;
        };
        if !columns.phone {
            *notes.other.entry("enb_metrics".to_owned()).or_default() += 1;
            return;
        }
        let before = out.len();
        match columns.cells(&row, out) {
            Ok(time) => {
                notes.saw(time);
                *notes.understood.entry((Self::NAME, 0)).or_default() += 1;
            }
            Err(bad) => {
                out.truncate(before);
                text::reject(line, &bad, notes);
            }
        }
    }
}

struct Columns {
    phone: bool,
    count: usize,
    time: Column,
    carrier: Column,
    earfcn: Column,
    cell: Column,
    rsrp: Column,
    snr: Column,
    neighbour: Column,
    neighbour_rsrp: Column,
}

impl Columns {
    fn of(header: &Row<'_>, notes: &mut Notes) -> Self {
        let phone = has(header, &PHONE);
        notes.warn(if phone {
            "times count from the start of the program that wrote the metrics"
        } else {
            "metrics of a base station hold no cells and no allocations: give those of the phone"
        });
        let column = |name| Column::named(name, header.cells());
        Self {
            phone,
            count: header.cells().len(),
            time: column("time"),
            carrier: column("cc"),
            earfcn: column("earfcn"),
            cell: column("pci"),
            rsrp: column("rsrp"),
            snr: column("dl_snr"),
            neighbour: column("pci_neigh"),
            neighbour_rsrp: column("rsrp_neigh"),
        }
    }

    /// Appends the serving cell of a row and its strongest neighbour; returns their time.
    fn cells(&self, row: &Row<'_>, out: &mut Vec<Record>) -> Result<Instant, Bad> {
        // Some versions end each row with a separator.
        if !(self.count..=self.count + 1).contains(&row.cells().len()) {
            let (cells, columns) = (row.cells().len(), self.count);
            return Err(Bad::new(format!("{cells} cells in {columns} columns")));
        }
        let ms: i64 = row.must(self.time, 0..=(i64::MAX as u64) / 1_000_000)?;
        let time = Instant::from_nanos(ms * 1_000_000);
        let serving = CellMeasurement {
            time,
            user: User(0),
            cell: count(row, self.cell, 1007)?,
            earfcn: count(row, self.earfcn, u64::from(u32::MAX))?,
            carrier: row.whole(self.carrier, 0..=31)?,
            serving: Some(true),
            rsrp_dbm: level(row, self.rsrp)?,
            rsrq_db: None,
            sinr_db: level(row, self.snr)?,
            rssi_dbm: None,
            cqi: None,
            source: SrsRan::NAME,
        };
        if let Some(cell) = count(row, self.neighbour, 1007)? {
            let rsrp_dbm = level(row, self.neighbour_rsrp)?;
            out.push(Record::Cell(CellMeasurement {
                cell: Some(cell),
                carrier: None,
                serving: Some(false),
                rsrp_dbm,
                sinr_db: None,
                ..serving.clone()
            }));
        }
        out.push(Record::Cell(serving));
        Ok(time)
    }
}

fn count<T: TryFrom<u64>>(row: &Row<'_>, column: Column, most: u64) -> Result<Option<T>, Bad> {
    let Some(text) = known(row, column) else { return Ok(None) };
    let value = whole(text, &(0..=most));
    value.map(Some).ok_or_else(|| Bad::cell(column, format_args!("a whole number up to {most}")))
}

fn level(row: &Row<'_>, column: Column) -> Result<Option<f64>, Bad> {
    let Some(text) = known(row, column) else { return Ok(None) };
    let value = text.parse().ok().filter(|value| DB.contains(value));
    value.map(Some).ok_or_else(|| Bad::cell(column, "decibels"))
}

fn known<'a>(row: &Row<'a>, column: Column) -> Option<&'a str> {
    row.text(column).filter(|text| !UNKNOWN.contains(text))
}

#[cfg(test)]
mod tests;
