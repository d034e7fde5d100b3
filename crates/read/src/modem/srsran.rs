//! Metrics that srsRAN 4G's programs write: `;`-separated, a row per carrier and period.
//!
//! The phone's file tells of cells; times in it are milliseconds since the program began. The base
//! station's tells of no cell and no allocation: its rows are counted.

use airmile_types::Instant;

use super::reader::Known;
use super::record::{CellMeasurement, Record, User};
use super::report::Notes;
use super::text::{self, Bad, ByLine, Column, Line, Row, whole};

/// srsRAN's metrics.
pub(crate) const SRSRAN: Known = Known { is, open: text::open::<SrsRan> };

/// Columns of the phone's file without which nothing is told.
const PHONE: [&str; 5] = ["time", "cc", "earfcn", "pci", "rsrp"];
/// Columns of the base station's.
const BASE_STATION: [&str; 4] = ["time", "nof_ue", "dl_brate", "ul_brate"];
/// What the program writes where it does not know.
const UNKNOWN: [&str; 4] = ["n/a", "nan", "-nan", "inf"];
/// Over a simulated link nothing bounds a power but reason.
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
            "metrics of a base station tell of no cell and no allocation: give the phone's"
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

    /// The serving cell of a row and its strongest neighbour.
    fn cells(&self, row: &Row<'_>, out: &mut Vec<Record>) -> Result<Instant, Bad> {
        // Some versions end a row with a separator.
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
mod tests {
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
        assert!(report.notes.warnings.iter().any(|warning| warning.contains("give the phone's")));
    }

    #[test]
    fn a_cut_loses_one_row_at_most() {
        check_cuts(&format!("{HEADER}{ROWS}").replace("12;-71.5", "n/a;n/a"));
    }
}
