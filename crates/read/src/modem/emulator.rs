//! The emulated link's log: CSV with a header, `t_unix,tti,prb,tbs_bytes` and more by name.
//!
//! `t_unix` are decimal seconds, `tti` counts milliseconds from the start without wraps. An empty
//! cell is unknown; a log without `direction` is of the downlink.

use airmile_types::Direction;

use super::reader::Known;
use super::record::{Record, Rnti, Tti, User};
use super::report::Notes;
use super::text::{self, Bad, ByLine, Column, Line, Row, flag, modulation, unix_seconds};

/// Columns without which there is no allocation.
const REQUIRED: [&str; 4] = ["t_unix", "tti", "prb", "tbs_bytes"];
/// TS 38.101-1 table 5.3.2-1: no carrier has more than 273 PRBs (LTE: 100, TS 36.101 table 5.6-1).
const MOST_PRBS: u64 = 273;
/// TS 38.211 section 7.4.2.1: 1008 physical cell identities (LTE: 504).
const MOST_CELL: u64 = 1007;
/// TS 36.331 and 38.331, `maxServCell`: 32 serving cells.
const MOST_CARRIER: u64 = 31;
/// More than any transport block: TS 38.214 section 5.1.3.2 ends below 160 kB.
const MOST_BYTES: u64 = 1_000_000;
/// Milliseconds since the start, as far as a float of another program counts them.
const MOST_TTI: u64 = 1 << 53;
/// Names of columns that a warning lists.
const LISTED: usize = 10;

/// The emulated link's log.
pub(crate) const EMULATOR: Known = Known { is, open: text::open::<Emulator> };

/// Whether a log begins with the header.
fn is(first: &[u8]) -> bool {
    let Some(line) = text::first_line(first) else { return false };
    let header: Vec<&str> = line.split(',').map(str::trim).collect();
    REQUIRED.iter().all(|name| header.contains(name))
}

/// Reads the log.
#[derive(Default)]
struct Emulator {
    columns: Option<Columns>,
}

impl ByLine for Emulator {
    const NAME: &'static str = "emulator";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        let row = Row::split(&line.text, ',');
        let Some(columns) = &self.columns else {
            self.columns = Some(Columns::of(&row, notes));
            return;
        };
        if line.text.is_empty() {
            return;
        }
        match columns.tti(&row) {
            Ok(tti) => {
                notes.saw(tti.time);
                if tti.prbs == Some(0) && tti.tbs_bytes.unwrap_or(0) == 0 {
                    return notes.skip("no_allocation");
                }
                *notes.understood.entry((Self::NAME, 0)).or_default() += 1;
                out.push(Record::Tti(tti));
            }
            Err(bad) => text::reject(line, &bad, notes),
        }
    }
}

/// Where the columns are.
struct Columns {
    count: usize,
    time: Column,
    tti: Column,
    prbs: Column,
    tbs: Column,
    user: Column,
    cell: Column,
    carrier: Column,
    direction: Column,
    prb_total: Column,
    mcs: Column,
    modulation: Column,
    layers: Column,
    retransmission: Column,
    crc_ok: Column,
    padding: Column,
}

impl Columns {
    fn of(header: &Row<'_>, notes: &mut Notes) -> Self {
        let mut known = Vec::new();
        let mut find = |name| {
            known.push(name);
            Column::named(name, header.cells())
        };
        let columns = Self {
            count: header.cells().len(),
            time: find("t_unix"),
            tti: find("tti"),
            prbs: find("prb"),
            tbs: find("tbs_bytes"),
            user: find("user"),
            cell: find("cell"),
            carrier: find("carrier"),
            direction: find("direction"),
            prb_total: find("prb_total"),
            mcs: find("mcs"),
            modulation: find("modulation"),
            layers: find("layers"),
            retransmission: find("retx"),
            crc_ok: find("crc_ok"),
            padding: find("padding_bytes"),
        };
        let unknown = header.cells().iter().filter(|name| !known.contains(name));
        let unknown: Vec<String> = unknown.take(LISTED).map(|name| short(name)).collect();
        if !unknown.is_empty() {
            notes.warn(format!("columns that are not known are left out: {}", unknown.join(", ")));
        }
        columns
    }

    /// The allocation of a row, which may be of nothing.
    fn tti(&self, row: &Row<'_>) -> Result<Tti, Bad> {
        if row.cells().len() != self.count {
            let (cells, columns) = (row.cells().len(), self.count);
            return Err(Bad::new(format!("{cells} cells in {columns} columns")));
        }
        let time = row
            .read(self.time, "decimal seconds since 1970", unix_seconds)?
            .ok_or_else(|| Bad::cell(self.time, "given"))?;
        let prb_total = row.whole(self.prb_total, 1..=MOST_PRBS)?;
        let most_prbs = prb_total.map_or(MOST_PRBS, u64::from);
        let tbs_bytes = row.whole(self.tbs, 0..=MOST_BYTES)?;
        let most_padding = tbs_bytes.map_or(MOST_BYTES, u64::from);
        Ok(Tti {
            time,
            tti: row.must(self.tti, 0..=MOST_TTI)?,
            user: User(row.whole(self.user, 0..=u64::from(u32::MAX))?.unwrap_or(0)),
            rnti: Rnti::C,
            direction: self.direction(row)?,
            cell: row.whole(self.cell, 0..=MOST_CELL)?,
            carrier: row.whole(self.carrier, 0..=MOST_CARRIER)?.unwrap_or(0),
            prbs: row.whole(self.prbs, 0..=most_prbs)?,
            prb_total,
            tbs_bytes,
            block: 0,
            mcs: row.whole(self.mcs, 0..=31)?,
            modulation: row.read(self.modulation, "QPSK, 16QAM, 64QAM or 256QAM", modulation)?,
            layers: row.whole(self.layers, 1..=8)?,
            harq: None,
            retransmission: row.read(self.retransmission, "0 or 1", flag)?,
            crc_ok: row.read(self.crc_ok, "0 or 1", flag)?,
            padding_bytes: row.whole(self.padding, 0..=most_padding)?,
            source: Emulator::NAME,
        })
    }

    fn direction(&self, row: &Row<'_>) -> Result<Direction, Bad> {
        let read = row.read(self.direction, "downlink or uplink", |text| match text {
            "downlink" | "dl" => Some(Direction::Downlink),
            "uplink" | "ul" => Some(Direction::Uplink),
            _ => None,
        })?;
        Ok(read.unwrap_or(Direction::Downlink))
    }
}

fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use airmile_types::Instant;

    use super::*;
    use crate::modem::Modulation;
    use crate::modem::text::tests::{check_cuts, read};

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
        assert_eq!(
            (report.format.as_str(), report.notes.first_time),
            ("emulator", Some(plain().time))
        );
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
            (
                "1795246301,1,3,99999999999999999999",
                "tbs_bytes: not a whole number from 0 to 1000000",
            ),
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
}
