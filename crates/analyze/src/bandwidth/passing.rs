//! What each packet of a sender tells when its radio lies before the tap: the tap is the receiver,
//! and the sender's timestamps say how long the packet stood in a queue.

use airmile_track::{Segment, SegmentClass};

use super::delivery::Arrival;
use crate::evidence::OneWay;
use crate::tick;

/// Keeps account of the payload that has come through the radio.
#[derive(Debug, Default)]
pub(super) struct Passing {
    clock: OneWay,
    passed: u64,
    stamped: bool,
}

impl Passing {
    /// Begins with the handshake, whose packets found no queue of this flow.
    pub(super) fn begin(segment: &Segment<'_>) -> Self {
        let mut passing = Self::default();
        for (time, value) in tick::handshake(segment.flow) {
            passing.clock.excess(value, time);
        }
        passing
    }

    /// Whether the sender stamps its packets: without, nothing tells of a queue.
    pub(super) const fn is_stamped(&self) -> bool {
        self.stamped
    }

    /// A packet of the sender.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>) -> Option<Arrival> {
        use SegmentClass::{CaptureDuplicate, KeepAlive, WindowProbe};
        if matches!(segment.class, None | Some(CaptureDuplicate | KeepAlive | WindowProbe)) {
            return None;
        }
        // What is sent again crosses the radio again.
        self.passed += u64::from(segment.payload_bytes);
        self.stamped |= segment.timestamps.is_some();
        let queued = self.clock.excess(segment.timestamps?.value, segment.time);
        Some(Arrival {
            time: segment.time,
            ticks: None,
            delivered: self.passed,
            sent: queued.map(|queued| segment.time - queued),
            queued,
            beside: 0,
        })
    }
}
