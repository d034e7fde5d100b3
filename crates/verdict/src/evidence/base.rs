//! The least delay of a path that is shared by all flows of a subscriber.

use airmile_types::{Duration, Instant};

/// A short flow that begins over a standing queue never sees the empty path; its sisters have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    /// No time is after it while nothing has begun.
    began: Instant,
    /// The longest duration while nothing is known.
    current: Duration,
    previous: Duration,
}

impl Default for Base {
    fn default() -> Self {
        Self { began: Instant::MAX, current: Duration::MAX, previous: Duration::MAX }
    }
}

/// How long a least delay of another flow is believed: two of these.
const BASE_LIFE: Duration = Duration::from_secs(60);

impl Base {
    /// Takes a delay, and gives the least.
    #[inline]
    pub(super) fn least(&mut self, own: Duration, now: Instant) -> Duration {
        if self.began == Instant::MAX {
            self.began = now;
        }
        if now - self.began > BASE_LIFE {
            (self.previous, self.current) = (self.current, Duration::MAX);
            self.began = now;
        }
        self.current = self.current.min(own);
        self.current.min(self.previous)
    }
}
