//! Takes the rows of one shard as they leave.

use std::any::Any;
use std::collections::HashMap;
use std::mem;

use airmile_analyze::{BandwidthSampleRow, EventTable, FlowRow, SliceRow, TableInfo, TransferRow};

use super::Sums;
use super::cells::Cells;
use super::live::{Live, Moved, Piece};

/// Rows that are kept of the live flows of one shard: about 10 MB. A flow of 100 ms slices has so
/// many after two hours.
const MOST_ROWS: usize = 1 << 16;

const TOO_MANY_ROWS: &str = "a flow has more slices and transfers than are kept";
const LATE_ROWS: &str = "rows of a flow came after it had ended";
const INFINITE: &str = "a value of a flow is infinite";

/// Adds up the rows of one shard.
pub(crate) struct Adder {
    cells: Cells,
    live: HashMap<u64, Live>,
    kept: usize,
    /// `cells` holds a flow whose last transfers and slices are still to come.
    ended: bool,
    sums: Sums,
}

impl Adder {
    /// For the columns of these tables.
    pub(crate) fn new(tables: &[TableInfo]) -> Self {
        let flows = tables.iter().filter(|table| table.name == "flows");
        let columns = flows.flat_map(|table| table.columns.iter().map(|c| c.name.as_str()));
        let cells = Cells::new(columns);
        Self { cells, live: HashMap::new(), kept: 0, ended: false, sums: Sums::default() }
    }

    /// A row of `flows`: the flow has ended. Its last other rows follow before the next one ends.
    pub(crate) fn flow(&mut self, row: &FlowRow<'_>) {
        if self.sums.given_up.is_some() {
            return;
        }
        self.settle();
        self.cells.clear();
        row.put(&mut self.cells);
        self.ended = true;
        self.sums.totals.add(&self.cells);
        self.sums.rates.add_flow(&self.cells);
        self.bound();
    }

    /// Rows of another table.
    #[expect(clippy::ptr_arg, reason = "a slice is of no size, so it could not be told what it is")]
    pub(crate) fn rows<T: EventTable>(&mut self, rows: &Vec<T>) {
        if self.sums.given_up.is_some() {
            return;
        }
        let rows: &dyn Any = rows;
        if let Some(rows) = rows.downcast_ref::<Vec<TransferRow>>() {
            rows.iter().for_each(|row| self.transfer(row));
        } else if let Some(rows) = rows.downcast_ref::<Vec<SliceRow>>() {
            rows.iter().for_each(|row| self.slice(row));
        } else if let Some(rows) = rows.downcast_ref::<Vec<BandwidthSampleRow>>() {
            rows.iter().for_each(|row| self.sums.rates.add_sample(row));
        }
        self.bound();
    }

    /// What was added up, after the last row.
    pub(crate) fn finish(mut self) -> Sums {
        self.settle();
        if !self.live.is_empty() {
            self.sums.give_up(LATE_ROWS);
        }
        self.sums
    }

    fn transfer(&mut self, row: &TransferRow) {
        self.sums.rates.add_transfer(&row.facts);
        self.kept += 1;
        self.live.entry(row.facts.uid).or_default().add_transfer(Moved::new(row));
    }

    fn slice(&mut self, row: &SliceRow) {
        self.sums.rates.add_slice(row);
        self.kept += 1;
        self.live.entry(row.uid).or_default().add_slice(Piece::new(row));
    }

    fn settle(&mut self) {
        if !mem::take(&mut self.ended) {
            return;
        }
        let Some(live) = self.cells.uid().and_then(|uid| self.live.remove(&uid)) else { return };
        self.kept -= live.len();
        if !self.cells.are_finite() {
            return self.sums.give_up(INFINITE);
        }
        self.sums.larger.add(false, &live, &self.cells);
        self.sums.small.add(true, &live, &self.cells);
    }

    fn bound(&mut self) {
        self.sums.bound();
        if self.kept > MOST_ROWS {
            self.sums.give_up(TOO_MANY_ROWS);
        }
        if self.sums.given_up.is_some() {
            self.live = HashMap::new();
        }
    }
}
