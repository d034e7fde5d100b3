//! The times of queues: the queues of a subscriber, from the RTTs and one-way delays of all its
//! flows.

use std::sync::Arc;

use airmile_radio::PhoneRadio;
use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, PerDirection};

use super::base::Base;
use super::bits::Mask;
use super::clocks::OneWayClocks;
use super::limits::Limits;
use super::passing::Waited;
use super::server_loop::HandshakeLoops;
use super::standing::Standing;
use super::timeline::Timeline;
use super::uplink::Uplink;

/// The times when there were queues, by direction of the data in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueTimelines {
    /// The queue after the capture point, seen from RTTs.
    pub(crate) behind: PerDirection<Timeline>,
    /// The queue before the capture point, seen from one-way delays.
    pub(crate) before: PerDirection<Timeline>,
    /// The times when downlink data was in flight for so long at the end of the flow's packets that
    /// no HARQ round explains it.
    live: Timeline,
}

/// The queues of one subscriber. Its flows share a bearer, and so the queues on the radio's side of
/// the capture point (methods T7). The queues on the servers' side belong to each flow.
#[derive(Clone, Debug, Default)]
pub struct UeQueues {
    pub(crate) timelines: QueueTimelines,
    /// What the phone's modem log shows.
    pub radio: Option<Arc<PhoneRadio>>,
    /// The number of samples that the queues are based on, by direction of the data.
    samples: PerDirection<u32>,
    /// How long the newest packets waited in the queues before the radio.
    newest: PerDirection<Option<(Instant, Duration)>>,
    /// The loops to the servers of the subscriber.
    pub handshakes: HandshakeLoops,
    /// The least RTT after the capture point.
    base: Base,
    /// The same without the delay of late ACKs.
    base_on_time: Base,
    /// The times when even the quickest downlink packets waited.
    standing: Standing,
    /// The uplink packets of all flows of the subscriber.
    uplink: Uplink,
    /// The times when ACKs without payload waited before the capture point.
    late_acks: Timeline,
}

airmile_types::held! {
    QueueTimelines { behind, before, live }
    UeQueues { timelines, handshakes, standing, late_acks }
}

/// The time after which a queue of this phone may be another one.
const DELAY_LIFE: Duration = Duration::from_millis(500);

