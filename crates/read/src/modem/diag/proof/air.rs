//! What messages said of each subframe, for others to be held against.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use super::check::{Check, Layout, Outcome};
use crate::modem::record::User;

/// Subframes of 1024 frames: where the count begins anew.
pub(super) const WRAP: u32 = 10_240;
/// Half of what the count takes to begin anew: older is another subframe.
const FRESH: Duration = Duration::from_secs(5);
/// Phones have two or three subscriptions; a log that lies could name any number.
const MOST_USERS: usize = 4;
/// Blocks of one subframe: several carriers with two each.
const MOST_BLOCKS: usize = 8;

/// PRBs that a grant gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    /// First PRB.
    pub(crate) start: u8,
    /// How many.
    pub(crate) prbs: u8,
}

/// A statement about a subframe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said<T> {
    time: Instant,
    /// What said it, and whether that was proved then.
    pub(super) by: Layout,
    pub(super) sure: bool,
    pub(super) what: T,
}

/// The last statement about each subframe, by user.
#[derive(Debug)]
pub(super) struct Ring<T>(BTreeMap<User, Vec<Option<Said<T>>>>);

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Ring<T> {
    pub(super) fn put(&mut self, user: User, count: u32, said: Said<T>) {
        if let Some(slot) = self.slot(user, count) {
            *slot = Some(said);
        }
    }

    pub(super) fn get(&self, user: User, count: u32, time: Instant) -> Option<&Said<T>> {
        let said = self.0.get(&user)?.get((count % WRAP) as usize)?.as_ref()?;
        ((time - said.time).abs() < FRESH).then_some(said)
    }

    fn slot(&mut self, user: User, count: u32) -> Option<&mut Option<Said<T>>> {
        if self.0.len() >= MOST_USERS && !self.0.contains_key(&user) {
            return None;
        }
        let empty = || std::iter::repeat_with(|| None).take(WRAP as usize).collect();
        self.0.entry(user).or_insert_with(empty).get_mut((count % WRAP) as usize)
    }
}

impl<T> Said<T> {
    pub(super) const fn new(time: Instant, by: Layout, sure: bool, what: T) -> Self {
        Self { time, by, sure, what }
    }
}

/// Blocks of a subframe: bytes, where they are told, and PRBs.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks(pub(super) Vec<(Option<u32>, u16)>);

/// Bytes granted by the MAC layer's blocks and by the modem's counter.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    blocks: Option<(Layout, u64)>,
    counter: Option<(Layout, u64)>,
    /// The largest step of the counter: what one window at an end of the log may hold.
    step: u64,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Air {
    pub(super) down: Ring<Blocks>,
    pub(super) up: Ring<u32>,
    pub(super) grants: Ring<Grant>,
    counted: Counted,
}

impl Air {
    /// A block downlink, one of several perhaps.
    pub(super) fn block(&mut self, user: User, count: u32, said: Said<(Option<u32>, u16)>) {
        let Some(slot) = self.down.slot(user, count) else { return };
        match slot {
            Some(before) if before.by == said.by && (said.time - before.time).abs() < FRESH => {
                before.time = said.time;
                if before.what.0.len() < MOST_BLOCKS {
                    before.what.0.push(said.what);
                }
            }
            _ => *slot = Some(Said::new(said.time, said.by, said.sure, Blocks(vec![said.what]))),
        }
    }

    /// Bytes that blocks of the MAC layer were granted.
    pub(super) fn granted(&mut self, by: Layout, bytes: u64) {
        let sum = self.counted.blocks.map_or(0, |(_, sum)| sum);
        self.counted.blocks = Some((by, sum.saturating_add(bytes)));
    }

    /// Bytes that the modem's counter adds for a window.
    pub(super) fn counted(&mut self, by: Layout, bytes: u64) {
        let sum = self.counted.counter.map_or(0, |(_, sum)| sum);
        self.counted.counter = Some((by, sum.saturating_add(bytes)));
        self.counted.step = self.counted.step.max(bytes);
    }

    /// Whether both sums are one, but for 2 % and a window at each end.
    pub(super) fn counters(&self) -> Vec<Outcome> {
        let Counted { blocks: Some((by, blocks)), counter: Some((too, counter)), step } =
            self.counted
        else {
            return Vec::new();
        };
        let held = blocks.abs_diff(counter) <= (counter / 50).saturating_add(2 * step);
        vec![(by, Check::Counter, held), (too, Check::Counter, held)]
    }
}
