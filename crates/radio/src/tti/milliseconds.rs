//! Turns transport blocks into scheduled milliseconds, which every rule for allocations reads.
//!
//! Input: the blocks of a log, one after the other (methods G1). Output: one [`Ms`] for each
//! millisecond in which the user was scheduled, in ascending order with continuous numbers. Bias: a
//! record that the modem did not log looks like a millisecond without an allocation. Nothing in a
//! log distinguishes the two, so only known gaps are marked ([`Milliseconds::gap`], and clocks that
//! step back).

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
    /// The number that is added to the subframe numbers of the current cell.
    shift: i64,
    cell: Option<u16>,
    pending: BTreeMap<i64, TtiAggregation>,
    /// The newest millisecond, and its time.
    newest: Option<(i64, Instant)>,
    /// The last millisecond that was passed on.
    given: i64,
    gap: bool,
    late: u64,
}

/// The greatest disorder of the blocks of a log: one wrap of the subframe numbers. Beyond that, the
/// order itself is ambiguous.
const WRAP_MS: i64 = 10_240;

/// Two blocks are from one cell, or from two cells in phase, if their distance in subframes and
/// their distance in time differ by at most this much. Log times are later than the transmission by
/// up to 54 ms in 95 of 100 packets, while the phases of two cells may differ by any amount (seen:
/// 695 ms).
const PHASE_MS: i64 = 100;

/// All scheduled milliseconds of a log in ascending order. `total` gives the bandwidth of a
/// carrier's cell at a time in PRBs; it is used if the record itself does not contain the
/// bandwidth.
pub fn milliseconds<'a>(
    scope: TtiScope,
    ttis: impl IntoIterator<Item = &'a Tti>,
    total: impl Fn(u8, Instant) -> Option<u16>,
) -> Vec<Ms> {
    let mut aggregator = Milliseconds::new(scope, WRAP_MS);
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
            shift: 0,
            cell: None,
            pending: BTreeMap::new(),
            newest: None,
            given: i64::MIN,
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
        self.follow_cell(tti, out);
        let at = self.place(tti, out);
        if at <= self.given {
            self.late += 1;
            return;
        }
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
        self.pending.split_off(&tti.tti.saturating_add(self.shift));
    }

    /// Notes that records are missing here, because another log begins or logging was off.
    pub fn gap(&mut self, out: &mut Vec<Ms>) {
        self.give(i64::MAX, out);
        self.gap = self.newest.is_some();
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

    /// Adapts the numbers when the primary cell changes, because each cell counts its frames
    /// separately. The numbers continue by the time of the log.
    fn follow_cell(&mut self, tti: &Tti, out: &mut Vec<Ms>) {
        if tti.carrier != 0 || tti.cell.is_none() || tti.cell == self.cell {
            return;
        }
        let known_before = self.cell.is_some();
        self.cell = tti.cell;
        let Some((newest, time)) = self.newest.filter(|_| known_before) else { return };
        let by_subframe = tti.tti.saturating_add(self.shift).saturating_sub(newest);
        if by_subframe.abs_diff(milliseconds_of(tti.time - time)) > PHASE_MS.unsigned_abs() {
            self.give(i64::MAX, out);
            self.rephase(tti);
        }
    }

    /// The number of the millisecond of a block.
    fn place(&mut self, tti: &Tti, out: &mut Vec<Ms>) -> i64 {
        let at = tti.tti.saturating_add(self.shift);
        let back = self.newest.is_some_and(|(newest, _)| newest.saturating_sub(at) > WRAP_MS);
        if back {
            self.gap(out);
        }
        // Blocks of another log are not sorted together with the present ones.
        if self.gap && self.pending.is_empty() { self.rephase(tti) } else { at }
    }

    /// Shifts the numbers so that this block follows the newest one by the time of the log. The
    /// distance is at least a millisecond, because the clock may have stepped back.
    fn rephase(&mut self, tti: &Tti) -> i64 {
        let Some((newest, time)) = self.newest else { return tti.tti };
        let at = newest.saturating_add(milliseconds_of(tti.time - time).max(1));
        self.shift = at.saturating_sub(tti.tti);
        at
    }

    /// Passes on the milliseconds before `until`, for which no more blocks are expected.
    fn give(&mut self, until: i64, out: &mut Vec<Ms>) {
        while let Some(first) = self.pending.first_entry().filter(|first| *first.key() < until) {
            let (tti, aggregation) = first.remove_entry();
            self.given = tti;
            let after_gap = std::mem::take(&mut self.gap);
            out.push(aggregation.finish(tti, after_gap));
        }
    }
}

fn milliseconds_of(duration: Duration) -> i64 {
    duration.as_millis_f64().round() as i64
}

#[cfg(test)]
mod tests;