impl UeQueues {
    /// Takes a segment; `clock` and `own` are the flow's timestamp clocks and queues.
    #[inline]
    pub(crate) fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        clock: &mut OneWayClocks,
        own: &mut QueueTimelines,
        limits: &Limits,
    ) {
        let timing = clock.take(segment);
        if timing.settles {
            self.note_settled(&clock.take_settled(), limits);
        }
        if segment.payload_bytes > 0 && (timing.excess.is_some() || timing.echoes) {
            let samples = self.samples.of_mut(segment.direction);
            *samples = samples.saturating_add(1);
        }
        if let Some(excess) = timing.excess {
            self.note_late(segment, excess, own, limits);
        }
        if let Some(rtt) = sampled(segment) {
            let tick = clock.tick(segment.direction);
            let lateness = timing.excess.map(|excess| Lateness { excess, tick });
            self.note_behind(segment, rtt, lateness, own, limits);
        }
    }

    /// Notes that the segment came this much later than the quickest of its direction.
    #[inline]
    fn note_late(
        &mut self,
        segment: &Segment<'_>,
        excess: Duration,
        own: &mut QueueTimelines,
        limits: &Limits,
    ) {
        if segment.payload_bytes > 0 {
            self.note_before(segment, excess, own, limits);
        }
        if segment.direction == Direction::Downlink {
            self.newest.downlink = Some((segment.time, excess));
        } else if segment.payload_bytes == 0 && excess >= limits.queue_before {
            self.late_acks.mark(segment.time - excess, segment.time);
        }
    }

    /// The times when what a sender waits for, to hear from its receiver, was in a queue: the data
    /// in the other direction (`own`: of its flow), and the phone's ACKs.
    pub(crate) fn acks_queued(&self, sender: Direction, own: &QueueTimelines, bin: i64) -> Mask {
        let way = sender.reverse();
        let late = if way == Direction::Uplink { self.late_acks.at(bin) } else { 0 };
        own.behind.of(way).at(bin) | self.timelines.behind.of(way).at(bin) | late
    }

    /// The number of round trips and one-way delays of data of a direction so far.
    pub(crate) const fn samples(&self, direction: Direction) -> u32 {
        *self.samples.of(direction)
    }

    /// Notes a queue where the flow's packets end with data in flight that nothing marks as lost:
    /// the age of that data is a least RTT.
    pub(crate) fn note_live(
        live: Option<(Instant, Duration)>,
        data: Direction,
        end: Instant,
        clocks: &OneWayClocks,
        timelines: &mut QueueTimelines,
        limits: &Limits,
    ) {
        let Some((sent, least)) = live else { return };
        let late =
            limits.queue_slack.max(clocks.newest_of(data.reverse()).unwrap_or(Duration::ZERO));
        let until = end - least - late;
        timelines.behind.of_mut(data).mark(sent, until);
        if data == Direction::Downlink {
            timelines.live.mark(sent, until);
        }
    }

    /// At the phone: how long its newest packets of a direction waited before the radio, by the
    /// samples of all its flows. Zero where none is recent.
    pub(crate) fn delay(&self, direction: Direction, now: Instant) -> Duration {
        let newest = self.newest.of(direction).filter(|(time, _)| now - *time <= DELAY_LIFE);
        newest.map_or(Duration::ZERO, |(_, delay)| delay)
    }

    /// Notes a queue before the capture point: a packet that came late had waited since it could
    /// have passed.
    fn note_before(
        &mut self,
        segment: &Segment<'_>,
        excess: Duration,
        own: &mut QueueTimelines,
        limits: &Limits,
    ) {
        let (now, least) = (segment.time, limits.queue_before);
        let mut mark = |from, to| {
            self.timelines.before.of_mut(segment.direction).mark(from, to);
            own.before.of_mut(segment.direction).mark(from, to);
        };
        match segment.direction {
            Direction::Uplink => {
                self.uplink.take((now, excess), least).for_each(|(from, to)| mark(from, to));
            }
            Direction::Downlink if excess >= least => mark(now - excess, now),
            Direction::Downlink => {}
        }
    }

    /// Notes earlier uplink packets whose delay is known only now.
    fn note_settled(&mut self, packets: &[Waited], limits: &Limits) {
        let Some((newest, _)) = packets.last() else { return };
        let uplink = self.timelines.note_settled(packets, limits);
        if self.uplink.last().is_none_or(|last| last < *newest) {
            self.uplink = uplink;
        }
    }

    /// Notes a queue after the capture point: the newest segment that an ACK covers was queued from
    /// its passing until as long before the ACK as an empty path takes (methods T7).
    fn note_behind(
        &mut self,
        segment: &Segment<'_>,
        rtt: Duration,
        lateness: Option<Lateness>,
        timelines: &mut QueueTimelines,
        limits: &Limits,
    ) {
        let data = segment.direction.reverse();
        let own = segment.peer.rtt_min().map_or(rtt, |least| least.min(rtt));
        let (wait, is_fine) = match data {
            Direction::Downlink => self.wait_downlink(segment.time, rtt, own, lateness, limits),
            Direction::Uplink => (wait(rtt, own, lateness, limits), false),
        };
        // What waits for longer than any delayed ACK waits in a queue, unless its ACK waited for
        // the answer that carries it.
        let rides = segment.payload_bytes > 0 && segment.peer.in_flight_bytes() <= 0;
        let held_back = wait.as_millis_f64() < limits.delayed_ack_ms;
        if rides || held_back && may_be_delayed_ack(segment) {
            return;
        }
        let samples = self.samples.of_mut(data);
        *samples = samples.saturating_add(1);
        let sent = segment.time - rtt;
        match data {
            Direction::Uplink => {
                self.newest.uplink = Some((segment.time, wait.max(Duration::ZERO)))
            }
            Direction::Downlink if is_fine => {
                self.standing.note(sent, wait + limits.queue_jitter);
                self.standing.mark(sent, wait - limits.queue_before);
            }
            Direction::Downlink => self.standing.mark(sent, wait),
        }
        if wait > Duration::ZERO {
            self.timelines.behind.of_mut(data).mark(sent, sent + wait);
            timelines.behind.of_mut(data).mark(sent, sent + wait);
        }
    }

    /// How long the newest acknowledged downlink data waited, and whether the delay of its ACK is
    /// known.
    ///
    /// All downlink data of a phone ends at the phone, so that its flows share the least delays;
    /// uplink data goes to many servers. Where the phone's clock shows how late an ACK was, that is
    /// subtracted, and only the jitter of the downlink is left: a HARQ round holds up some packets,
    /// an uplink grant nearly every ACK.
    fn wait_downlink(
        &mut self,
        now: Instant,
        rtt: Duration,
        own: Duration,
        lateness: Option<Lateness>,
        limits: &Limits,
    ) -> (Duration, bool) {
        let base = self.base.least(own, now);
        let fine = lateness.filter(|late| late.tick < limits.queue_slack);
        let Some(late) = fine else { return (wait(rtt, base, lateness, limits), false) };
        let on_time = rtt - late.excess;
        // Between an ACK on time and the quickest one lies at most a grant and a HARQ round. More
        // than that is a clock that was misread, or a least that was learned over a queue.
        let least = base - limits.phone_spread;
        let base = self.base_on_time.least(on_time.max(least), now).max(least).min(base);
        (on_time - base - late.tick - limits.queue_jitter, true)
    }

    /// The times when there was a queue for the downlink data of the flow of `own`, whatever HARQ
    /// rounds did.
    pub(crate) fn standing_at(&self, own: &QueueTimelines, bin: i64) -> Mask {
        self.standing.at(bin) | own.live.at(bin)
    }
}

