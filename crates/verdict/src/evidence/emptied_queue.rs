//! Knows since when the queue before the radio was seen empty, from the data of all flows of a
//! subscriber.
//!
//! Until then the least delay may be that of a queue that never emptied (methods T7).

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, Maybe, Vantage};

/// After this time without data, nothing is left in a queue before the capture point: the slowest plan
/// that airmile judges, of 64 kbit/s, delivers a packet of 1,500 bytes every 188 ms.
const SILENCE: Duration = Duration::from_millis(250);

/// What all flows of a subscriber show of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EmptiedQueue {
    /// The number of flows with data in flight.
    in_flight: u32,
    /// The newest time at which a flow began or ceased to have data in flight.
    changed: Maybe<Instant>,
    /// The first time at which data found the queue empty.
    shown: Maybe<Instant>,
}

/// What a flow contributes in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OwnFlight {
    in_flight: bool,
    /// Whether all its data was acknowledged once.
    drained: bool,
}

impl EmptiedQueue {
    /// Takes data of a flow before which nothing of this flow was in flight, and returns whether it
    /// found the queue empty.
    pub(super) fn begin_flight(&mut self, segment: &Segment<'_>, own: &mut OwnFlight) -> bool {
        let now = segment.time;
        // The first data of a flow met in mid-stream may have data before it that nobody saw.
        let alone = own.drained || is_opened(segment);
        let others = self.in_flight - u32::from(own.in_flight);
        let silent = self.changed.get().is_none_or(|changed| now - changed >= SILENCE);
        let empty = alone && others == 0 && (silent || is_behind(segment));
        if empty {
            self.shown.get_or_insert(now);
        }
        self.in_flight = others + 1;
        own.in_flight = true;
        self.changed = now.into();
        empty
    }

    /// Notes that all data of a flow is acknowledged.
    pub(super) fn end_flight(&mut self, now: Instant, own: &mut OwnFlight) {
        self.leave(own);
        self.changed = now.into();
        own.drained = true;
    }

    /// Notes the end of a flow.
    pub(super) fn leave(&mut self, own: &mut OwnFlight) {
        self.in_flight -= u32::from(std::mem::take(&mut own.in_flight));
    }

    /// Whether data found the queue empty by `time`.
    pub(super) fn is_shown(&self, time: Instant) -> bool {
        self.shown.get().is_some_and(|shown| shown <= time)
    }
}

/// Whether the flow's handshake was captured.
fn is_opened(segment: &Segment<'_>) -> bool {
    segment.flow.syn.is_some() && segment.flow.syn_ack.is_some()
}

/// Whether the queue before the radio is known to lie behind the capture point, where data is in
/// flight while it waits there.
fn is_behind(segment: &Segment<'_>) -> bool {
    match segment.direction {
        Direction::Uplink => segment.flow.vantage == Some(Vantage::Ue),
        Direction::Downlink => {
            matches!(segment.flow.vantage, Some(Vantage::Monitor | Vantage::Server))
        }
    }
}
