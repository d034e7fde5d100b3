//! The queue before the uplink, by how long each packet had waited when it passed.

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
    /// Takes a packet that passes; gives the time span of a queue that is known now. A packet that waits
    /// for `least` waits in a queue, whatever the others do.
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