/// How late a packet came, above the least of its direction, and the tick of its sender's clock.
#[derive(Clone, Copy, Debug)]
struct Lateness {
    excess: Duration,
    tick: Duration,
}

/// An RTT above the least. The delay of a late ACK does not count as a queue of the data (methods T7). The delay jitter of an ACK on time is the slack, so that it is subtracted once.
fn wait(rtt: Duration, base: Duration, lateness: Option<Lateness>, limits: &Limits) -> Duration {
    let late = lateness.map_or(Duration::ZERO, |late| late.excess);
    rtt - base - limits.queue_slack.max(late)
}

impl QueueTimelines {
    /// The flow ends: notes what its echoes show of the uplink packets that its clock does not.
    pub(crate) fn note_rest(&mut self, clock: &mut OneWayClocks, limits: &Limits) {
        self.note_settled(&clock.finish(), limits);
    }

    /// Notes uplink packets whose delay is known only now, and gives how they passed.
    fn note_settled(&mut self, packets: &[Waited], limits: &Limits) -> Uplink {
        let mut uplink = Uplink::default();
        for packet in packets {
            for (from, to) in uplink.take(*packet, limits.queue_before) {
                self.before.uplink.mark(from, to);
            }
        }
        uplink
    }
}

/// How long ago the newest data passed that a segment acknowledges, cumulatively or not.
#[inline]
fn sampled(segment: &Segment<'_>) -> Option<Duration> {
    let rtt = match segment.rtt {
        Some(sample) => Some(sample.rtt),
        None => segment.sack_rtt,
    };
    match segment.tail_probe {
        // Where the ACKs were late, the data for which a needless probe was sent had been in flight
        // since before.
        Some(probe) if !probe.lost && probe.sent < segment.time => {
            rtt.max(Some(segment.time - probe.silent_since))
        }
        _ => rtt,
    }
}

/// One or two segments with nothing after them may have waited for the delayed-ACK timer (RFC 1122
/// section 4.2.3.2; Linux delays the ACK of two as well while it cannot offer a larger window):
/// their RTT does not show a queue.
fn may_be_delayed_ack(segment: &Segment<'_>) -> bool {
    let few = 2 * u64::from(segment.peer.mss_bytes());
    segment.peer.in_flight_bytes() <= 0 && segment.acked_bytes <= few
}

#[cfg(test)]
mod tests {
    use super::*;
    use airmile_types::Parameters;

    #[test]
    fn a_spread_below_zero_is_none() {
        let parameters = Parameters { phone_spread_ms: -5.0, ..Parameters::default() };
        let late = Lateness { excess: Duration::ZERO, tick: Duration::from_millis(1) };
        let (rtt, now) = (Duration::from_millis(50), Instant::from_nanos(0));
        let (wait, fine) =
            UeQueues::default().wait_downlink(now, rtt, rtt, Some(late), &Limits::new(&parameters));
        assert!(fine && wait < Duration::ZERO);
    }
}
