//! The times of a log, without those of blocks that do not belong there.

use airmile_types::{Duration, Instant};

/// How far a log goes on at once. A time further ahead is believed when another one follows it.
const LEAP: Duration = Duration::from_secs(10);

/// The earliest and the latest of some times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times(Option<(Instant, Instant)>);

impl Times {
    /// The earliest and the latest time; `None` without a time.
    pub const fn ends(self) -> Option<(Instant, Instant)> {
        self.0
    }

    /// Adds a time.
    pub(super) fn saw(&mut self, time: Instant) {
        self.add(Self(Some((time, time))));
    }

    /// Adds the times of others.
    pub(super) fn add(&mut self, other: Self) {
        let both = self.0.into_iter().chain(other.0);
        self.0 = both.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
    }
}

/// How far a log that is being written has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogTime {
    newest: Option<Instant>,
    /// A time far ahead, or the first one, that nothing has confirmed.
    leap: Option<Instant>,
}

impl LogTime {
    /// The newest time; before one is confirmed, the only one.
    pub fn newest(&self) -> Option<Instant> {
        self.newest.or(self.leap)
    }

    /// Notes the time of a block that was placed.
    pub fn placed(&mut self, time: Instant) {
        self.newest = self.newest.max(Some(time));
    }

    /// Notes the latest time of a message.
    pub fn heard(&mut self, time: Instant) {
        let follows = |before: Instant| time > before && time - before <= LEAP;
        if self.newest.is_some_and(|newest| time <= newest) {
            return;
        }
        if self.newest.is_some_and(follows) || self.leap.is_some_and(follows) {
            self.newest = Some(time);
            self.leap = None;
        } else {
            self.leap = Some(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(s: i64) -> Instant {
        Instant::from_nanos(s * 1_000_000_000)
    }

    fn newest(times: &[i64]) -> Option<i64> {
        let mut log = LogTime::default();
        times.iter().for_each(|s| log.heard(at(*s)));
        log.newest().map(|time| time.as_nanos() / 1_000_000_000)
    }

    #[test]
    fn one_time_a_day_ahead_does_not_move_the_log() {
        let day = 86_400;
        assert_eq!(newest(&[]), None);
        assert_eq!(newest(&[5]), Some(5));
        assert_eq!(newest(&[5, 6, day]), Some(6));
        assert_eq!(newest(&[5, 6, day, day + 1]), Some(day + 1));
        assert_eq!(newest(&[5, 6, day, 7]), Some(7));
    }

    #[test]
    fn a_block_that_was_placed_needs_no_other() {
        let mut log = LogTime::default();
        log.heard(at(86_400));
        log.placed(at(3));
        assert_eq!(log.newest(), Some(at(3)));
    }
}
