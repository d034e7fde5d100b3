//! From transport blocks to scheduled milliseconds: the view that every rule on allocations reads.
//!
//! Input: the blocks of a log, one after the other (methods G1). Output: one [`Ms`] for each
//! millisecond in which the user was scheduled, in order, on one axis. Bias: a record that the
//! modem did not log looks like a millisecond without an allocation; nothing in a log tells them
//! apart, so only breaks that somebody knows of ([`Milliseconds::gap`], clocks that step back)
//! are marked.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use airmile_read::modem::{Tti, User};
use airmile_types::{Direction, Duration, Instant};

use super::aggregation::TtiAggregation;
use super::ms::Ms;

/// Which blocks are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtiScope {
    /// Whose.
    pub user: User,
    /// Which way.
    pub direction: Direction,
    /// One carrier alone; `None`: all of them together, as methods G2 wants it.
    pub carrier: Option<u8>,
}

impl TtiScope {
    /// All carriers of a user, downlink.
    pub const fn downlink(user: User) -> Self {
        Self { user, direction: Direction::Downlink, carrier: None }
    }

    /// All carriers of a user, uplink.
    pub const fn uplink(user: User) -> Self {
        Self { user, direction: Direction::Uplink, carrier: None }
    }

    /// Whether a block belongs to it.
    pub fn holds(&self, tti: &Tti) -> bool {
        tti.user == self.user
            && tti.direction == self.direction
            && tti.is_user_data()
            && self.carrier.is_none_or(|carrier| carrier == tti.carrier)
    }
}

/// Gathers the blocks of a scope to milliseconds, while a log is being read or afterwards.
#[derive(Clone, Debug)]
pub struct Milliseconds {
    scope: TtiScope,
    reorder_ms: i64,
    /// What subframes of the present cell have to be shifted by.
    shift: i64,
    cell: Option<u16>,
    pending: BTreeMap<i64, TtiAggregation>,
    /// The newest millisecond seen, and its time.
    newest: Option<(i64, Instant)>,
    /// The last millisecond that was given out.
    given: i64,
    gap: bool,
    late: u64,
}

/// Longest disorder of the blocks of a whole log: one wrap of the subframe numbers, beyond which
/// the order itself could not have been told.
const WRAP_MS: i64 = 10_240;

/// Subframes and times that step by the same, within this, are one cell's or two cells' in phase:
/// log times are later than the air by up to 54 ms in 95 of 100 packets, while the phases of two
/// cells may be anything (seen: 695 ms).
const PHASE_MS: i64 = 100;

/// All scheduled milliseconds of a log, in order. `total` gives the PRBs of a carrier's cell at a
/// time where the record itself has none.
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
    /// Waits up to `reorder_ms` for blocks that are logged out of order.
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

    /// Takes a block, and appends the milliseconds that are complete.
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

    /// The log has come to this time without a block: appends what no longer waits for others,
    /// and says up to which millisecond nothing more was scheduled. For streams, in which the next
    /// block may be long in coming.
    pub fn passed(&mut self, time: Instant, out: &mut Vec<Ms>) -> Option<i64> {
        let (newest, at) = self.newest?;
        let silent_ms = milliseconds_of(time - at).saturating_sub(self.reorder_ms);
        let until = newest.saturating_add(silent_ms);
        self.give(until.saturating_add(1), out);
        Some(until)
    }

    /// Drops what waits from a block's millisecond on: another message tells it better.
    pub fn withdraw(&mut self, tti: &Tti) {
        self.pending.split_off(&tti.tti.saturating_add(self.shift));
    }

    /// Records are missing here: another log begins, or logging was off.
    pub fn gap(&mut self, out: &mut Vec<Ms>) {
        self.give(i64::MAX, out);
        self.gap = self.newest.is_some();
    }

    /// Appends the milliseconds that still wait.
    pub fn finish(mut self, out: &mut Vec<Ms>) {
        self.give(i64::MAX, out);
    }

    /// Blocks that came after their millisecond was given out, and were left out.
    pub const fn late(&self) -> u64 {
        self.late
    }

    /// Each cell numbers its frames by itself: where the primary one changes, the axis goes on by
    /// the time of the log.
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

    /// Where a block lies on the axis.
    fn place(&mut self, tti: &Tti, out: &mut Vec<Ms>) -> i64 {
        let at = tti.tti.saturating_add(self.shift);
        let back = self.newest.is_some_and(|(newest, _)| newest.saturating_sub(at) > WRAP_MS);
        if back {
            self.gap(out);
        }
        // Nothing of another log is put in order with this one.
        if self.gap && self.pending.is_empty() { self.rephase(tti) } else { at }
    }

    /// Shifts the axis so that this block follows the newest one by as much as by the log's time;
    /// at least by a millisecond, for the clock may have stepped back.
    fn rephase(&mut self, tti: &Tti) -> i64 {
        let Some((newest, time)) = self.newest else { return tti.tti };
        let at = newest.saturating_add(milliseconds_of(tti.time - time).max(1));
        self.shift = at.saturating_sub(tti.tti);
        at
    }

    /// Gives out what lies before `until`, for which no more blocks are waited.
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
