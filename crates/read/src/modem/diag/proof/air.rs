//! Keeps what messages report about each subframe, so that other messages can be compared with it.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use super::check::{Check, Layout, Outcome};
use crate::modem::record::User;

/// The number of subframes in 1024 frames, after which the count starts again.
pub(super) const WRAP: u32 = 10_240;
/// Half of the time in which the count wraps around; an older report is about another subframe with
/// the same number.
const FRESH: Duration = Duration::from_secs(5);
/// The greatest number of subscriptions: phones have two or three, but a damaged log could contain
/// any number.
const MOST_USERS: usize = 4;
/// The greatest number of blocks in one subframe: several carriers with two blocks each.
const MOST_BLOCKS: usize = 8;

/// The PRBs of a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    /// The first PRB.
    pub(crate) start: u8,
    /// The number of PRBs.
    pub(crate) prbs: u8,
}

/// A report of one message about a subframe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said<T> {
    time: Instant,
    /// The layout of the message that made the report, and whether that layout was proved then.
    pub(super) by: Layout,
    pub(super) sure: bool,
    pub(super) what: T,
}

/// The last report about each subframe, by user.
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

/// The blocks of a subframe: their bytes, if they are known, and their PRBs.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks(pub(super) Vec<(Option<u32>, u16)>);

/// The bytes granted, by the blocks of the MAC layer and by the modem's counter.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    blocks: Option<(Layout, u64)>,
    counter: Option<(Layout, u64)>,
    /// The largest step of the counter: the greatest number of bytes that one window at an end of
    /// the log may contain.
    step: u64,
}

/// All reports of a log.
#[derive(Debug, Default)]
pub(super) struct Air {
    pub(super) down: Ring<Blocks>,
    pub(super) up: Ring<u32>,
    pub(super) grants: Ring<Grant>,
    counted: Counted,
}

impl Air {
    /// Adds a downlink block; a subframe may have several.
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

    /// Adds the granted bytes of a block of the MAC layer.
    pub(super) fn granted(&mut self, by: Layout, bytes: u64) {
        let sum = self.counted.blocks.map_or(0, |(_, sum)| sum);
        self.counted.blocks = Some((by, sum.saturating_add(bytes)));
    }

    /// Adds the bytes that the modem counted in a window.
    pub(super) fn counted(&mut self, by: Layout, bytes: u64) {
        let sum = self.counted.counter.map_or(0, |(_, sum)| sum);
        self.counted.counter = Some((by, sum.saturating_add(bytes)));
        self.counted.step = self.counted.step.max(bytes);
    }

    /// Checks whether both sums agree to within 2 % and one window at each end.
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
