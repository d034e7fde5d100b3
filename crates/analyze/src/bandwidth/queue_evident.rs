//! The receive rate while a queue stands: the capacity (methods E2).

use std::collections::VecDeque;

use airmile_types::Instant;

use super::delivery::Arrival;
use super::sample::{Raw, Source};
use super::spans::Spans;
use crate::Parameters;

/// Anchors kept at most; with the default spacing a window holds ten.
const ANCHORS: usize = 256;

/// The deliveries from which a window may begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct QueueEvident {
    /// Those within the longest window, thinned.
    anchors: VecDeque<Arrival>,
    sampled: Option<Instant>,
}

impl QueueEvident {
    /// Takes a delivery; gives the longest window that ends with it and in which the link was busy,
    /// when a sample is due.
    pub(super) fn on_arrival(&mut self, arrival: &Arrival, spans: &Spans, parameters: &Parameters) -> Option<Raw> {
        // In the middle of a tick of the receiver's clock nobody knows how much of it had passed.
        if !arrival.begins || arrival.queued.is_none() {
            return None;
        }
        self.forget(arrival.served - spans.window_max);
        let sample = self.sample(arrival, spans, parameters);
        self.add(arrival, spans);
        sample
    }

    fn sample(&mut self, arrival: &Arrival, spans: &Spans, parameters: &Parameters) -> Option<Raw> {
        if self.sampled.is_some_and(|last| arrival.served - last < spans.spacing) {
            return None;
        }
        let first = self.anchors.iter().find(|first| {
            let length = arrival.served - first.served;
            let busy = (arrival.busy - first.busy).as_secs_f64();
            length >= spans.window_min && busy >= parameters.busy_ratio * length.as_secs_f64()
        })?;
        self.sampled = Some(arrival.served);
        Some(Raw::between(first, arrival, Source::QueueEvident))
    }

    fn forget(&mut self, horizon: Instant) {
        while self.anchors.front().is_some_and(|first| first.served < horizon) {
            self.anchors.pop_front();
        }
    }

    fn add(&mut self, arrival: &Arrival, spans: &Spans) {
        let near = |last: &Arrival| arrival.served - last.served < spans.spacing;
        if !self.anchors.back().is_some_and(near) && self.anchors.len() < ANCHORS {
            self.anchors.push_back(*arrival);
        }
    }
}
