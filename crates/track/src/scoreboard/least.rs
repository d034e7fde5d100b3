//! Keeps the least of several durations, of which there may be none yet.

use airmile_types::Duration;

/// The longest duration represents none, because comparing with it costs each packet less than an
/// `Option` does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Least(Duration);

impl Default for Least {
    fn default() -> Self {
        Self(Duration::MAX)
    }
}

impl Least {
    pub(super) const fn of(sample: Duration) -> Self {
        Self(sample)
    }

    #[inline]
    pub(super) fn take(&mut self, sample: Duration) {
        self.0 = self.0.min(sample);
    }

    /// The smaller of both, or the only one that is present.
    #[inline]
    pub(super) fn or_less(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    #[inline]
    pub(super) const fn get(self) -> Option<Duration> {
        if self.is_some() { Some(self.0) } else { None }
    }

    #[inline]
    pub(super) const fn is_some(self) -> bool {
        self.0.as_nanos() < i64::MAX
    }
}
