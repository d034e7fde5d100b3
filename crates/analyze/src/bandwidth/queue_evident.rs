//! The receive rate while a queue stands: the capacity (methods E2).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

use super::delivery::{Arrival, spacing};
use super::sample::{Raw, Source};
use crate::Parameters;

/// Anchors kept at most; with the default spacing a window holds twenty.
const ANCHORS: usize = 4096;

/// A stretch of time in which every ACK had a queue behind it.
#[derive(Debug, Default)]
pub(super) struct QueueEvident {
    /// Its ACKs within the longest window, thinned.
    anchors: VecDeque<Arrival>,
    /// Its newest ACK.
    newest: Option<Instant>,
    sampled: Option<Instant>,
}

impl QueueEvident {
    /// Takes a packet of the receiver; gives a sample when one is due.
    pub(super) fn on_arrival(&mut self, arrival: &Arrival, parameters: &Parameters) -> Option<Raw> {
        // An ACK without RTT says neither; the next that has one covers it or does not.
        let queued = arrival.queued?;
        let excess = Duration::from_secs_f64(parameters.queue_excess_ms / 1e3);
        // The link was busy while this byte waited; before, the ACK before must tell.
        let unbroken = self.newest.is_none_or(|newest| arrival.time - newest <= queued);
        if queued <= excess || !unbroken {
            self.anchors.clear();
        }
        self.newest = (queued > excess).then_some(arrival.time);
        if queued <= excess {
            return None;
        }
        let sample = self.sample(arrival, parameters);
        self.add(arrival, parameters);
        sample
    }

    fn sample(&mut self, arrival: &Arrival, parameters: &Parameters) -> Option<Raw> {
        let least = Duration::from_secs_f64(parameters.queue_window_min_s);
        let most = Duration::from_secs_f64(parameters.queue_window_max_s);
        while self.anchors.front().is_some_and(|first| arrival.time - first.time > most) {
            self.anchors.pop_front();
        }
        let first = self.anchors.front().filter(|first| arrival.time - first.time >= least)?;
        if self.sampled.is_some_and(|last| arrival.time - last < spacing(parameters)) {
            return None;
        }
        self.sampled = Some(arrival.time);
        Some(Raw::between(first, arrival, Source::QueueEvident))
    }

    fn add(&mut self, arrival: &Arrival, parameters: &Parameters) {
        let due = self.anchors.back().is_none_or(|last| arrival.time - last.time >= spacing(parameters));
        if due && self.anchors.len() < ANCHORS {
            self.anchors.push_back(*arrival);
        }
    }
}
