//! Keeps the least delay of a path that all flows of a subscriber share.

use airmile_types::{Duration, Instant};

/// The least delay. All flows of the subscriber contribute, because a short flow that begins over a
/// standing queue never sees the empty path itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    /// The initial start time, before any packet: no time is after it.
    began: Instant,
    /// The initial least delay, before any packet: no duration is longer.
    current: Duration,
    previous: Duration,
}

impl Default for Base {
    fn default() -> Self {
        Self { began: Instant::MAX, current: Duration::MAX, previous: Duration::MAX }
    }
}

/// How long one step of the least delay lasts. A delay of another flow counts in its own step and
/// the next.
const BASE_LIFE: Duration = Duration::from_secs(60);

impl Base {
    /// Takes a delay of a packet at `now` and returns the least delay known.
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
