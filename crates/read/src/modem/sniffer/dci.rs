//! Reads the columns that the tables of OWL and of its successors share.

use airmile_types::{Direction, Instant};

use super::rows::{MOST_BITS, MOST_PRBS, first_row, plain, size, whole_row};
use crate::modem::record::{Record, Tti};
use crate::modem::text::{Bad, Column, Row};

/// The position of the first of the shared columns in a row.
pub(super) struct Dci(pub(super) usize);

impl Dci {
    const fn column(&self, name: &'static str, at: usize) -> Column {
        Column { name, at: Some(self.0 + at) }
    }

    /// Whether a log begins with a row that has this number of columns and contains a subframe.
    pub(super) fn begins(&self, first: &[u8], columns: usize) -> bool {
        first_row(first).is_some_and(|line| {
            whole_row(&line, columns).is_ok_and(|row| self.subframe(&row).is_ok())
        })
    }

    /// The number of the row's subframe, 0 to 10239.
    pub(super) fn subframe(&self, row: &Row<'_>) -> Result<i64, Bad> {
        let frame: i64 = row.must(self.column("sfn", 0), 0..=1023)?;
        let subframe: i64 = row.must(self.column("subframe", 1), 0..=9)?;
        Ok(frame * 10 + subframe)
    }

    /// Appends the block or the two blocks of the row.
    pub(super) fn blocks(
        &self,
        row: &Row<'_>,
        (time, tti): (Instant, i64),
        source: &'static str,
        out: &mut Vec<Record>,
    ) -> Result<(), Bad> {
        let mcs = row.must(self.column("mcs", 4), 0..=31)?;
        let common = Tti {
            direction: self.direction(row)?,
            prbs: row.whole(self.column("nof_prb", 5), 0..=MOST_PRBS)?,
            harq: row.whole(self.column("harq", 12), 0..=15)?,
            ..plain(time, tti, row.must(self.column("rnti", 2), 0..=0xFFFF)?, source)
        };
        let total = row.must(self.column("tbs", 6), 0..=MOST_BITS)?;
        let [first, second] = [("tbs_0", 7), ("tbs_1", 8)]
            .map(|(name, at)| row.read(self.column(name, at), "bits, or -1", bits));
        let (first, second) = (first?.flatten(), second?.flatten().filter(|bits| *bits > 0));
        let (tbs_bytes, retransmission) =
            size(first.filter(|_| second.is_some()).unwrap_or(total), mcs);
        out.push(Record::Tti(Tti { tbs_bytes, retransmission, mcs: Some(mcs), ..common.clone() }));
        if let Some(bits) = second {
            out.push(Record::Tti(Tti { tbs_bytes: Some(bits / 8), block: 1, ..common }));
        }
        Ok(())
    }

    fn direction(&self, row: &Row<'_>) -> Result<Direction, Bad> {
        let downlink: u8 = row.must(self.column("direction", 3), 0..=1)?;
        Ok(if downlink == 1 { Direction::Downlink } else { Direction::Uplink })
    }
}

/// The number of bits of a codeword; -1 means that there is none.
fn bits(text: &str) -> Option<Option<u32>> {
    let number = || text.parse().ok().filter(|bits| u64::from(*bits) <= MOST_BITS).map(Some);
    if text == "-1" { Some(None) } else { number() }
}
