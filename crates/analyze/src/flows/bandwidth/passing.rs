//! Finds what each packet of a sender shows when the radio lies before the capture point. The
//! capture point then takes the place of the receiver, and the sender's timestamps show how long a
//! packet waited in a queue.

use airmile_track::{Segment, SegmentClass};
use airmile_types::Duration;

use super::arrival::Arrival;

/// Counts the bytes that have come through the radio.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Passing {
    stamped: bool,
}

impl Passing {
    /// Whether the sender puts timestamps on its packets; without them a queue cannot be seen.
    pub(super) const fn is_stamped(&self) -> bool {
        self.stamped
    }

    /// Takes a packet of the sender that came `late` by its timestamps. All bytes that the phone's
    /// flows sent before it have come through as well: `passed` bytes, this packet included.
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
            // A retransmission crosses the radio again.
            delivered: passed,
            sent: late.map(|late| segment.time - late),
            queued: late,
            busy: Duration::ZERO,
        })
    }
}
