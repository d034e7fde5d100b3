//! Adds up the time of a transfer by cause, for the shares in its row.

use airmile_types::{Cause, Duration, Second};

use crate::rule::{HowSure, how_sure};

/// The time of each cause with its other possible causes; empty until the first slice of the
/// transfer has been written.
#[derive(Clone, Debug, Default)]
pub(crate) struct CauseTimes(Option<Box<Times>>);

/// The times in the order in which their causes came.
#[derive(Clone, Debug, Default)]
struct Times {
    named: Vec<Named>,
}

airmile_types::held!(CauseTimes { 0 } Times { named });

#[derive(Clone, Copy, Debug)]
struct Named {
    cause: Cause,
    second: Option<Second>,
    ns: i64,
}

impl CauseTimes {
    pub(crate) fn add(&mut self, cause: Cause, second: Option<Second>, length: Duration) {
        self.add_ns(Named { cause, second, ns: length.as_nanos() });
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for more in other.named() {
            self.add_ns(*more);
        }
    }

    fn add_ns(&mut self, more: Named) {
        let same = |own: &&mut Named| (own.cause, own.second) == (more.cause, more.second);
        let named = &mut self.0.get_or_insert_default().named;
        match named.iter_mut().find(same) {
            Some(own) => own.ns = own.ns.saturating_add(more.ns),
            None => named.push(more),
        }
    }

    /// The share of one cause; `None` when there is no time at all.
    pub(crate) fn ratio(&self, cause: Cause) -> Option<f64> {
        let total = self.sum(|_| true);
        (total > 0).then(|| self.sum(|own| own == cause) as f64 / total as f64)
    }

    /// A sum is wider than its parts, because two of them may last centuries each when the clock
    /// is wrong.
    fn sum(&self, of: impl Fn(Cause) -> bool) -> i128 {
        self.named().iter().filter(|own| of(own.cause)).map(|own| i128::from(own.ns)).sum()
    }

    /// The cause with the largest share, and how sure it is; `None` when there is no time.
    pub(crate) fn how_sure(&self) -> Option<HowSure> {
        let times: Vec<_> =
            self.named().iter().map(|own| (own.cause, own.second, own.ns.into())).collect();
        how_sure(&times)
    }

    fn named(&self) -> &[Named] {
        self.0.as_ref().map_or(&[], |times| &times.named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_centuries_add_up_to_one() {
        let mut shares = CauseTimes::default();
        for cause in [Cause::UpstreamPath, Cause::SenderApp, Cause::Idle] {
            shares.add(cause, None, Duration::from_nanos(i64::MAX));
        }
        let sum: f64 = Cause::ALL.iter().filter_map(|cause| shares.ratio(*cause)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }

    #[test]
    fn slices_with_and_without_another_possibility_count_for_one_cause() {
        let mut shares = CauseTimes::default();
        shares.add(Cause::SenderApp, None, Duration::from_millis(1));
        shares.add(Cause::SenderApp, Some(Second::LteDownlink), Duration::from_millis(3));
        assert_eq!((shares.ratio(Cause::SenderApp), shares.named().len()), (Some(1.0), 2));
    }
}
