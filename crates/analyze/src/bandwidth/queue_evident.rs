//! The receive rate while a queue stands: the capacity (methods E2).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

use super::delivery::{Arrival, spacing};
use super::sample::{Raw, Source};
use crate::Parameters;

/// Anchors kept at most; with the default spacing a window holds ten.
const ANCHORS: usize = 256;

/// The deliveries from which a window may begin.
#[derive(Debug, Default)]
pub(super) struct QueueEvident {
    /// Those within the longest window, thinned.
    anchors: VecDeque<Arrival>,
    sampled: Option<Instant>,
}

impl QueueEvident {
    /// Takes a delivery; gives the longest window that ends with it and in which the link was busy,
    /// when a sample is due.
    pub(super) fn on_arrival(&mut self, arrival: &Arrival, parameters: &Parameters) -> Option<Raw> {
        // In the middle of a tick of the receiver's clock nobody knows how much of it had passed.
        if !arrival.begins || arrival.queued.is_none() {
            return None;
        }
        self.forget(arrival.served - Duration::from_secs_f64(parameters.queue_window_max_s));
        let sample = self.sample(arrival, parameters);
        self.add(arrival, parameters);
        sample
    }

    fn sample(&mut self, arrival: &Arrival, parameters: &Parameters) -> Option<Raw> {
        if self.sampled.is_some_and(|last| arrival.served - last < spacing(parameters)) {
            return None;
        }
        let least = Duration::from_secs_f64(parameters.queue_window_min_s);
        let first = self.anchors.iter().find(|first| {
            let length = arrival.served - first.served;
            let busy = (arrival.busy - first.busy).as_secs_f64();
            length >= least && busy >= parameters.busy_ratio * length.as_secs_f64()
        })?;
        self.sampled = Some(arrival.served);
        Some(Raw::between(first, arrival, Source::QueueEvident))
    }

    fn forget(&mut self, horizon: Instant) {
        while self.anchors.front().is_some_and(|first| first.served < horizon) {
            self.anchors.pop_front();
        }
    }

    fn add(&mut self, arrival: &Arrival, parameters: &Parameters) {
        let near = |last: &Arrival| arrival.served - last.served < spacing(parameters);
        if !self.anchors.back().is_some_and(near) && self.anchors.len() < ANCHORS {
            self.anchors.push_back(*arrival);
        }
    }
}
