//! Keeps the cumulative number of bytes over time.

/// A number of bytes that grows in steps, and the time of each step in ns.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    times: Vec<i64>,
    /// The number of bytes after each step.
    sums: Vec<u64>,
}

impl Curve {
    /// The curve of these steps, which may be in any order.
    pub(super) fn of(mut steps: Vec<(i64, u64)>) -> Self {
        steps.sort_unstable_by_key(|(at, _)| *at);
        let mut sum = 0u64;
        let sums = steps.iter().map(|(_, bytes)| {
            sum = sum.saturating_add(*bytes);
            sum
        });
        Self { sums: sums.collect(), times: steps.into_iter().map(|(at, _)| at).collect() }
    }

    /// The number of steps.
    pub(super) const fn steps(&self) -> usize {
        self.times.len()
    }

    /// The time of the step at index `place`.
    pub(super) fn time(&self, place: usize) -> i64 {
        self.times.get(place).copied().unwrap_or(i64::MAX)
    }

    /// The number of bytes before the step at index `place`.
    pub(super) fn until(&self, place: usize) -> u64 {
        place.checked_sub(1).and_then(|last| self.sums.get(last)).copied().unwrap_or(0)
    }

    /// The index of the first step at `at` or later. [`Self::behind`] gives the first step later
    /// than `at`.
    pub(super) fn from(&self, at: i64) -> usize {
        self.times.partition_point(|time| *time < at)
    }

    pub(super) fn behind(&self, at: i64) -> usize {
        self.times.partition_point(|time| *time <= at)
    }

    /// The index of the first step from `place` on that is later than `at`. The result equals that
    /// of [`Self::behind`], but is found faster if it is near `place`.
    pub(super) fn behind_from(&self, place: usize, at: i64) -> usize {
        let rest = self.times.get(place..).unwrap_or_default();
        place + rest.iter().take_while(|time| **time <= at).count()
    }

    /// The number of bytes up to and including the time `at`.
    pub(super) fn by(&self, at: i64) -> u64 {
        self.until(self.behind(at))
    }

    /// The sum of the steps from `from` to `to`, both included.
    pub(super) fn within(&self, from: i64, to: i64) -> u64 {
        self.by(to).saturating_sub(self.until(self.from(from)))
    }

    pub(super) fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }
}
