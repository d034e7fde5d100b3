//! Adds up the time of a transfer by cause, for the shares in its row.

use airmile_types::{Cause, Duration};

/// The time of each cause; empty until the first slice of the transfer has been written.
#[derive(Clone, Debug, Default)]
pub(crate) struct CauseTimes(Option<Box<[i64; Cause::ALL.len()]>>);

airmile_types::held!(CauseTimes { 0 });

impl CauseTimes {
    pub(crate) fn add(&mut self, cause: Cause, length: Duration) {
        let own = &mut self.0.get_or_insert_default()[cause as usize];
        *own = own.saturating_add(length.as_nanos());
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        let Some(other) = &other.0 else { return };
        for (own, more) in self.0.get_or_insert_default().iter_mut().zip(&**other) {
            *own = own.saturating_add(*more);
        }
    }

    /// The share of one cause; `None` when there is no time at all.
    pub(crate) fn ratio(&self, cause: Cause) -> Option<f64> {
        let total = self.total_ns();
        let own = self.0.as_ref()?[cause as usize];
        (total > 0).then(|| own as f64 / total as f64)
    }

    /// The sum of all times. It is wider than its parts, because two of them may last centuries
    /// each when the clock is wrong.
    fn total_ns(&self) -> i128 {
        self.0.iter().flat_map(|times| &**times).map(|time| i128::from(*time)).sum()
    }

    /// The cause with the largest share; of equal shares, the cause that comes first. `None` when
    /// there is no time.
    pub(crate) fn largest(&self) -> Option<Cause> {
        let times = self.0.as_ref()?;
        let best = Cause::ALL.iter().rev().max_by_key(|cause| times[**cause as usize])?;
        (times[*best as usize] > 0).then_some(*best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_centuries_add_up_to_one() {
        let mut shares = CauseTimes::default();
        for cause in [Cause::UpstreamPath, Cause::SenderApp, Cause::Idle] {
            shares.add(cause, Duration::from_nanos(i64::MAX));
        }
        let sum: f64 = Cause::ALL.iter().filter_map(|cause| shares.ratio(*cause)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }
}
