//! Where a queue stood: spans of a subscriber's queue, from the RTTs and one-way delays of all
//! its flows.

use std::sync::Arc;

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, PerDirection};

use super::modem::PhoneRadio;
use super::one_way::OneWay;
use super::server_loop::HandshakeLoops;
use super::timeline::Timeline;
use crate::Parameters;

/// Where queues stood, by direction of the data in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    /// Behind the tap, seen from RTTs.
    pub(crate) behind: PerDirection<Timeline>,
    /// Before the tap, seen from one-way delays.
    pub(crate) before: PerDirection<Timeline>,
}

/// The queues of one subscriber: its flows share a bearer, and so the queues on the radio's side
/// of the tap (verdict notes 14). Those on the servers' side are each flow's own.
#[derive(Clone, Debug, Default)]
pub(crate) struct UeQueues {
    pub(crate) spans: Spans,
    /// What the phone's modem log tells.
    pub(crate) radio: Option<Arc<PhoneRadio>>,
    /// How many samples its queues rest on, by direction of the data.
    samples: PerDirection<u32>,
    /// What the newest packets waited for in the queues before the radio.
    newest: PerDirection<Option<(Instant, Duration)>>,
    /// Loops to its servers.
    pub(crate) handshakes: HandshakeLoops,
    base: Base,
}

/// The least RTT behind the tap over all flows of the subscriber.
///
/// A short flow that begins over a standing queue never sees the empty path; its sisters have.
#[derive(Clone, Copy, Debug, Default)]
struct Base {
    began: Option<Instant>,
    current: Option<Duration>,
    previous: Option<Duration>,
}

/// A queue of this phone may be another one after so long.
const DELAY_LIFE: Duration = Duration::from_millis(500);

/// How long a least RTT of another flow is believed: two of these.
const BASE_LIFE: Duration = Duration::from_secs(60);

impl UeQueues {
    /// Takes a segment; `clock` and `own` are the flow's timestamp clocks and queues.
    pub(crate) fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        clock: &mut OneWayClocks,
        own: &mut Spans,
        parameters: &Parameters,
    ) {
        let excess = clock.excess(segment);
        if segment.payload_bytes > 0 {
            self.note_before(segment, excess, own, parameters);
        }
        if let Some(late) = excess.filter(|_| segment.direction == Direction::Downlink) {
            self.newest.downlink = Some((segment.time, late));
        }
        self.note_behind(segment, excess.unwrap_or(Duration::ZERO), own, parameters);
    }

    /// Round trips and one-way delays of data of a direction so far.
    pub(crate) const fn samples(&self, direction: Direction) -> u32 {
        *self.samples.of(direction)
    }

    /// At the phone: how long its newest packets of a direction waited before the radio, by the
    /// samples of all its flows; zero where none is recent.
    pub(crate) fn delay(&self, direction: Direction, now: Instant) -> Duration {
        let newest = self.newest.of(direction).filter(|(time, _)| now - *time <= DELAY_LIFE);
        newest.map_or(Duration::ZERO, |(_, delay)| delay)
    }

    /// A packet that came late had waited before the tap since it could have passed.
    fn note_before(
        &mut self,
        segment: &Segment<'_>,
        excess: Option<Duration>,
        own: &mut Spans,
        parameters: &Parameters,
    ) {
        let Some(excess) = excess else { return };
        let samples = self.samples.of_mut(segment.direction);
        *samples = samples.saturating_add(1);
        if excess.as_millis_f64() >= parameters.queue_before_ms {
            let (from, to) = (segment.time - excess, segment.time);
            self.spans.before.of_mut(segment.direction).mark(from, to);
            own.before.of_mut(segment.direction).mark(from, to);
        }
    }

    /// The newest segment that an ACK covers was queued from its passing until as long before
    /// the ACK as an empty path takes (verdict notes 2). An ACK that was itself late by
    /// `ack_excess` is not held against the data's queue (verdict notes 15); the delay jitter of an
    /// ACK on time is the slack, so that it is taken off once.
    fn note_behind(
        &mut self,
        segment: &Segment<'_>,
        ack_excess: Duration,
        spans: &mut Spans,
        parameters: &Parameters,
    ) {
        let data = segment.direction.reverse();
        let Some(rtt) = segment.rtt.map(|s| s.rtt).or(segment.sack_rtt) else { return };
        let own = segment.peer.rtt_min().map_or(rtt, |least| least.min(rtt));
        // All downlink data of a phone ends at the phone; uplink data goes to many servers.
        let base = match data {
            Direction::Downlink => self.base.least(own, segment.time),
            Direction::Uplink => own,
        };
        let slack = Duration::from_secs_f64(parameters.queue_slack_ms / 1e3);
        let wait = rtt - base - slack.max(ack_excess);
        // What waits for longer than any delayed ACK waits in a queue, unless its ACK waited for
        // the answer that it rides on.
        let rides = segment.payload_bytes > 0 && segment.peer.in_flight_bytes() <= 0;
        let held_back = wait.as_millis_f64() < parameters.delayed_ack_ms;
        if rides || held_back && may_be_delayed_ack(segment) {
            return;
        }
        let samples = self.samples.of_mut(data);
        *samples = samples.saturating_add(1);
        if data == Direction::Uplink {
            self.newest.uplink = Some((segment.time, wait.max(Duration::ZERO)));
        }
        if wait > Duration::ZERO {
            let sent = segment.time - rtt;
            self.spans.behind.of_mut(data).mark(sent, sent + wait);
            spans.behind.of_mut(data).mark(sent, sent + wait);
        }
    }
}

/// One or two segments with nothing behind them may have waited for the delayed-ACK timer
/// (RFC 1122 section 4.2.3.2; Linux delays the ACK of two as well while it cannot offer a larger
/// window): their RTT says nothing of a queue.
fn may_be_delayed_ack(segment: &Segment<'_>) -> bool {
    let few = 2 * u64::from(segment.peer.mss_bytes());
    segment.peer.in_flight_bytes() <= 0 && segment.acked_bytes <= few
}

impl Base {
    fn least(&mut self, own: Duration, now: Instant) -> Duration {
        let began = *self.began.get_or_insert(now);
        if now - began > BASE_LIFE {
            (self.previous, self.current, self.began) = (self.current, None, Some(now));
        }
        let current = self.current.map_or(own, |least| least.min(own));
        self.current = Some(current);
        self.previous.map_or(current, |least| least.min(current))
    }
}

/// The timestamp clocks of both ends of a flow, and the delay of its newest packet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OneWayClocks(PerDirection<OneWay>, Option<Duration>);

impl OneWayClocks {
    fn excess(&mut self, segment: &Segment<'_>) -> Option<Duration> {
        let timestamps = segment.timestamps?;
        let clock = self.0.of_mut(segment.direction);
        self.1 = clock.excess(timestamps.value, segment.time);
        self.1
    }

    /// How late the newest packet was, above the least of its direction.
    pub(crate) const fn newest_excess(&self) -> Option<Duration> {
        self.1
    }
}
