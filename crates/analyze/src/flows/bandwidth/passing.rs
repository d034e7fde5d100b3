//! What each packet of a sender shows when its radio lies before the capture point: the capture point is the receiver,
//! and the sender's timestamps say how long the packet waited in a queue.

use airmile_track::{Segment, SegmentClass};
use airmile_types::Duration;

use super::arrival::Arrival;

/// Keeps account of what has come through the radio.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Passing {
    stamped: bool,
}

impl Passing {
    /// Whether the sender stamps its packets: without timestamps a queue cannot be seen.
    pub(super) const fn is_stamped(&self) -> bool {
        self.stamped
    }

    /// A packet of the sender, which came `late` by its timestamps. All that the phone's flows sent
    /// before it has come through as well: `passed` bytes with it.
    pub(super) fn on_sender(
        &mut self,
        segment: &Segment<'_>,
        late: Option<Duration>,
        passed: u64,
    ) -> Option<Arrival> {
        use SegmentClass::{CaptureDuplicate, KeepAlive, WindowProbe};
        if matches!(segment.class, None | Some(CaptureDuplicate | KeepAlive | WindowProbe)) {
            return None;
        }
        self.stamped |= segment.timestamps.is_some();
        Some(Arrival {
            time: segment.time,
            served: segment.time,
            uncertainty: segment.peer.rtt_min().unwrap_or_default(),
            ticks: None,
            begins: true,
            // What is retransmitted crosses the radio again.
            delivered: passed,
            sent: late.map(|late| segment.time - late),
            queued: late,
            busy: Duration::ZERO,
        })
    }
}
