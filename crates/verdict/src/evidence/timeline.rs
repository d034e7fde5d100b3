//! Keeps evidence on an axis of milliseconds: one bit for each millisecond, 100 bits to a bin.
//!
//! The share of 100 ms with a state decides where a mean would not (methods T7). With bits, the
//! union of spans is an OR, and the length of a span is a count of bits.

use airmile_types::{Duration, Instant};

use super::bits::{Bits, HORIZON_BINS, Mask};

/// The length of a bin; slices begin at UTC multiples of it (methods T2).
pub(crate) const BIN: Duration = Duration::from_millis(100);
const MILLISECOND: Duration = Duration::from_millis(1);

/// A set of milliseconds in the recent bins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    /// The newest span, to the nanosecond, so that no packet costs a division. Most new spans
    /// continue where this one ended and extend it. The span becomes bits when another begins.
    open: (Instant, Instant),
    /// The spans before the newest; most timelines never hold two.
    older: Option<Box<Bits>>,
}

airmile_types::held!(Timeline { older });

const _: () = assert!(size_of::<Timeline>() <= 24, "a flow holds nineteen");

impl Timeline {
    /// Adds the milliseconds of `[from, to)`; milliseconds further back than the horizon are
    /// dropped.
    #[inline]
    pub(crate) fn mark(&mut self, from: Instant, to: Instant) {
        if self.open.0 <= from && from <= self.open.1 {
            self.open.1 = self.open.1.max(to);
        } else if from < to {
            self.mark_apart(from, to);
        }
    }

    /// Adds a span that does not begin within the newest span, but may begin in the same
    /// millisecond.
    #[inline(never)]
    fn mark_apart(&mut self, from: Instant, to: Instant) {
        if is_before_in_millisecond(to, from) {
            return;
        }
        if self.touches_open(from) {
            self.open.1 = self.open.1.max(to);
        } else {
            self.commit();
            self.open = (from, to);
        }
    }

    /// Whether the millisecond of an instant belongs to the newest span or to its end. Most
    /// instants lie so far from the span that no division is needed.
    fn touches_open(&self, at: Instant) -> bool {
        let (open, until) = self.open;
        if at - until >= MILLISECOND || open - at >= MILLISECOND {
            return false;
        }
        (millisecond(open)..=millisecond(until)).contains(&millisecond(at))
    }

    fn commit(&mut self) {
        let (from_ms, to_ms) = (millisecond(self.open.0), millisecond(self.open.1));
        if from_ms >= to_ms {
            return;
        }
        let last_bin = (to_ms - 1).div_euclid(100);
        let first_bin = from_ms.div_euclid(100).max(last_bin - HORIZON_BINS);
        let older = self.older.get_or_insert_default();
        for bin in first_bin..=last_bin {
            older.add(bin, part(bin, from_ms, to_ms));
        }
    }

    /// The milliseconds of one bin.
    pub(crate) fn at(&self, bin: i64) -> Mask {
        let mask = self.older.as_ref().map_or(0, |older| older.at(bin));
        mask | if self.is_open_in(bin) { window(bin, self.open.0, self.open.1) } else { 0 }
    }

    /// Whether the newest span lies in a bin. Most timelines are empty, and the bins to be judged
    /// lie seconds before the newest span.
    fn is_open_in(&self, bin: i64) -> bool {
        let (from, to) = self.open;
        from < to && (begin_of(bin) < to && from < begin_of(bin + 1))
    }

    /// The number of milliseconds in `[from, to)` that are set, in the bins that are still kept.
    #[cfg(test)]
    pub(crate) fn count(&self, from: Instant, to: Instant) -> u32 {
        (from.bin(BIN)..=to.bin(BIN))
            .map(|bin| (self.at(bin) & window(bin, from, to)).count_ones())
            .sum()
    }
}

/// The number of the millisecond that contains an instant.
const fn millisecond(at: Instant) -> i64 {
    at.bin(MILLISECOND)
}

/// Whether an instant lies in the same millisecond as another, or in an earlier one.
#[inline]
fn is_before_in_millisecond(at: Instant, other: Instant) -> bool {
    at - other < MILLISECOND && millisecond(at) <= millisecond(other)
}

/// The time at which a bin begins.
#[inline]
pub(crate) const fn begin_of(bin: i64) -> Instant {
    Instant::from_nanos(bin.saturating_mul(BIN.as_nanos()))
}

/// The milliseconds of `bin` that lie in `[from, to)`.
pub(crate) fn window(bin: i64, from: Instant, to: Instant) -> Mask {
    let begin = begin_of(bin);
    let milliseconds = |at: Instant| match (at - begin).as_nanos() {
        ..0 => 0,
        within if within < BIN.as_nanos() => (within / MILLISECOND.as_nanos()) as usize,
        _ => 100,
    };
    bits(milliseconds(from), milliseconds(to))
}

/// The milliseconds of `bin` that lie in a span of milliseconds.
fn part(bin: i64, from_ms: i64, to_ms: i64) -> Mask {
    let base = bin.saturating_mul(100);
    let within = |ms: i64| ms.saturating_sub(base).clamp(0, 100) as usize;
    bits(within(from_ms), within(to_ms))
}

/// For each position in a bin, the milliseconds before it. The masks are looked up, because shifts
/// of 128 bits take many steps.
const BEFORE: [Mask; 101] = {
    let mut before = [0; 101];
    let mut ms = 1;
    while ms <= 100 {
        before[ms] = before[ms - 1] << 1 | 1;
        ms += 1;
    }
    before
};

/// The milliseconds of `[low, high)`.
fn bits(low: usize, high: usize) -> Mask {
    match (BEFORE.get(low), BEFORE.get(high)) {
        (Some(low), Some(high)) => high & !low,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(1_700_000_000_000_000_000 + ms * MILLISECOND.as_nanos())
    }

    proptest! {
        #[test]
        fn a_union_of_spans_is_a_set_of_milliseconds(
            spans in prop::collection::vec((0i64..3000, 0i64..400), 1..40),
            (from, length) in (0i64..3000, 0i64..500),
        ) {
            let mut timeline = Timeline::default();
            let mut naive = BTreeSet::new();
            for (start, length) in spans {
                timeline.mark(at(start), at(start + length));
                naive.extend(start..start + length);
            }
            let expected = naive.range(from..from + length).count() as u32;
            prop_assert_eq!(timeline.count(at(from), at(from + length)), expected);
        }

        #[test]
        fn any_clock_is_bounded(instants in prop::collection::vec((any::<i64>(), any::<i64>()), 1..50)) {
            let mut timeline = Timeline::default();
            for (from, to) in instants {
                timeline.mark(Instant::from_nanos(from), Instant::from_nanos(to));
                let runs = timeline.older.as_ref().map_or(0, |older| older.runs());
                prop_assert!(runs <= 2 * HORIZON_BINS as usize);
            }
        }
    }
}
