//! From system frame numbers, which wrap every 10.24 s, to milliseconds that do not.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use super::record::User;

/// Subframes of 1024 frames: where the count begins anew.
const WRAP: i64 = 10_240;
/// A log packet may be stamped so much before the subframe that it tells of: 5 ms were seen.
const EARLY_MS: i64 = 20;

/// When a subframe was on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aired {
    /// Its number, unwrapped.
    pub(crate) tti: i64,
    /// By the modem's clock.
    pub(crate) time: Instant,
}

/// A clock for each subscription.
#[derive(Default)]
pub(crate) struct Clocks(BTreeMap<User, Clock>);

impl Clocks {
    /// That of a subscription.
    pub(crate) fn of(&mut self, user: User) -> &mut Clock {
        self.0.entry(user).or_default()
    }
}

/// What is known of a cell's frame count.
#[derive(Default)]
pub(crate) struct Clock {
    /// When subframe 0 was on the air, by the modem's clock.
    phase: Option<Instant>,
}

impl Clock {
    /// When a subframe was on the air that is told of by a packet logged at `logged`.
    pub(crate) fn aired(&mut self, logged: Instant, subframe: i64) -> Aired {
        let ms = |count: i64| Duration::from_millis(count);
        let phase = *self.phase.get_or_insert(logged - ms(subframe));
        let latest = (logged - phase).as_nanos().div_euclid(1_000_000) + EARLY_MS;
        let tti = latest - (latest - subframe).rem_euclid(WRAP);
        let phase = phase.min(logged - ms(tti));
        self.phase = Some(phase);
        Aired { tti, time: phase + ms(tti) }
    }
}
