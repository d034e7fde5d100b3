//! Reads tables of ns-3's LTE module: DlMacStats and UlMacStats (allocations), DlRsrpSinrStats
//! (cells).
//!
//! The first line of a table has a percent sign and the column names. Frames and subframes count
//! from 1 without wrapping around. The numbers of PRBs are not written; they are derived from MCS
//! and size ([`sizes`]). The IMSI in ns-3 is only the index of a simulated phone; users are
//! identified by their RNTI.

mod sizes;
mod table;

use airmile_types::Instant;

use self::sizes::{Link, Prbs};
use self::table::{Kind, NAME, Table, header};
use super::reader::{Form, Holds, ModemFormat};
use super::record::{Record, Tti};
use super::report::Notes;
use super::text::{self, Bad, ByLine, Line, Row};

/// The format of ns-3's tables.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "ns-3's tables",
    endings: &[".txt"],
    holds: Holds {
        allocations: "down, up",
        other_users: "yes",
        cell_prbs: "no",
        padding: "no",
        decoded: "no",
        handovers: "by cell",
        uplink_buffer: "no",
    },
    forms: &[Form { name: "ns3", is_text: true, is, open: text::open::<Ns3> }],
};

/// The greatest MCS that has a size (TS 36.213 tables 7.1.7.1-1 and 8.6.1-1).
const MOST_MCS: u64 = 28;

fn is(first: &[u8]) -> bool {
    text::first_line(first).is_some_and(|line| header(line).is_some())
}

/// Reads a table.
#[derive(Default)]
struct Ns3 {
    table: Option<Table>,
    ambiguous: u64,
    without: u64,
}

impl ByLine for Ns3 {
    const NAME: &'static str = NAME;

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        // A simulation may write several runs into one file, with different columns.
        if let Some(names) = header(&line.text) {
            self.table = Table::of(&names);
            return;
        }
        let Some(table) = &self.table else { return };
        if line.text.trim().is_empty() {
            return;
        }
        let row = Row::of(line.text.split_whitespace().collect());
        let before = out.len();
        let read = match table.kind {
            Kind::Cells => table.measurement(&row, out),
            _ => self.allocation(&row, out),
        };
        match read {
            Ok(Some(time)) => {
                notes.saw(time);
                *notes.understood.entry((Self::NAME, 0)).or_default() += 1;
            }
            Ok(None) => notes.skip("no_allocation"),
            Err(bad) => {
                out.truncate(before);
                text::reject(line, &bad, notes);
            }
        }
    }

    fn end(&mut self, _out: &mut Vec<Record>, notes: &mut Notes) {
        let (ambiguous, without) = (self.ambiguous, self.without);
        if ambiguous > 0 {
            notes.warn(format!(
                "{ambiguous} blocks may be of several PRB counts: the smallest was taken"
            ));
        }
        if without > 0 {
            notes.warn(format!("{without} blocks have a size that their MCS has on no PRB count"));
        }
    }
}

impl Ns3 {
    /// Appends the blocks of a row; returns their time if there are any.
    fn allocation(&mut self, row: &Row<'_>, out: &mut Vec<Record>) -> Result<Option<Instant>, Bad> {
        let Some(table) = &self.table else { return Ok(None) };
        let common = table.common(row)?;
        let mut found = None;
        let link = if table.kind == Kind::Uplink { Link::Up } else { Link::Down };
        for ([mcs, size], block) in table.blocks.iter().zip(0..) {
            let bytes: u32 = row.must(*size, 0..=1_000_000)?;
            let mcs: u8 = row.must(*mcs, 0..=MOST_MCS)?;
            if bytes == 0 {
                continue;
            }
            found = Some(common.time);
            let prbs = match sizes::prbs(link, mcs, bytes) {
                Prbs::One(prbs) => Some(prbs),
                Prbs::AtLeast(prbs) => {
                    self.ambiguous += 1;
                    Some(prbs)
                }
                Prbs::None => {
                    self.without += 1;
                    None
                }
            };
            let (tbs_bytes, mcs) = (Some(bytes), Some(mcs));
            out.push(Record::Tti(Tti { prbs, tbs_bytes, mcs, block, ..common.clone() }));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
