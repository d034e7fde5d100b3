//! Turns transport blocks into scheduled milliseconds, which every rule for allocations reads.
//!
//! Input: the blocks of a log, as [`Order`](crate::Order) numbers them. Output: one [`Ms`] for each
//! millisecond in which the user was scheduled, in ascending order. Bias: a record that the modem
//! did not log looks like a millisecond without an allocation. Nothing in a log distinguishes the
//! two, so only the time between epochs is marked as unknown.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use airmile_read::modem::{Tti, User};
use airmile_types::{Direction, Duration, Instant};

use super::aggregation::TtiAggregation;
use super::ms::Ms;

/// Selects the transport blocks of one user and direction, on one carrier or on all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtiScope {
    /// The user of the blocks.
    pub user: User,
    /// The direction of the blocks.
    pub direction: Direction,
    /// One carrier; `None` for all carriers together, as methods G2 requires.
    pub carrier: Option<u8>,
}

impl TtiScope {
    /// All carriers of a user in the downlink.
    pub const fn downlink(user: User) -> Self {
        Self { user, direction: Direction::Downlink, carrier: None }
    }

    /// All carriers of a user in the uplink.
    pub const fn uplink(user: User) -> Self {
        Self { user, direction: Direction::Uplink, carrier: None }
    }

    /// Whether a block belongs to the scope.
    pub fn holds(&self, tti: &Tti) -> bool {
        tti.user == self.user
            && tti.direction == self.direction
            && tti.is_user_data()
            && self.carrier.is_none_or(|carrier| carrier == tti.carrier)
    }
}

/// Aggregates the blocks of a scope into milliseconds, either while a log is being read or
/// afterwards.
#[derive(Clone, Debug)]
pub struct Milliseconds {
    scope: TtiScope,
    reorder_ms: i64,
    /// The epoch of the newest block.
    epoch: Option<u32>,
    cell: Option<u16>,
    pending: BTreeMap<i64, TtiAggregation>,
    /// The newest millisecond, and its time.
    newest: Option<(i64, Instant)>,
    /// The last millisecond that was passed on, and its time.
    given: (i64, Instant),
    gap: bool,
    late: u64,
}

/// All scheduled milliseconds of blocks that come in ascending order. `total` gives the bandwidth of a
/// carrier's cell at a time in PRBs; it is used if the record itself does not contain the
/// bandwidth.
pub fn milliseconds<'a>(
    scope: TtiScope,
    ttis: impl IntoIterator<Item = &'a Tti>,
    total: impl Fn(u8, Instant) -> Option<u16>,
) -> Vec<Ms> {
    let mut aggregator = Milliseconds::new(scope, 0);
    let mut all = Vec::new();
    for tti in ttis {
        aggregator.push(tti, &total, &mut all);
    }
    aggregator.finish(&mut all);
    all
}

impl Milliseconds {
    /// Starts an aggregation that waits up to `reorder_ms` for blocks that are logged out of order.
    pub const fn new(scope: TtiScope, reorder_ms: i64) -> Self {
        Self {
            scope,
            reorder_ms,
            epoch: None,
            cell: None,
            pending: BTreeMap::new(),
            newest: None,
            given: (i64::MIN, Instant::MIN),
            gap: false,
            late: 0,
        }
    }

    /// Takes a block, and appends the milliseconds that are complete to `out`.
    pub fn push(
        &mut self,
        tti: &Tti,
        total: &impl Fn(u8, Instant) -> Option<u16>,
        out: &mut Vec<Ms>,
    ) {
        if !self.scope.holds(tti) {
            return;
        }
        let at = tti.tti;
        if at <= self.given.0 || self.epoch.is_some_and(|epoch| tti.epoch < epoch) {
            self.late += 1;
            return;
        }
        self.follow(tti, out);
        self.newest = self.newest.filter(|newest| newest.0 >= at).or(Some((at, tti.time)));
        match self.pending.entry(at) {
            Entry::Occupied(ms) => ms.into_mut().add(tti, total),
            Entry::Vacant(place) => {
                place.insert(TtiAggregation::new(tti, self.cell)).add(tti, total)
            }
        }
        self.give(at.saturating_sub(self.reorder_ms), out);
    }

    /// Notes that the log has reached this time without a block. Appends the milliseconds that need
    /// not wait any more, and returns the millisecond up to which nothing more was scheduled.
    /// Streams need this, because the next block may come much later.
    pub fn passed(&mut self, time: Instant, out: &mut Vec<Ms>) -> Option<i64> {
        let (newest, at) = self.newest?;
        let silent_ms = milliseconds_of(time - at).saturating_sub(self.reorder_ms);
        let until = newest.saturating_add(silent_ms);
        self.give(until.saturating_add(1), out);
        Some(until)
    }

    /// Drops the waiting milliseconds from that of the given block on, because another message
    /// describes them better.
    pub fn withdraw(&mut self, tti: &Tti) {
        self.pending.split_off(&tti.tti);
    }

    /// Appends the milliseconds that still wait to `out`.
    pub fn finish(mut self, out: &mut Vec<Ms>) {
        self.give(i64::MAX, out);
    }

    /// The number of blocks that were left out because their millisecond had been passed on before
    /// they came.
    pub const fn late(&self) -> u64 {
        self.late
    }

    /// Notes the cell, and the epoch: nothing is known of the time before a new one.
    fn follow(&mut self, tti: &Tti, out: &mut Vec<Ms>) {
        if tti.carrier == 0 && tti.cell.is_some() {
            self.cell = tti.cell;
        }
        if self.epoch.replace(tti.epoch).is_some_and(|before| before != tti.epoch) {
            self.give(i64::MAX, out);
            self.gap = true;
        }
    }

    /// Passes on the milliseconds before `until`, for which no more blocks are expected.
    fn give(&mut self, until: i64, out: &mut Vec<Ms>) {
        while let Some(first) = self.pending.first_entry().filter(|first| *first.key() < until) {
            let (tti, aggregation) = first.remove_entry();
            let after_gap = std::mem::take(&mut self.gap);
            let ms = aggregation.finish(tti, after_gap);
            // Stamps jitter, but a later millisecond is not of an earlier time.
            self.given = (tti, ms.time.max(self.given.1));
            out.push(Ms { time: self.given.1, ..ms });
        }
    }
}

fn milliseconds_of(duration: Duration) -> i64 {
    duration.as_millis_f64().round() as i64
}

#[cfg(test)]
mod tests;
