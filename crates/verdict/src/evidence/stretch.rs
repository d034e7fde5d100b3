//! Keeps the least wait of the packets in a short stretch of time.

use airmile_types::{Duration, Instant};

/// The packets of one stretch: when the first and the last passed, and the least wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// The number of the stretch, counted since the epoch.
    pub(super) number: i64,
    pub(super) first: Instant,
    pub(super) last: Instant,
    pub(super) least: Duration,
}

impl Stretch {
    /// A stretch with one packet.
    pub(super) const fn new(number: i64, at: Instant, wait: Duration) -> Self {
        Self { number, first: at, last: at, least: wait }
    }

    /// Takes another packet of the stretch.
    pub(super) fn take(&mut self, at: Instant, wait: Duration) {
        (self.first, self.last) = (self.first.min(at), self.last.max(at));
        self.least = self.least.min(wait);
    }
}
