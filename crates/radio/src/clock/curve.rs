//! Bytes up to a time.

/// A sum that grows in steps, and when.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    times: Vec<i64>,
    /// With the step of that place.
    sums: Vec<u64>,
}

impl Curve {
    /// From steps in any order.
    pub(super) fn of(mut steps: Vec<(i64, u64)>) -> Self {
        steps.sort_unstable_by_key(|(at, _)| *at);
        let mut sum = 0u64;
        let sums = steps.iter().map(|(_, bytes)| {
            sum = sum.saturating_add(*bytes);
            sum
        });
        Self { sums: sums.collect(), times: steps.into_iter().map(|(at, _)| at).collect() }
    }

    /// How many there are.
    pub(super) const fn steps(&self) -> usize {
        self.times.len()
    }

    /// When the step of a place is.
    pub(super) fn time(&self, place: usize) -> i64 {
        self.times.get(place).copied().unwrap_or(i64::MAX)
    }

    /// Before the step of a place.
    pub(super) fn until(&self, place: usize) -> u64 {
        place.checked_sub(1).and_then(|last| self.sums.get(last)).copied().unwrap_or(0)
    }

    /// The first place whose time is `at` or later, and the first that is later.
    pub(super) fn from(&self, at: i64) -> usize {
        self.times.partition_point(|time| *time < at)
    }

    pub(super) fn behind(&self, at: i64) -> usize {
        self.times.partition_point(|time| *time <= at)
    }

    /// The first place from `place` on whose time is later: as [`Self::behind`], where it is near.
    pub(super) fn behind_from(&self, place: usize, at: i64) -> usize {
        let rest = self.times.get(place..).unwrap_or_default();
        place + rest.iter().take_while(|time| **time <= at).count()
    }

    /// Up to and with a time.
    pub(super) fn by(&self, at: i64) -> u64 {
        self.until(self.behind(at))
    }

    /// From a time to another, both counted.
    pub(super) fn within(&self, from: i64, to: i64) -> u64 {
        self.by(to).saturating_sub(self.until(self.from(from)))
    }

    pub(super) fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }
}
