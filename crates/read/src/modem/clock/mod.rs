//! Converts system frame numbers, which wrap around every 10.24 s, to milliseconds that do not.
//!
//! A log packet contains the time at which it was logged, and the subframes that it describes. It
//! is logged after them: most packets at once, some up to 300 ms later, when a buffer is flushed.
//! Therefore the smallest difference of log time and subframe shows when subframes were on the air
//! ([`phase`]), and in which wrap of the count. Each cell counts its own frames, so that the count
//! steps at a change of the cell, and its [`phase`] too; the unwrapped numbers continue by the
//! clock. While a log is read, only the packets so far are known; [`trace`] corrects the times at
//! its beginning afterwards.

mod phase;
mod trace;

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use self::phase::{Fit, Phase, Quality, ms};
use self::trace::Trace;
use super::record::{Subframe, User};

/// The greatest number of subscriptions: phones have two or three, but a damaged log could contain
/// any number.
const MOST_USERS: usize = 16;
/// If the log's clock steps back by more than this, the clock was set, because a log is in the
/// order of time. In none of 17 logs does the clock step back within the record of one phone.
const SET_BACK: Duration = Duration::from_secs(1);
/// If the log's clock steps ahead by more than this, the clock was set. A clock begins in 1980,
/// until the network gives it the time.
const SET_ON: Duration = Duration::from_secs(365 * 86_400);

/// If the log's clock steps ahead by more than this, one damaged packet may be the reason.
const LEAP: Duration = Duration::from_secs(60);
/// If the log returns to the time before a leap within this many packets, those packets were damaged.
const DAMAGED: u32 = 20;

/// The number of a subframe, and the time at which it was on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aired {
    /// The unwrapped number of the subframe.
    pub(crate) tti: i64,
    /// The time of the subframe, by the modem's clock.
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

    /// Whether a packet about a subframe (0 to 10,239) is as late as packets usually are; `None`
    /// while nothing is known of the subscription. The clock does not change.
    pub(crate) fn usual(&self, user: User, logged: Instant, subframe: i64) -> Option<bool> {
        let clock = self.0.get(&user)?;
        clock.phases.iter().flatten().next()?;
        let fit = clock.best(logged, subframe);
        Some(fit.is_some_and(|(_, fit)| fit.quality == Quality::Usual))
    }

    /// The time at which a subframe was on the air, for a packet that was held back while others
    /// were read. The clock learns from the packet only if it is the newest one.
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

    /// Corrects the times of records with the packets that were read after them.
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
    /// The phase of the cell, and that of the cell before it, because packets about the old cell
    /// may come after those about the new one. Impossible numbers replace neither of them for long.
    phases: [Option<Phase>; 2],
    last_logged: Option<Instant>,
    last_tti: i64,
    trace: Trace,
    before: Option<Before>,
}

/// A clock as it was before the time of the log leapt.
struct Before {
    phases: [Option<Phase>; 2],
    last_logged: Instant,
    last_tti: i64,
    /// The time of the newest packet since the leap, and the number of packets.
    newest: Instant,
    packets: u32,
}

impl Clock {
    /// The time at which a subframe (0 to 10,239) was on the air, for a packet logged at `logged`.
    pub(crate) fn aired(&mut self, logged: Instant, subframe: i64) -> Aired {
        self.return_from_leap(logged);
        let last = *self.last_logged.get_or_insert(logged);
        if leaps(last, logged) {
            self.leap(last, logged);
        }
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

    /// Keeps the clock as it is before a leap. A second damaged packet may leap from the first; the
    /// log returns to the time before both.
    fn leap(&mut self, last_logged: Instant, newest: Instant) {
        let (phases, last_tti) = (&self.phases, self.last_tti);
        self.before.get_or_insert_with(|| Before {
            phases: phases.clone(),
            last_logged,
            last_tti,
            newest,
            packets: 1,
        });
    }

    /// Forgets the packets since a leap if the log returns to the time before it.
    fn return_from_leap(&mut self, logged: Instant) {
        let Some(before) = &mut self.before else { return };
        if !leaps(before.last_logged, logged) && leaps(before.newest, logged) {
            self.phases = before.phases.clone();
            (self.last_logged, self.last_tti) = (Some(before.last_logged), before.last_tti);
            self.before = None;
        } else if before.newest != logged {
            (before.newest, before.packets) = (logged, before.packets + 1);
            if before.packets > DAMAGED {
                self.before = None;
            }
        }
    }

    /// The phase that fits a subframe best.
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
        // No subframe is logged before it is on the air.
        Aired { tti: fit.tti, time: phase.time(fit.tti).min(logged) }
    }

    /// Begins a new phase, whose numbers continue the previous ones by the clock.
    fn begin(&mut self, logged: Instant, subframe: i64) -> Aired {
        let newest = self.phases.iter().flatten().max_by_key(|phase| phase.last_logged());
        let tti = newest.map_or(subframe, |phase| phase.tti_at(logged));
        let phase = Phase::new(logged, tti, tti - subframe, self.trace.segment());
        self.trace.saw(phase.segment(), tti, phase.zero());
        let time = phase.time(tti);
        self.add(phase);
        Aired { tti, time }
    }

    /// Replaces the phase that has not been used for the longest time.
    fn add(&mut self, phase: Phase) {
        let longest = |slot: &&mut Option<Phase>| slot.as_ref().map(Phase::last_logged);
        if let Some(slot) = self.phases.iter_mut().min_by_key(longest) {
            *slot = Some(phase);
        }
    }

    /// The phase after the clock was set. The cell continues to count, so the subframe is the next
    /// one with this number.
    fn set(&mut self, logged: Instant, subframe: i64) -> Option<Phase> {
        let newest = self.phases.iter().flatten().max_by_key(|phase| phase.last_logged())?;
        let shift = newest.shift();
        let tti = phase::next(self.last_tti, subframe + shift);
        Some(Phase::new(logged, tti, shift, self.trace.segment()))
    }
}

/// Whether a packet is so far from the one before that its time may be damaged.
fn leaps(before: Instant, logged: Instant) -> bool {
    logged < before - SET_BACK || logged > before + LEAP
}

#[cfg(test)]
mod tests;
