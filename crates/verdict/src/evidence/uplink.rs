//! Finds the queue before the uplink, from how long each packet had waited when it passed.

use airmile_types::{Duration, Instant};

use super::passing::Waited;
use super::passing::{Passing, QueueSpan};
use super::short_queue::ShortQueue;

/// The uplink packets of a phone, in the order of their passing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uplink {
    passing: Passing,
    short: ShortQueue,
}

impl Uplink {
    /// Takes a packet that passes; returns the time span of a queue that has become known. A packet
    /// that waited for at least `least` waited in a queue, whatever the other packets did.
    pub(super) fn take(
        &mut self,
        packet: Waited,
        least: Duration,
    ) -> impl Iterator<Item = QueueSpan> {
        let long = self.passing.take(packet, least);
        [long, self.short.take(packet)].into_iter().flatten()
    }

    /// The time at which the newest packet passed.
    pub(super) const fn last(&self) -> Option<Instant> {
        self.passing.last()
    }
}
