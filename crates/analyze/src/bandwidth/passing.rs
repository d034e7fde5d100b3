//! What each packet of a sender tells when its radio lies before the tap: the tap is the receiver,
//! and the sender's timestamps say how long the packet stood in a queue.

use airmile_track::{Segment, SegmentClass};
use airmile_types::Duration;

use super::delivery::Arrival;

/// Keeps account of the payload that has come through the radio.
#[derive(Debug, Default)]
pub(super) struct Passing {
    passed: u64,
    stamped: bool,
}

impl Passing {
    /// Whether the sender stamps its packets: without, nothing tells of a queue.
    pub(super) const fn is_stamped(&self) -> bool {
        self.stamped
    }

    /// A packet of the sender, which came `late` by its timestamps.
    pub(super) fn on_sender(
        &mut self,
        segment: &Segment<'_>,
        late: Option<Duration>,
    ) -> Option<Arrival> {
        use SegmentClass::{CaptureDuplicate, KeepAlive, WindowProbe};
        if matches!(segment.class, None | Some(CaptureDuplicate | KeepAlive | WindowProbe)) {
            return None;
        }
        // What is sent again crosses the radio again.
        self.passed += u64::from(segment.payload_bytes);
        self.stamped |= segment.timestamps.is_some();
        Some(Arrival {
            time: segment.time,
            ticks: None,
            delivered: self.passed,
            sent: late.map(|late| segment.time - late),
            queued: late,
            beside: 0,
        })
    }
}
