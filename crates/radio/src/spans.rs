//! Provides sets of time spans, and byte counts over time.

use airmile_types::Instant;

/// Time spans in ascending order that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeSpans(Vec<(Instant, Instant)>);

impl TimeSpans {
    /// The union of these spans, which may be in any order and may overlap.
    pub fn union(mut spans: Vec<(Instant, Instant)>) -> Self {
        spans.retain(|(from, to)| from < to);
        spans.sort_unstable();
        let mut joined: Vec<(Instant, Instant)> = Vec::with_capacity(spans.len());
        for (from, to) in spans {
            match joined.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => joined.push((from, to)),
            }
        }
        Self(joined)
    }

    /// Returns the spans, converted by `clock` to another clock that runs in the same direction.
    #[must_use]
    pub fn mapped(&self, clock: impl Fn(Instant) -> Instant) -> Self {
        Self(self.0.iter().map(|(from, to)| (clock(*from), clock(*to))).collect())
    }

    /// How many milliseconds of `[from, to)` the spans cover.
    pub fn within_ms(&self, from: Instant, to: Instant) -> f64 {
        let parts = self.meeting(from, to).map(|(a, b)| (b.min(to) - a.max(from)).as_millis_f64());
        // `sum()` of an empty list would give -0.
        parts.fold(0.0, |sum, ms| sum + ms)
    }

    /// The spans that overlap `[from, to)`.
    pub fn meeting(&self, from: Instant, to: Instant) -> impl Iterator<Item = (Instant, Instant)> {
        let first = self.0.partition_point(|(_, end)| *end <= from);
        let rest = self.0.get(first..).unwrap_or_default();
        rest.iter().copied().take_while(move |(start, _)| *start < to)
    }
}

/// The cumulative number of bytes over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CumulativeBytes(Vec<(Instant, u64)>);

impl CumulativeBytes {
    /// The cumulative bytes of these packets, which may be in any order.
    pub fn of(mut packets: Vec<(Instant, u64)>) -> Self {
        packets.sort_unstable_by_key(|(time, _)| *time);
        let mut sum = 0u64;
        for (_, bytes) in &mut packets {
            sum = sum.saturating_add(*bytes);
            *bytes = sum;
        }
        Self(packets)
    }

    /// The number of bytes in `[from, to]`.
    pub fn within(&self, from: Instant, to: Instant) -> u64 {
        self.until(|time| time <= to).saturating_sub(self.until(|time| time < from))
    }

    fn until(&self, before: impl Fn(Instant) -> bool) -> u64 {
        let count = self.0.partition_point(|(time, _)| before(*time));
        count.checked_sub(1).and_then(|last| self.0.get(last)).map_or(0, |(_, sum)| *sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(1_700_000_000_000_000_000 + ms * 1_000_000)
    }

    proptest! {
        #[test]
        fn spans_are_sets_of_milliseconds(
            spans in prop::collection::vec((0i64..3000, 0i64..400), 0..40),
            (from, length) in (0i64..3000, 0i64..500),
        ) {
            let naive: BTreeSet<i64> =
                spans.iter().flat_map(|(start, length)| *start..start + length).collect();
            let union =
                TimeSpans::union(spans.iter().map(|(a, b)| (at(*a), at(a + b))).collect());
            let expected = naive.range(from..from + length).count();
            let found = union.within_ms(at(from), at(from + length));
            prop_assert!((found - expected as f64).abs() < 1e-6);
        }

        #[test]
        fn cumulative_bytes_are_sums(
            packets in prop::collection::vec((0i64..1000, 0u64..2000), 0..40),
            (from, length) in (0i64..1000, 0i64..500),
        ) {
            let expected: u64 = packets
                .iter()
                .filter(|(time, _)| (from..=from + length).contains(time))
                .map(|(_, bytes)| bytes)
                .sum();
            let sums = CumulativeBytes::of(packets.iter().map(|(t, b)| (at(*t), *b)).collect());
            prop_assert_eq!(sums.within(at(from), at(from + length)), expected);
        }
    }
}
