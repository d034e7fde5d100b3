//! Keeps the least wait of the packets in a short stretch of time.

use airmile_types::{Duration, Instant};

/// The packets of one stretch: when the first and the last passed, and the least wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// When the stretch begins; stretches follow each other since the epoch. Most packets belong to
    /// the newest one, and find it without a division.
    pub(super) begin: Instant,
    pub(super) first: Instant,
    pub(super) last: Instant,
    pub(super) least: Duration,
}

impl Stretch {
    /// A stretch with one packet.
    pub(super) const fn new(at: Instant, wait: Duration, length: Duration) -> Self {
        Self { begin: start_of(at, length), first: at, last: at, least: wait }
    }

    /// Whether an instant lies in this stretch, which has this length.
    #[inline]
    pub(super) fn holds(&self, at: Instant, length: Duration) -> bool {
        (Duration::ZERO..length).contains(&(at - self.begin))
    }

    /// Takes another packet of the stretch.
    pub(super) fn take(&mut self, at: Instant, wait: Duration) {
        if self.last < at {
            self.last = at;
        } else {
            self.first = self.first.min(at);
        }
        if wait < self.least {
            self.least = wait;
        }
    }
}

/// When the stretch of this length begins in which an instant lies.
const fn start_of(at: Instant, length: Duration) -> Instant {
    Instant::from_nanos(at.bin(length).saturating_mul(length.as_nanos()))
}
