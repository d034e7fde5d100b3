//! Reads the log of the emulated link: CSV with the header `t_unix,tti,prb,tbs_bytes` and further
//! columns, found by name.
//!
//! `t_unix` is in decimal seconds, and `tti` counts milliseconds from the start without wrapping
//! around. An empty cell is unknown. A log without the column `direction` describes the downlink.
//! Measurements and handovers are in separate files in the same folder.

mod beside;
mod bounds;
mod cells;
mod handovers;
mod rows;

use airmile_types::Direction;

use crate::modem::reader::{Form, Holds, ModemFormat};
use crate::modem::record::{Record, Rnti, Tti, User};
use crate::modem::report::Notes;
use crate::modem::text::{self, Bad, ByLine, Column, Line, Row, flag, modulation, unix_seconds};

/// A row without one of these columns cannot be an allocation.
const REQUIRED: [&str; 4] = ["t_unix", "tti", "prb", "tbs_bytes"];
/// The greatest number of PRBs of a carrier: 273 (TS 38.101-1 table 5.3.2-1; LTE: 100, TS 36.101
/// table 5.6-1).
const MOST_PRBS: u64 = 273;
/// The greatest number of a carrier: there are 32 serving cells (TS 36.331 and 38.331,
/// `maxServCell`).
const MOST_CARRIER: u64 = 31;
/// More bytes than any transport block has: TS 38.214 section 5.1.3.2 ends below 160 kB.
const MOST_BYTES: u64 = 1_000_000;
/// The greatest number of milliseconds since the start; a floating-point number of another program
/// counts no further.
const MOST_TTI: u64 = 1 << 53;
/// The greatest number of column names in a warning.
const LISTED: usize = 10;

/// The format of the emulated link's log.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "CSV of the emulated link",
    endings: &[".csv"],
    holds: Holds {
        allocations: "down, up",
        other_users: "a column",
        cell_prbs: "a column",
        padding: "a column",
        decoded: "a column",
        handovers: "beside it",
        uplink_buffer: "no",
    },
    forms: &[
        Form { name: Emulator::NAME, is_text: true, is, open: text::open::<Emulator> },
        cells::FORM,
        handovers::FORM,
    ],
};

pub use beside::Beside;
pub(crate) use beside::beside;
use bounds::MOST_CELL;

/// Whether a log begins with the header of this format.
fn is(first: &[u8]) -> bool {
    text::has_columns(first, &REQUIRED)
}

/// Reads the log.
#[derive(Default)]
struct Emulator {
    columns: Option<Columns>,
}

impl ByLine for Emulator {
    const NAME: &'static str = "emulator";
    const FILES_BESIDE: bool = true;

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

/// The columns of a file.
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

    /// The allocation of a row; it may have no PRBs and no bytes.
    fn tti(&self, row: &Row<'_>) -> Result<Tti, Bad> {
        row.has(self.count)?;
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
            epoch: 0,
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
mod tests;
