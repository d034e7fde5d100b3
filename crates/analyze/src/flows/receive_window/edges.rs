//! Remembers the newest right edges of a window, each with the time at which it passed the capture
//! point.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

/// The number of edges in a short round trip.
const FEW: usize = 16;

/// The right edges of the last round trip to the sender, the lowest first. An edge that is older
/// than a round trip when an ACK passes is forgotten, because the sender knows it. Edges are
/// removed only when one is looked up or when memory would grow; each ACK only moves the limit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edges {
    passed: VecDeque<(Instant, i64)>,
    /// Edges that passed before this time are forgotten, beginning with the first.
    known: Instant,
    /// The latest time and the highest edge so far.
    latest: Instant,
    highest: i64,
}

airmile_types::held!(Edges { passed });

impl Default for Edges {
    fn default() -> Self {
        Self { passed: VecDeque::new(), known: Instant::MIN, latest: Instant::MIN, highest: i64::MIN }
    }
}

impl Edges {
    /// Takes an ACK that passes at `now`, after which the right edge is `edge`.
    #[inline]
    pub(super) fn note(&mut self, now: Instant, edge: i64, loop_time: Duration) {
        let known = now - loop_time;
        if self.latest < known {
            *self = Self { passed: std::mem::take(&mut self.passed), ..Self::default() };
            self.passed.clear();
        } else if self.known < known {
            self.known = known;
        }
        if self.highest < edge {
            self.highest = edge;
            self.push(now, edge);
        }
    }

    /// The time at which the first edge at `wanted` or above passed, among the edges that are not
    /// forgotten.
    pub(super) fn passed_with(&self, wanted: i64) -> Option<Instant> {
        let mut edges = self.passed.iter().skip_while(|(passed, _)| *passed < self.known);
        edges.find(|(_, edge)| wanted <= *edge).map(|(passed, _)| *passed)
    }

    #[inline]
    fn push(&mut self, now: Instant, edge: i64) {
        if self.passed.len() == self.passed.capacity() {
            self.forget();
        }
        self.latest = self.latest.max(now);
        self.passed.push_back((now, edge));
    }

    #[cold]
    fn forget(&mut self) {
        let old = self.passed.iter().take_while(|(passed, _)| *passed < self.known).count();
        self.passed.drain(..old);
        self.passed.reserve(FEW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: each ACK at once forgets all edges older than a round trip.
    #[derive(Default)]
    struct Naive(VecDeque<(Instant, i64)>);

    impl Naive {
        fn note(&mut self, now: Instant, edge: i64, loop_time: Duration) {
            while self.0.front().is_some_and(|(passed, _)| *passed < now - loop_time) {
                self.0.pop_front();
            }
            if self.0.back().is_none_or(|(_, newest)| *newest < edge) {
                self.0.push_back((now, edge));
            }
        }

        fn passed_with(&self, wanted: i64) -> Option<Instant> {
            self.0.iter().find(|(_, edge)| wanted <= *edge).map(|(passed, _)| *passed)
        }
    }

    proptest! {
        /// `Edges` forgets late and must answer as a list that forgets at once, also when clocks
        /// step back and round trips change.
        #[test]
        fn what_is_forgotten_late_is_as_if_it_had_been_at_once(
            acks in prop::collection::vec((-8_i64..20, -3_i64..6, 0_i64..40), 1..200),
        ) {
            let (mut edges, mut naive) = (Edges::default(), Naive::default());
            let (mut now, mut edge) = (Instant::from_nanos(1000), 1);
            for (later, further, loop_time) in acks {
                now = now + Duration::from_nanos(later);
                edge += further;
                edges.note(now, edge, Duration::from_nanos(loop_time));
                naive.note(now, edge, Duration::from_nanos(loop_time));
                for wanted in edge - 12..=edge + 1 {
                    prop_assert_eq!(edges.passed_with(wanted), naive.passed_with(wanted));
                }
            }
        }

        #[test]
        fn memory_is_that_of_a_loop(loop_time in 0_i64..100) {
            let mut edges = Edges::default();
            for step in 0..10_000 {
                edges.note(Instant::from_nanos(step), step, Duration::from_nanos(loop_time));
            }
            prop_assert!(edges.passed.capacity() < 8 * FEW + 2 * loop_time as usize);
        }
    }
}
