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
/// The greatest number of reports about one subframe: several carriers with two blocks each.
const MOST_REPORTS: usize = 8;
/// The retransmissions of a downlink block come 8 subframes after the one before or later (TS 36.213
/// section 7.3: the acknowledgement is due after 4), and are at most 8 in all; twice this range.
const RETRANSMITTED_AFTER: std::ops::RangeInclusive<u32> = 8..=128;

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

impl<T> Ring<Vec<T>> {
    /// Adds a report to those that the same layout made about the subframe; a subframe may have
    /// several, on several carriers.
    pub(super) fn add(&mut self, user: User, count: u32, said: Said<T>) {
        let Some(slot) = self.slot(user, count) else { return };
        match slot {
            Some(before) if before.by == said.by && (said.time - before.time).abs() < FRESH => {
                before.time = said.time;
                if before.what.len() < MOST_REPORTS {
                    before.what.push(said.what);
                }
            }
            _ => *slot = Some(Said::new(said.time, said.by, said.sure, vec![said.what])),
        }
    }
}

impl<T> Said<T> {
    pub(super) const fn new(time: Instant, by: Layout, sure: bool, what: T) -> Self {
        Self { time, by, sure, what }
    }
}

/// A downlink block of a subframe: its bytes, if they are known, and its PRBs.
pub(super) type Block = (Option<u32>, u16);

/// How often blocks of the MAC layer agreed with the block that was sent in the subframe of their
/// log, and with the one four subframes later: older modems log the subframe of the grant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Delays([u64; 2]);

impl Delays {
    pub(super) fn agreed(&mut self, at: usize) {
        if let Some(count) = self.0.get_mut(at) {
            *count += 1;
        }
    }

    /// Which of the two this modem logs; `None` while nothing shows it.
    pub(super) const fn usual(&self) -> Option<usize> {
        let [same, later] = self.0;
        if same == later { None } else { Some((later > same) as usize) }
    }
}

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
    pub(super) down: Ring<Vec<Block>>,
    /// The bytes of blocks that were sent; `None` for one that contradicts itself.
    pub(super) up: Ring<Vec<Option<u32>>>,
    pub(super) grants: Ring<Vec<Grant>>,
    pub(super) delays: BTreeMap<Layout, Delays>,
    counted: Counted,
}

impl Air {
    /// Whether a downlink block of this size was on the air so shortly before that this one may be
    /// its retransmission.
    pub(super) fn was_received(&self, user: User, count: u32, time: Instant, bytes: u32) -> bool {
        RETRANSMITTED_AFTER.into_iter().any(|after| {
            let before = self.down.get(user, count + WRAP - after, time);
            before.is_some_and(|said| said.what.iter().any(|(size, _)| *size == Some(bytes)))
        })
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
