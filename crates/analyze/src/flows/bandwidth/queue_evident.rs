//! Estimates the bandwidth as the receive rate while there is a queue, which is the capacity of the
//! link (methods E2).

use std::collections::VecDeque;

use airmile_types::{Instant, Parameters};

use super::arrival::Arrival;
use super::raw::{Raw, Source};
use super::spans::Spans;

/// The greatest number of anchors; with the default spacing a window contains ten.
const ANCHORS: usize = 256;

/// The limit below which times, in nanoseconds, fit into a key: 13 days.
const FIT: u64 = 1 << 50;

/// The deliveries from which a window may begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct QueueEvident {
    /// The deliveries within the longest window, thinned.
    anchors: VecDeque<Arrival>,
    /// The least [`key`](Self::key) of the anchors; `None` when one of them has no key.
    least: Option<i64>,
    /// The instant from which times are counted.
    origin: Instant,
    sampled: Option<Instant>,
}

airmile_types::held!(QueueEvident { anchors });

impl QueueEvident {
    /// Takes a delivery. When a sample is due, returns the longest window that ends with this
    /// delivery and in which the link was busy.
    pub(super) fn on_arrival(&mut self, arrival: &Arrival, spans: &Spans, parameters: &Parameters) -> Option<Raw> {
        // In the middle of a tick of the receiver's clock, nobody knows how much of the tick had
        // passed.
        if !arrival.begins || arrival.queued.is_none() {
            return None;
        }
        self.forget(arrival.served - spans.window_max, spans);
        let sample = self.sample(arrival, spans, parameters);
        self.add(arrival, spans);
        sample
    }

    fn sample(&mut self, arrival: &Arrival, spans: &Spans, parameters: &Parameters) -> Option<Raw> {
        if self.sampled.is_some_and(|last| arrival.served - last < spans.spacing) {
            return None;
        }
        if !self.may_be_busy(arrival, spans) {
            return None;
        }
        let raw = Raw::between(self.earliest(arrival, spans, parameters)?, arrival, Source::QueueEvident);
        self.sampled = Some(arrival.served);
        Some(raw)
    }

    /// The first anchor since which the link was busy.
    fn earliest(&self, arrival: &Arrival, spans: &Spans, parameters: &Parameters) -> Option<&Arrival> {
        self.anchors.iter().find(|first| {
            let length = arrival.served - first.served;
            let busy = (arrival.busy - first.busy).as_secs_f64();
            length >= spans.window_min && busy >= parameters.busy_ratio * length.as_secs_f64()
        })
    }

    /// Whether the link may have been busy since any anchor. Mostly it was not, and this test shows
    /// so without looking at each anchor.
    fn may_be_busy(&self, arrival: &Arrival, spans: &Spans) -> bool {
        self.least.zip(self.key(arrival, spans)).is_none_or(|(least, key)| least <= key)
    }

    /// The busy time less the share of all time so far that must be busy. Where the key has shrunk
    /// between two deliveries, the link was not busy enough between them. The unit is a 256th of a
    /// nanosecond, and the share is a little too small. `None` when the times do not fit.
    fn key(&self, arrival: &Arrival, spans: &Spans) -> Option<i64> {
        let (time, busy) = ((arrival.served - self.origin).as_nanos(), arrival.busy.as_nanos());
        let fits = time.unsigned_abs() < FIT && busy.unsigned_abs() < FIT;
        fits.then(|| busy * 256 - time * spans.busy_in_256)
    }

    #[inline]
    fn forget(&mut self, horizon: Instant, spans: &Spans) {
        if self.anchors.front().is_some_and(|first| first.served < horizon) {
            while self.anchors.front().is_some_and(|first| first.served < horizon) {
                self.anchors.pop_front();
            }
            self.renew_least(spans);
        }
    }

    fn add(&mut self, arrival: &Arrival, spans: &Spans) {
        let near = |last: &Arrival| arrival.served - last.served < spans.spacing;
        if !self.anchors.back().is_some_and(near) && self.anchors.len() < ANCHORS {
            if self.anchors.is_empty() {
                self.origin = arrival.served;
            }
            self.anchors.push_back(*arrival);
            self.renew_least(spans);
        }
    }

    fn renew_least(&mut self, spans: &Spans) {
        let keys = self.anchors.iter().map(|anchor| self.key(anchor, spans));
        self.least = keys.reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b))).flatten();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airmile_types::Duration;
    use proptest::prelude::*;

    fn arrival(served: Instant, busy: Duration) -> Arrival {
        Arrival {
            time: served,
            served,
            uncertainty: Duration::ZERO,
            ticks: None,
            begins: true,
            delivered: 0,
            sent: Some(served),
            queued: Some(Duration::ZERO),
            busy,
        }
    }

    proptest! {
        /// The search never misses a window with a queue.
        #[test]
        fn a_busy_link_is_looked_at(
            steps in prop::collection::vec((-3_000_000_i64..80_000_000, 0_i64..=110), 1..200),
            busy_ratio in 0.0_f64..1.2,
        ) {
            let parameters = Parameters { busy_ratio, ..Parameters::default() };
            let spans = Spans::new(&parameters);
            let mut estimator = QueueEvident::default();
            let (mut now, mut busy) = (Instant::from_nanos(1_700_000_000_000_000_000), Duration::ZERO);
            for (later, percent) in steps {
                now = now + Duration::from_nanos(later);
                busy += Duration::from_nanos(later.max(0) / 100 * percent);
                let newest = arrival(now, busy);
                estimator.forget(now - spans.window_max, &spans);
                let found = estimator.earliest(&newest, &spans, &parameters).is_some();
                prop_assert!(estimator.may_be_busy(&newest, &spans) || !found);
                estimator.on_arrival(&newest, &spans, &parameters);
            }
        }
    }
}
