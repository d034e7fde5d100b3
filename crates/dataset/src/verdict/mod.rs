//! The sums of the verdict, added up while rows leave the engine: `verdict` in the manifest.
//!
//! Rows -> [`Adder`] (one beside the rows of each shard: what a live flow needs, settled when its
//! row has left) -> [`Sums`] (of whole numbers, so that no order of rows and no number of threads
//! changes a digit) -> [`SumsReport`]. SQL over the tables gives the same: `python/airmile/answers/verdict/_sums`.

mod adder;
mod cells;
mod class;
mod extremes;
mod facts;
mod held;
mod live;
mod rates;
mod report;
mod spans;
mod time_union;
mod top;
mod totals;

use class::Class;
use rates::Rates;
use totals::Totals;

pub(crate) use adder::Adder;
pub use facts::{FlowSums, MovedSums};
pub(crate) use held::Held;
pub use report::{LeftOutSums, RateSums, SmallCallSums, SumsReport, VerdictReport};
pub use spans::SpanSums;
pub use totals::{FlowTotals, KindTotals};

pub use cells::CellValue;

/// Everything that is added up; parts of several shards are merged in the order of the shards.
#[derive(Default)]
pub(crate) struct Sums {
    /// Why nothing is told: what would have to be kept has no bound.
    given_up: Option<&'static str>,
    totals: Totals,
    rates: Rates,
    larger: Class,
    small: Class,
}

impl Sums {
    /// Adds the part of another shard.
    pub(crate) fn merge(&mut self, other: Self) {
        if let Some(reason) = other.given_up {
            self.give_up(reason);
        }
        if self.given_up.is_none() {
            self.totals.merge(other.totals);
            self.rates.merge(&other.rates);
            self.larger.merge(other.larger);
            self.small.merge(other.small);
        }
        if let Some(reason) = self.held().too_much() {
            self.give_up(reason);
        }
    }

    /// Frees what was kept: the tables still tell everything.
    pub(crate) fn give_up(&mut self, reason: &'static str) {
        *self = Self { given_up: Some(reason), ..Self::default() };
    }

    /// What is kept for what cannot be added up.
    pub(crate) fn held(&self) -> Held {
        self.totals.held() + self.larger.held() + self.small.held()
    }

    /// Whether `control` transfers take more than half of the time of all transfers (methods T1).
    fn mostly_small(&self) -> bool {
        self.small.judged_ns() > self.larger.judged_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_shard_that_gave_up_leaves_all_to_the_tables() {
        let mut part = Sums::default();
        part.give_up("too much");
        let mut sums = Sums::default();
        sums.merge(part);
        sums.merge(Sums::default());
        let report = VerdictReport::new(sums, false);
        assert_eq!((report.reason, report.sums.is_some()), (Some("too much"), false));
    }

    #[test]
    fn of_no_flow_nothing_is_unknown_but_rates() {
        let report = VerdictReport::new(Sums::default(), false);
        let sums = report.sums.unwrap();
        assert_eq!((sums.totals.flows, sums.judged_flows, sums.flows.len()), (0, 0, 0));
        assert!(sums.small_calls.is_none());
        assert!(sums.rates.values().all(|rate| rate.available_bps.is_none()));
    }
}
