//! Follows the link that the flows of one subscriber share: when it was busy, which bytes other
//! flows sent over it, and which of these were lost.
//!
//! A queue at the radio is first in, first out. So the bytes that passed the capture point between
//! two packets of one flow also left the queue between them, whichever flow they belong to. The
//! capacity is the sum over all flows (methods E3); one flow alone gives only its share.

use std::collections::VecDeque;

use airmile_track::{Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, PerDirection};

use super::raw::Raw;

/// The bearer of a subscriber in both directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SharedLink(PerDirection<Bearer>);

/// One direction of a phone's radio link, which all its flows share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Bearer {
    /// Payload in packets that the capture point recorded twice.
    duplicates: u64,
    /// The time until which a queue is known to have existed, and the total time with a queue.
    busy_until: Option<Instant>,
    busy: Duration,
    least: Least,
    active: Vec<Activity>,
    lost: VecDeque<Loss>,
}

airmile_types::held!(SharedLink { 0 } Bearer { active, lost });

/// The time of a flow's first delivery, and of its newest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Activity {
    uid: u64,
    last: Instant,
}

/// Payload that passed the capture point and was lost behind it. Negative when a D-SACK shows later
/// that the payload had arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Loss {
    uid: u64,
    passed: Instant,
    bytes: i64,
}

/// The least RTT of all flows: for the current period, and for the period before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Least {
    began: Option<Instant>,
    current: Option<Duration>,
    before: Option<Duration>,
}

/// A flow that is silent for longer is not part of any window.
const FORGOTTEN: Duration = Duration::from_secs(10);
/// The length of a period: the least RTT of another flow counts for two periods, as for the
/// verdict's queues.
const LEAST_LIFE: Duration = Duration::from_secs(60);
/// The number of losses that are remembered; they are used within seconds.
const LOSSES: usize = 4096;

impl SharedLink {
    /// The phone's radio link in one direction.
    pub(super) const fn of_mut(&mut self, direction: Direction) -> &mut Bearer {
        self.0.of_mut(direction)
    }

    /// The phone's radio link in one direction.
    pub(super) const fn of(&self, direction: Direction) -> &Bearer {
        self.0.of(direction)
    }
}

impl Bearer {
    /// Takes a packet with payload that is not new at the capture point.
    pub(super) fn pass(&mut self, segment: &Segment<'_>) {
        if segment.class == Some(SegmentClass::CaptureDuplicate) {
            self.duplicates += u64::from(segment.payload_bytes);
        }
    }

    /// Payload of all the subscriber's flows, of any protocol, that passed the capture point before
    /// this packet.
    #[inline]
    pub(super) fn passed_before(&self, segment: &Segment<'_>, direction: Direction) -> u64 {
        segment.ue.payload_bytes.of(direction).wrapping_sub(self.duplicates)
    }

    /// Notes that the queue contained a byte from `from` to `to`, so that the link was busy.
    /// Returns the total time for which the link has been busy.
    #[inline]
    pub(super) fn wait(&mut self, from: Instant, to: Instant) -> Duration {
        let known = self.busy_until.map_or(from, |until| until.max(from));
        if to > known {
            self.busy += to - known;
            self.busy_until = Some(to);
        }
        self.busy
    }

    /// The total time for which the link has been busy.
    pub(super) const fn busy(&self) -> Duration {
        self.busy
    }

    /// The least RTT behind the capture point, of this flow (`own`) or of another flow: every
    /// packet to a phone ends at the phone.
    #[inline]
    pub(super) fn least(&mut self, own: Duration, now: Instant) -> Duration {
        self.least.with(own, now)
    }

    /// Notes that a flow delivered data at `now`.
    pub(super) fn note_active(&mut self, uid: u64, now: Instant) {
        match self.active.iter_mut().find(|activity| activity.uid == uid) {
            Some(activity) => activity.last = now,
            None => {
                self.active.retain(|activity| now - activity.last < FORGOTTEN);
                self.active.push(Activity { uid, last: now });
            }
        }
    }

    /// The number of flows that have delivered data since `from`, this flow included.
    pub(super) fn flows_since(&self, from: Instant) -> u32 {
        self.active.iter().filter(|activity| activity.last > from).count().max(1) as u32
    }

    /// Notes that `bytes` of a flow's payload that passed the capture point at `passed` were lost
    /// behind it. A negative number revokes a loss.
    pub(super) fn lose(&mut self, uid: u64, passed: Instant, bytes: i64) {
        if self.lost.len() >= LOSSES {
            self.lost.pop_front();
        }
        self.lost.push_back(Loss { uid, passed, bytes });
    }

    /// The window without the bytes that other flows sent in it and lost.
    pub(super) fn less_lost(&self, uid: u64, raw: Raw) -> Raw {
        let (from, to) = raw.sent_span();
        let inside = |loss: &&Loss| loss.uid != uid && loss.passed > from && loss.passed <= to;
        let lost: i64 = self.lost.iter().filter(inside).map(|loss| loss.bytes).sum();
        raw.less(lost)
    }
}

impl Least {
    fn with(&mut self, own: Duration, now: Instant) -> Duration {
        let began = *self.began.get_or_insert(now);
        if now - began > LEAST_LIFE {
            *self = Self { began: Some(now), current: None, before: self.current };
        }
        let current = self.current.map_or(own, |least| least.min(own));
        self.current = Some(current);
        self.before.map_or(current, |least| least.min(current))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::bandwidth::arrival::Arrival;
    use crate::flows::bandwidth::raw::Source;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn arrival(served_ms: i64, sent_ms: i64, delivered: u64) -> Arrival {
        Arrival {
            time: at(served_ms),
            served: at(served_ms),
            uncertainty: Duration::ZERO,
            ticks: None,
            begins: true,
            delivered,
            sent: Some(at(sent_ms)),
            queued: None,
            busy: Duration::ZERO,
        }
    }

    #[test]
    fn what_other_flows_lost_in_the_window_is_taken_off_where_it_was_sent() {
        let mut bearer = Bearer::default();
        bearer.lose(2, at(150), 1000); // another flow's, inside the window
        bearer.lose(3, at(160), 500);
        bearer.lose(3, at(160), -500); // revokes part of a loss
        bearer.lose(1, at(150), 1000); // the flow's own: never counted as delivered
        bearer.lose(2, at(90), 1000); // sent before the window
        bearer.lose(2, at(210), 1000); // sent after the window
        let (first, last) = (arrival(500, 100, 0), arrival(600, 200, 10_000));
        let raw = Raw::between(&first, &last, Source::QueueEvident);
        assert_eq!(bearer.less_lost(1, raw), raw.less(1000));
    }

    #[test]
    fn time_in_which_several_packets_wait_counts_once() {
        let mut bearer = Bearer::default();
        bearer.wait(at(0), at(10));
        bearer.wait(at(5), at(20));
        bearer.wait(at(6), at(15));
        assert_eq!(bearer.wait(at(30), at(40)), Duration::from_millis(30));
    }
}
