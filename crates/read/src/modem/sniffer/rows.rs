//! Functions for the rows of all sniffers' tables.

use airmile_types::Instant;

use crate::modem::record::{Rnti, Tti, User};
use crate::modem::text::{Bad, Row};

/// From this index on, an MCS gives the modulation of a retransmission and no size (TS 36.213
/// tables 7.1.7.1-1 and 8.6.1-1).
const RESERVED_MCS: u8 = 29;

/// More bits than any transport block of LTE has: TS 36.213 table 7.1.7.2.5-1 ends at 391656.
pub(super) const MOST_BITS: u64 = 400_000;

/// The greatest number of PRBs: that of TS 36.101 table 5.6-1 and of the tables of sizes.
pub(super) const MOST_PRBS: u64 = 110;

/// The kind of an RNTI by its value (TS 36.321 table 7.1-1): random access, users, then broadcast.
const fn rnti(value: u16) -> Rnti {
    match value {
        0x003D..=0xFFF3 => Rnti::C,
        _ => Rnti::Other,
    }
}

/// The cells of a row, which may end with a separator.
pub(super) fn cells(line: &str) -> Row<'_> {
    Row::split(line.trim_end(), '\t')
}

/// The cells of a row; an error if their number differs from the table's number of columns.
pub(super) fn whole_row(line: &str, columns: usize) -> Result<Row<'_>, Bad> {
    let row = cells(line);
    let number = row.cells().len();
    let bad = || Bad::new(format!("{number} cells in {columns} columns"));
    if number == columns { Ok(row) } else { Err(bad()) }
}

/// The first row of a log that may be a table. Text that programs print before the table does not
/// begin with a number.
pub(super) fn first_row(first: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(first);
    let whole = text.rfind('\n').and_then(|end| text.get(..end))?;
    whole.lines().find(|line| is_row(line)).map(str::to_owned)
}

/// Whether a line begins with a number and has further cells.
pub(super) fn is_row(line: &str) -> bool {
    let number = |cell: &str| {
        !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    line.split_once('\t').is_some_and(|(cell, _)| number(cell.trim()))
}

/// The size of a block in bytes, and whether the block is a retransmission. Tables contain sizes in
/// bits, and no size for a retransmission with a reserved MCS.
pub(super) const fn size(bits: u32, mcs: u8) -> (Option<u32>, Option<bool>) {
    match (bits, mcs) {
        (0, RESERVED_MCS..) => (None, Some(true)),
        (0, _) => (None, None),
        (bits, RESERVED_MCS..) => (Some(bits / 8), Some(true)),
        (bits, _) => (Some(bits / 8), None),
    }
}

/// A block of the user with this RNTI.
pub(super) fn plain(time: Instant, tti: i64, value: u16, source: &'static str) -> Tti {
    Tti { rnti: rnti(value), ..Tti::plain(time, tti, User(value.into()), source) }
}
