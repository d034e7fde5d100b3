//! Knows since when the queue before the radio was seen empty, from the TCP data of all flows of a
//! subscriber.
//!
//! Until then the least delay may be that of a queue that never emptied (methods T7).

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, Maybe, Vantage};

/// After this time without data, nothing is left in a queue before the capture point: the slowest plan
/// that airmile judges, of 64 kbit/s, delivers a packet of 1,500 bytes every 188 ms.
const SILENCE: Duration = Duration::from_millis(250);

/// A time before any capture; `Instant::MIN` is no time in a [`Maybe`].
const EVER: Instant = Instant::from_nanos(i64::MIN / 2);

/// What all flows of a subscriber show of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EmptiedQueue {
    /// The number of flows with data in flight.
    in_flight: u32,
    /// The newest time at which a flow began or ceased to have data in flight.
    changed: Maybe<Instant>,
    /// The newest time at which several flows had data in flight.
    shared: Maybe<Instant>,
    /// Since when the queue is known to have been empty once.
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
    /// found the queue empty; `asked` is the newest data of its receiver.
    ///
    /// Before the capture point a silence shows that only if the receiver asked for the data after
    /// it began: a radio without contact is silent, too.
    pub(super) fn begin_flight(
        &mut self,
        segment: &Segment<'_>,
        asked: Option<Instant>,
        own: &mut OwnFlight,
    ) -> bool {
        let now = segment.time;
        self.follow_clock(now);
        let opened = opened_at(segment);
        let others = self.others(own);
        let silent = self
            .changed
            .get()
            .is_none_or(|changed| now - changed >= SILENCE && asked > Some(changed));
        // The first data of a flow met in mid-stream may have data before it that nobody saw.
        let alone = own.drained || opened.is_some();
        let empty = alone && others == 0 && (silent || is_behind(segment));
        if empty {
            // Flows that opened at the same time found no more than this one.
            let first = !self.changed.is_some() && opened.is_some();
            self.shown.get_or_insert(if first { EVER } else { now });
        }
        self.in_flight = others + 1;
        own.in_flight = true;
        self.note_change(now, others);
        empty
    }

    /// Notes that all data of a flow is acknowledged.
    pub(super) fn end_flight(&mut self, now: Instant, own: &mut OwnFlight) {
        self.follow_clock(now);
        self.leave(own);
        self.note_change(now, self.in_flight);
        own.drained = true;
    }

    /// Notes the end of a flow.
    pub(super) fn leave(&mut self, own: &mut OwnFlight) {
        self.in_flight = self.others(own);
        own.in_flight = false;
    }

    /// Whether the queue is known by `time` to have been empty once.
    pub(super) fn is_shown(&self, time: Instant) -> bool {
        self.shown.get().is_some_and(|shown| shown <= time)
    }

    /// Since when no other flow has had data in flight; `Instant::MIN`: none ever had.
    pub(super) fn alone_since(&self, own: &OwnFlight) -> Option<Instant> {
        (self.others(own) == 0).then(|| self.shared.get().unwrap_or(Instant::MIN))
    }

    fn note_change(&mut self, now: Instant, others: u32) {
        self.changed = now.into();
        if others > 0 {
            self.shared = now.into();
        }
    }

    /// The number of other flows with data in flight. A flow may outlast the session of its
    /// subscriber, in which it was counted.
    fn others(&self, own: &OwnFlight) -> u32 {
        self.in_flight.saturating_sub(u32::from(own.in_flight))
    }

    /// Keeps what is known when the clock of the capture point is set back.
    fn follow_clock(&mut self, now: Instant) {
        if self.changed.get().is_some_and(|changed| now < changed) {
            self.changed = now.into();
            self.shown = self.shown.get().map(|shown| shown.min(now)).into();
        }
    }
}

/// The time of the flow's SYN, if its handshake was captured.
pub(super) fn opened_at(segment: &Segment<'_>) -> Option<Instant> {
    segment.flow.syn.zip(segment.flow.syn_ack).map(|(syn, _)| syn.time)
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
