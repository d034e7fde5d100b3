//! Keeps the sums of the verdict, and merges those of several shards.

use super::class::Class;
use super::failed::Failed;
use super::held::Held;
use super::rates::Rates;
use super::totals::Totals;

/// All sums; the sums of several shards are merged in the order of the shards.
#[derive(Default)]
pub(crate) struct Sums {
    /// Why there are no sums: the data that they need has grown beyond its limit.
    pub(super) given_up: Option<&'static str>,
    pub(super) totals: Totals,
    pub(super) failed: Failed,
    pub(super) rates: Rates,
    pub(super) larger: Class,
    pub(super) small: Class,
}

impl Sums {
    /// Adds the sums of another shard.
    pub(crate) fn merge(&mut self, other: Self) {
        if let Some(reason) = other.given_up {
            self.give_up(reason);
        }
        if self.given_up.is_none() {
            self.totals.merge(other.totals);
            self.failed.merge(other.failed);
            self.rates.merge(&other.rates);
            self.larger.merge(other.larger);
            self.small.merge(other.small);
        }
        if let Some(reason) = self.held().too_much() {
            self.give_up(reason);
        }
    }

    /// Gives up the sums for this reason and frees their memory; everything is in the tables too.
    pub(crate) fn give_up(&mut self, reason: &'static str) {
        *self = Self { given_up: Some(reason), ..Self::default() };
    }

    /// How much data is kept because it cannot be added up.
    pub(crate) fn held(&self) -> Held {
        self.totals.held() + self.larger.held() + self.small.held()
    }
}
