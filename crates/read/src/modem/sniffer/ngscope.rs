//! Reads NG-Scope's tables: 14 columns for the downlink, 12 for the uplink, 4 for retransmissions
//! that the base station requested (PHICH). A subframe without an allocation has a row of zeros.

use airmile_types::{Direction, Instant};

use super::rows::{MOST_BITS, MOST_PRBS, cells, first_row, is_row, plain, size};
use crate::modem::reader::{Form, Holds, ModemFormat};
use crate::modem::record::{Record, Tti};
use crate::modem::report::Notes;
use crate::modem::text::{self, Bad, ByLine, Column, Line, Row};

/// The format of NG-Scope's tables.
pub(crate) const FORMAT: ModemFormat = ModemFormat {
    title: "NG-Scope's tables",
    endings: &[],
    holds: Holds {
        allocations: "down, up",
        other_users: "yes",
        cell_prbs: "yes",
        padding: "no",
        decoded: "no",
        handovers: "no",
        uplink_buffer: "no",
    },
    forms: &[Form { name: "ngscope", is_text: true, is, open: text::open::<NgScope> }],
};

const DOWNLINK: usize = 14;
const UPLINK: usize = 12;
const PHICH: usize = 4;

const TTI: Column = Column { name: "tti", at: Some(0) };
const RNTI: Column = Column { name: "rnti", at: Some(1) };
const CELL_PRB: Column = Column { name: "cell_prb", at: Some(2) };
const UE_PRB: Column = Column { name: "ue_prb", at: Some(3) };
/// The columns of MCS, redundancy version and size of both blocks.
const BLOCKS: [[Column; 3]; 2] = [
    [
        Column { name: "tb1_mcs", at: Some(4) },
        Column { name: "tb1_rv", at: Some(5) },
        Column { name: "tb1_tbs", at: Some(6) },
    ],
    [
        Column { name: "tb2_mcs", at: Some(7) },
        Column { name: "tb2_rv", at: Some(8) },
        Column { name: "tb2_tbs", at: Some(9) },
    ],
];
const HARQ: Column = Column { name: "harq", at: Some(10) };
/// 2001-09-09 in microseconds. A smaller number is not a time, which distinguishes this table from
/// others.
const EARLIEST_US: u64 = 1_000_000_000_000_000;

fn is(first: &[u8]) -> bool {
    first_row(first).is_some_and(|line| {
        let row = cells(&line);
        subframe(&row).is_ok() && time(&row).is_ok()
    })
}

/// Reads a table.
#[derive(Default)]
struct NgScope;

impl ByLine for NgScope {
    const NAME: &'static str = "ngscope";

    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Record>, notes: &mut Notes) {
        if !is_row(&line.text) {
            return notes.skip("no_row");
        }
        let before = out.len();
        if let Err(bad) = Self::row(&cells(&line.text), out, notes) {
            out.truncate(before);
            text::reject(line, &bad, notes);
        }
    }
}

impl NgScope {
    fn row(row: &Row<'_>, out: &mut Vec<Record>, notes: &mut Notes) -> Result<(), Bad> {
        let (subframe, time) = (subframe(row)?, time(row)?);
        notes.saw(time);
        let rnti: u16 = row.must(RNTI, 0..=0xFFFF)?;
        // 0 is not an RNTI (TS 36.321 table 7.1-1).
        if rnti == 0 {
            notes.skip("empty_subframe");
            return Ok(());
        }
        let block = plain(time, subframe, rnti, Self::NAME);
        match row.cells().len() {
            PHICH => again(row, block, out)?,
            DOWNLINK => blocks(row, Tti { harq: row.whole(HARQ, 0..=15)?, ..block }, out)?,
            _ => blocks(row, Tti { direction: Direction::Uplink, ..block }, out)?,
        }
        *notes.understood.entry((Self::NAME, 0)).or_default() += 1;
        Ok(())
    }
}

/// Appends the blocks of a grant. The columns of the second block are zeros if there is none.
fn blocks(row: &Row<'_>, common: Tti, out: &mut Vec<Record>) -> Result<(), Bad> {
    let prb_total = row.must(CELL_PRB, 1..=MOST_PRBS)?;
    let prbs = row.must(UE_PRB, 0..=u64::from(prb_total))?;
    for (columns, block) in BLOCKS.into_iter().zip(0..) {
        let [mcs, redundancy, bits] = columns;
        let (mcs, bits) = (row.must(mcs, 0..=31)?, row.must(bits, 0..=MOST_BITS)?);
        let redundancy: u8 = row.must(redundancy, 0..=3)?;
        if block == 1 && bits == 0 {
            continue;
        }
        let (tbs_bytes, reserved) = size(bits, mcs);
        out.push(Record::Tti(Tti {
            prbs: Some(prbs),
            prb_total: Some(prb_total),
            tbs_bytes,
            block,
            mcs: Some(mcs),
            retransmission: reserved.or(Some(redundancy != 0)),
            ..common.clone()
        }));
    }
    Ok(())
}

/// Appends an uplink retransmission, with its redundancy version. Its PRBs are those of the first
/// transmission, which this table does not contain.
fn again(row: &Row<'_>, common: Tti, out: &mut Vec<Record>) -> Result<(), Bad> {
    let redundancy: u8 = row.must(Column { name: "rv", at: Some(2) }, 0..=3)?;
    if redundancy > 0 {
        let direction = Direction::Uplink;
        out.push(Record::Tti(Tti { direction, retransmission: Some(true), ..common }));
    }
    Ok(())
}

fn subframe(row: &Row<'_>) -> Result<i64, Bad> {
    row.must(TTI, 0..=10_239)
}

/// The time of a row; its position distinguishes the tables.
fn time(row: &Row<'_>) -> Result<Instant, Bad> {
    let at = match row.cells().len() {
        DOWNLINK | UPLINK => 11,
        PHICH => 3,
        cells => return Err(Bad::new(format!("{cells} cells, where tables have 14, 12 or 4"))),
    };
    let column = Column { name: "timestamp_us", at: Some(at) };
    let us: i64 = row.must(column, EARLIEST_US..=(i64::MAX as u64) / 1000)?;
    Ok(Instant::from_nanos(us * 1000))
}
