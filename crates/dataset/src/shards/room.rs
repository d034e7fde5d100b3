//! Keeps the memory of all shards within the budget, between two rounds. So the number of threads
//! changes nothing.

use std::collections::BTreeMap;
use std::ops::Add;
use std::sync::{Mutex, PoisonError};

use airmile_track::Turn;

use super::memory::{Budget, Come, last_to_leave};
use super::shard::Shard;
use super::{Work, lock};
use crate::verdict::Held;

/// Why the sums of the verdict are given up for `--memory`.
const NO_ROOM: &str = "there are more phones, flows and calls than --memory leaves room for";

impl Work {
    /// Limits the memory that all shards use for the sums of the verdict.
    pub(super) fn bound(&self, most_bytes: u64) {
        let held = self.sums_held();
        let reason = held.too_much().or_else(|| (held.bytes() > most_bytes).then_some(NO_ROOM));
        if let Some(reason) = reason {
            for shard in &self.shards {
                lock(shard).tracker.handler().output().give_up(reason);
            }
        }
    }

    /// What has come so far.
    pub(super) fn come(&self) -> Come {
        self.shards.iter().map(|shard| lock(shard).come()).fold(Come::default(), Add::add)
    }

    /// Begins another round of the epoch with this number of packets; returns whether any are left.
    pub(super) fn go_on(&self, packets: usize) -> bool {
        self.epoch.write().unwrap_or_else(PoisonError::into_inner).go_on(packets)
    }

    /// Ends the flows whose last packets are the oldest, if everything together uses too much memory;
    /// `others` is what the rest of the process has that grows with the capture.
    pub(super) fn make_room(&self, budget: &mut Budget, others: u64) {
        let others = others + self.held_beside_flows();
        let flows: u64 = self
            .shards
            .iter()
            .map(|shard| {
                let tracker = &mut lock(shard).tracker;
                tracker.give_back();
                tracker.held_bytes()
            })
            .sum();
        if !budget.is_exceeded(flows + others) {
            return;
        }
        if let Some(last) = self.last_to_leave(budget, others) {
            self.end_until(last);
        }
        for shard in &self.shards {
            lock(shard).tracker.compact();
        }
    }

    fn end_until(&self, last: Turn) {
        let mut output = self.output();
        for shard in &self.shards {
            let tracker = &mut lock(shard).tracker;
            tracker.end_until(last, |engine| {
                output.take(engine.output());
                output.write();
            });
            output.take(tracker.handler().output());
            output.write();
        }
    }

    /// The last flow or phone to end. A list of all would take much memory itself.
    fn last_to_leave(&self, budget: &Budget, others: u64) -> Option<Turn> {
        let mut ages: BTreeMap<u32, u64> = BTreeMap::new();
        for shard in &self.shards {
            for each in lock(shard).tracker.held() {
                *ages.entry(each.turn.stretch).or_default() += each.bytes;
            }
        }
        let (stretch, excess) = budget.last_stretch(&ages, others)?;
        let mut held = Vec::new();
        for shard in &self.shards {
            held.extend(lock(shard).tracker.held().filter(|each| each.turn.stretch == stretch));
        }
        last_to_leave(held, excess)
    }

    /// The memory of rows on their way, of the epoch and of the sums of the verdict.
    fn held_beside_flows(&self) -> u64 {
        let rows =
            |shard: &Mutex<Shard>| lock(shard).tracker.handler().output().held_bytes() as u64;
        let rows: u64 = self.shards.iter().map(rows).sum();
        let epoch = self.epoch.read().unwrap_or_else(PoisonError::into_inner).held_bytes();
        rows + epoch + self.output().held_bytes() + self.sums_held().bytes()
    }

    fn sums_held(&self) -> Held {
        let held = self.shards.iter().map(|shard| lock(shard).tracker.handler().output().held());
        held.fold(Held::default(), Held::add)
    }
}
