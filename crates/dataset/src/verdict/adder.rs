//! Adds up the rows of one shard as they are written.

use std::any::Any;
use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use airmile_analyze::{BandwidthSampleRow, DnsRow, TableInfo};
use airmile_types::EventTable;
use airmile_verdict::{SliceRow, TransferRow};

use super::cells::Picker;
use super::held::Held;
use super::live::{Ended, Live, Moved, Piece};
use super::sums::Sums;

const LATE_ROWS: &str = "rows of a flow came after it had ended";
const INFINITE: &str = "a value of a flow is infinite";

/// Adds up the rows of one shard.
pub(crate) struct Adder {
    picker: Picker,
    live: HashMap<u64, Live>,
    kept: usize,
    /// Whether `picker` contains an ended flow whose last transfers and slices are still to come.
    ended: bool,
    sums: Sums,
}

impl Adder {
    /// Makes an adder for the columns of these tables.
    pub(crate) fn new(tables: &[TableInfo]) -> Self {
        let flows = tables.iter().filter(|table| table.name == "flows");
        let columns = flows.flat_map(|table| table.columns.iter().map(|c| c.name.as_str()));
        let picker = Picker::new(columns);
        Self { picker, live: HashMap::new(), kept: 0, ended: false, sums: Sums::default() }
    }

    /// The sink for the cells of the next row of `flows`.
    pub(crate) fn next_flow(&mut self) -> &mut Picker {
        self.settle();
        &mut self.picker
    }

    /// Notes that the row is complete and the flow has ended. Its last rows in other tables follow
    /// before the next flow ends.
    pub(crate) fn end_flow(&mut self) {
        self.ended = true;
        if self.sums.given_up.is_some() {
            return;
        }
        self.sums.totals.add(self.picker.cells());
        self.sums.failed.add_flow(self.picker.cells());
        self.sums.rates.add_flow(self.picker.cells());
    }

    /// Takes rows of another table.
    #[expect(clippy::ptr_arg, reason = "a slice is of no size, so that its type would be unknown")]
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
        } else if let Some(rows) = rows.downcast_ref::<Vec<DnsRow>>() {
            rows.iter().for_each(|row| self.sums.failed.add_lookup(row));
        }
    }

    /// How much data is kept because it cannot be added up.
    pub(crate) fn held(&self) -> Held {
        Held { rows: self.kept, ..self.sums.held() }
    }

    /// Gives up the sums for this reason and frees their memory; everything is in the tables too.
    pub(crate) fn give_up(&mut self, reason: &'static str) {
        self.sums.give_up(reason);
        (self.live, self.kept) = (HashMap::new(), 0);
    }

    /// Returns the sums, after the last row.
    pub(crate) fn finish(mut self) -> Sums {
        self.settle();
        if !self.live.is_empty() {
            self.sums.give_up(LATE_ROWS);
        }
        self.sums
    }

    fn transfer(&mut self, row: &TransferRow) {
        self.sums.rates.add_transfer(&row.summary);
        self.kept += 1;
        self.live.entry(row.summary.uid).or_default().add_transfer(Moved::new(row));
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
        let cells = self.picker.take();
        let Some(live) = cells.uid().and_then(|uid| self.live.remove(&uid)) else { return };
        self.kept -= live.len();
        if !cells.are_finite() {
            return self.give_up(INFINITE);
        }
        let flow = Arc::new(Ended { live, cells });
        self.sums.larger.add(false, &flow);
        self.sums.small.add(true, &flow);
    }
}
