//! Finds a path whose delay has suddenly increased, as after a handover to another route or after a
//! server has moved.
//!
//! On such a path the round trips increase from one sample to the next and then stay close
//! together. The round trips of a queue increase gradually while the queue fills, and spread while
//! it drains and fills. A sender that pauses answers late, but not always by the same amount.

use airmile_types::{Duration, Instant};

/// The length of the intervals whose least sample counts. ACKs of several segments come at once, so
/// single samples would not do.
const STRETCH: Duration = Duration::from_millis(20);
/// The number of intervals with samples that decide: a quarter of a second of a flow that sends all
/// the time.
const STRETCHES: usize = 12;
/// The number of these intervals that may contain only late answers.
const LATE: usize = 2;
/// Samples of one path differ by up to this much, because of the server's scheduler and interrupts.
const SPREAD: Duration = Duration::from_millis(2);

/// The samples since the last one of the old path.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// The number of the newest interval, and the least sample in it.
    stretch: Option<(i64, Duration)>,
    /// The intervals that are longer than the old path; made for the first such interval.
    longer: Option<Box<Longer>>,
}

/// Intervals in which even the least sample is longer than the old path.
#[derive(Clone, Debug, Default)]
struct Longer {
    /// The least samples of the newest intervals, in order.
    least: [Duration; STRETCHES],
    /// The number of intervals that have been longer than the old path.
    count: usize,
}

airmile_types::held!(Step { longer } Longer {});

impl Step {
    /// Takes a sample. Returns the least round trip of the new path once the path has become longer
    /// than `least`.
    pub(super) fn take(
        &mut self,
        sample: Duration,
        now: Instant,
        least: Duration,
    ) -> Option<Duration> {
        let number = now.bin(STRETCH);
        match &mut self.stretch {
            Some((stretch, lowest)) if *stretch == number => {
                *lowest = (*lowest).min(sample);
                None
            }
            stretch => {
                let (_, settled) = stretch.replace((number, sample))?;
                self.settle(settled, least)
            }
        }
    }

    fn settle(&mut self, sample: Duration, old: Duration) -> Option<Duration> {
        let spread = SPREAD.max(old.over(20));
        if sample <= old + spread {
            if let Some(longer) = &mut self.longer {
                longer.count = 0;
            }
            return None;
        }
        self.longer.get_or_insert_default().settle(sample, old, spread)
    }
}

impl Longer {
    #[expect(clippy::cast_possible_truncation, reason = "a quotient of two bounded times")]
    #[expect(clippy::indexing_slicing, reason = "a remainder of the list's length")]
    fn settle(&mut self, sample: Duration, old: Duration, spread: Duration) -> Option<Duration> {
        self.least[self.count % STRETCHES] = sample;
        self.count = self.count.saturating_add(1);
        // Packets on their way during the change used the old path in one direction, for one round
        // trip at most.
        let changing = LATE + (old.as_nanos() / STRETCH.as_nanos()) as usize;
        if !(STRETCHES..=STRETCHES + changing).contains(&self.count) {
            return None;
        }
        let longer = self.least.into_iter().min()?;
        let beside = self.least.iter().filter(|least| **least <= longer + spread).count();
        (beside + LATE >= STRETCHES).then_some(longer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instant at which the increase was found, and the new least, for samples `every` ms
    /// apart.
    fn seen(every: i64, samples: impl Iterator<Item = i64>) -> Option<(i64, i64)> {
        let mut step = Step::default();
        let least = Duration::from_millis(27);
        samples.zip(0..).find_map(|(us, index)| {
            let now = Instant::from_nanos(index * every * 1_000_000);
            let longer = step.take(Duration::from_micros(us), now, least)?;
            Some((index * every, longer.as_nanos() / 1_000_000))
        })
    }

    #[test]
    fn a_longer_path_is_seen_within_a_second() {
        for every in [1, 5, 30, 60] {
            let jitter = |i: i64| 77_000 + i * 7919 % 900;
            let samples = (0..100).map(|_| 27_100).chain((0..60 / every).map(|_| 52_000));
            let samples = samples.chain((0..3000).map(jitter));
            let (at, longer) = seen(every, samples).expect("a step");
            assert!(at - 100 * every <= 1000, "{every}: {at}");
            assert_eq!(longer, 77);
        }
    }

    #[test]
    fn a_queue_that_fills_and_then_stands_is_no_path() {
        let climbing = |i: i64| (27_000 + i * 300).min(77_000);
        assert_eq!(seen(1, (0..5000).map(climbing)), None);
    }

    #[test]
    fn a_queue_that_fills_and_drains_is_no_path() {
        let sawtooth = |i: i64| 40_000 + i % 400 * 100;
        assert_eq!(seen(1, (0..10_000).map(sawtooth)), None);
    }

    #[test]
    fn an_application_that_answers_late_is_no_path() {
        let late = |i: i64| 30_000 + i * 7919 % 200_000;
        assert_eq!(seen(25, (0..1000).map(late)), None);
    }
}
