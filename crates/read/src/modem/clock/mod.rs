//! From system frame numbers, which wrap every 10.24 s, to milliseconds that do not.
//!
//! A log packet says when it was logged and which subframes it is about. It is logged after them:
//! most packets at once, some up to 300 ms later, when a buffer is flushed. So the smallest
//! difference of log time and subframe shows when subframes were on the air ([`phase`]), and which
//! wrap of the count it is. Each cell counts its own frames: at a change of cell the count steps,
//! and so does its [`phase`]; unwrapped numbers go on by the clock. While a log is read only what
//! was seen so far is known; [`trace`] corrects the times of its beginning.

mod phase;
mod trace;

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use self::phase::{Fit, Phase, Quality, ms};
use self::trace::Trace;
use super::record::{Subframe, User};

/// Phones have two or three subscriptions; a damaged log could name any number.
const MOST_USERS: usize = 16;
/// A log is in the order of time: where its clock steps back, it was set. None of 17 logs does so
/// within the record of one phone.
const SET_BACK: Duration = Duration::from_secs(1);
/// A clock that steps ahead by years was set: it begins in 1980, until the network gives it the
/// time.
const SET_ON: Duration = Duration::from_secs(365 * 86_400);

/// The time at which a subframe was on the air, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aired {
    /// Its unwrapped number.
    pub(crate) tti: i64,
    /// Its time, by the modem's clock.
    pub(crate) time: Instant,
}

/// A clock for each subscription.
#[derive(Default)]
pub(crate) struct Clocks(BTreeMap<User, Clock>);

impl Clocks {
    /// The clock of a subscription.
    pub(crate) fn of(&mut self, user: User) -> &mut Clock {
        if self.0.len() >= MOST_USERS && !self.0.contains_key(&user) {
            self.0.pop_last();
        }
        self.0.entry(user).or_default()
    }

    /// Whether a subframe (0 to 10,239) is as late as packets usually are; `None` while nothing is
    /// known of the subscription. The clock does not learn from it.
    pub(crate) fn usual(&self, user: User, logged: Instant, subframe: i64) -> Option<bool> {
        let clock = self.0.get(&user)?;
        clock.phases.iter().flatten().next()?;
        let fit = clock.best(logged, subframe);
        Some(fit.is_some_and(|(_, fit)| fit.quality == Quality::Usual))
    }

    /// The time at which a subframe was on the air, for a packet that was held back while others
    /// were read. The clock learns from it only where it is the newest packet.
    pub(crate) fn held_back(
        &mut self,
        user: User,
        logged: Instant,
        subframe: i64,
    ) -> Option<Aired> {
        let clock = self.of(user);
        if clock.last_logged.is_none_or(|last| logged >= last) {
            return Some(clock.aired(logged, subframe));
        }
        let (at, fit) = clock.best(logged, subframe)?;
        let time = clock.phases.get(at)?.as_ref()?.time(fit.tti);
        Some(Aired { tti: fit.tti, time: time.min(logged) })
    }

    /// Corrects times by all that was read since.
    pub(crate) fn refine(&self, records: &mut dyn Iterator<Item = Subframe<'_>>) {
        let whole: BTreeMap<User, _> =
            self.0.iter().map(|(user, clock)| (*user, clock.trace.whole())).collect();
        for record in records {
            let trace = whole.get(&record.user);
            if let Some(better) = trace.and_then(|trace| trace.time(record.tti, *record.time)) {
                *record.time = better;
            }
        }
    }
}

/// The clock of a subscription.
#[derive(Default)]
pub(crate) struct Clock {
    /// The phase of the cell, and that of the cell before it: packets about the old cell may come
    /// after those about the new one. Impossible numbers replace neither for long.
    phases: [Option<Phase>; 2],
    last_logged: Option<Instant>,
    last_tti: i64,
    trace: Trace,
}

impl Clock {
    /// The time at which a subframe (0 to 10,239) was on the air according to a packet that was
    /// logged at `logged`.
    pub(crate) fn aired(&mut self, logged: Instant, subframe: i64) -> Aired {
        let last = *self.last_logged.get_or_insert(logged);
        if logged < last - SET_BACK || logged > last + SET_ON {
            self.phases = [self.set(logged, subframe), None];
            self.last_logged = Some(logged);
        }
        self.last_logged = self.last_logged.max(Some(logged));
        let fit = match self.best(logged, subframe) {
            Some((at, fit)) => self.follow(at, fit, logged),
            None => self.begin(logged, subframe),
        };
        self.last_tti = self.last_tti.max(fit.tti);
        fit
    }

    /// The phase that explains a subframe best.
    fn best(&self, logged: Instant, subframe: i64) -> Option<(usize, Fit)> {
        let fits = self.phases.iter().enumerate().filter_map(|(at, phase)| {
            let phase = phase.as_ref()?;
            Some((at, phase.fit(logged, subframe)?, phase.packets()))
        });
        let best = fits.min_by_key(|(_, fit, packets)| (fit.quality, std::cmp::Reverse(*packets)));
        best.map(|(at, fit, _)| (at, fit))
    }

    fn follow(&mut self, at: usize, fit: Fit, logged: Instant) -> Aired {
        let Some(Some(phase)) = self.phases.get_mut(at) else {
            return Aired { tti: fit.tti, time: logged };
        };
        phase.saw(logged, fit.tti);
        let zero = phase.zero().max(logged - ms(fit.tti));
        self.trace.saw(phase.segment(), fit.tti, zero);
        // Nothing is logged before it is on the air.
        Aired { tti: fit.tti, time: phase.time(fit.tti).min(logged) }
    }

    /// A new phase, whose numbers continue those before by the clock.
    fn begin(&mut self, logged: Instant, subframe: i64) -> Aired {
        let newest = self.phases.iter().flatten().max_by_key(|phase| phase.last_logged());
        let tti = newest.map_or(subframe, |phase| phase.tti_at(logged));
        let phase = Phase::new(logged, tti, tti - subframe, self.trace.segment());
        self.trace.saw(phase.segment(), tti, phase.zero());
        let time = phase.time(tti);
        self.add(phase);
        Aired { tti, time }
    }

    /// Replaces the phase that was not used for longest.
    fn add(&mut self, phase: Phase) {
        let longest = |slot: &&mut Option<Phase>| slot.as_ref().map(Phase::last_logged);
        if let Some(slot) = self.phases.iter_mut().min_by_key(longest) {
            *slot = Some(phase);
        }
    }

    /// The phase after the clock was set: the cell counts on, so that it is the next subframe of
    /// that number.
    fn set(&mut self, logged: Instant, subframe: i64) -> Option<Phase> {
        let newest = self.phases.iter().flatten().max_by_key(|phase| phase.last_logged())?;
        let shift = newest.shift();
        let tti = phase::next(self.last_tti, subframe + shift);
        Some(Phase::new(logged, tti, shift, self.trace.segment()))
    }
}

#[cfg(test)]
mod tests;
