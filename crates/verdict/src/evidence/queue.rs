//! Finds the times at which a subscriber had queues, from the RTTs and one-way delays of all its
//! flows.

use std::sync::Arc;

use airmile_radio::PhoneRadio;
use airmile_track::{FlowFacts, Segment};
use airmile_types::{Direction, Duration, Instant, Maybe, PerDirection, Vantage};

use super::before::Before;
use super::bits::Mask;
use super::clocks::{OneWayClocks, Timing, is_far_queue};
use super::emptied_queue::{EmptiedQueue, OwnFlight, opened_at};
use super::far_downlink::FarDownlink;
use super::fine_uplink::FineUplink;
use super::limits::Limits;
use super::passing::{GRANT, Waited};
use super::server_loop::HandshakeLoops;
use super::slack::{Lateness, Slack, beyond_clock};
use super::sum::Sum;
use super::timeline::{BIN, Timeline};

/// The times at which there were queues, by the direction of the queued data.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueTimelines {
    /// The queue after the capture point, seen from RTTs.
    pub(crate) behind: PerDirection<Timeline>,
    /// The queue before the capture point, seen from one-way delays.
    pub(crate) before: PerDirection<Timeline>,
    /// The times at which downlink data was in flight for longer than a HARQ round explains, at the
    /// end of the flow's packets.
    live: Timeline,
    /// Whether a packet of the flow could show a queue before the capture point.
    pub(crate) shown: PerDirection<bool>,
    /// The offset of the newest downlink data that left while nothing else of its flow was in flight.
    alone: i64,
    /// Whether data of the flow is in flight, for the queue of all flows.
    flights: PerDirection<OwnFlight>,
    /// The first time at which data of the flow found the queue before the radio empty.
    found_empty: PerDirection<Maybe<Instant>>,
}

impl QueueTimelines {
    /// Whether, at an ACK that leaves nothing in flight, no more than two segments were since nothing
    /// last was: the end of a longer flight has waited behind the rest.
    fn ends_alone(&self, segment: &Segment<'_>) -> bool {
        segment.peer.unacked() - self.alone <= 2 * i64::from(segment.peer.mss_bytes())
    }
}

/// The queues of one subscriber. All its flows share a bearer, and therefore the queues on the
/// radio's side of the capture point (methods T7). The queues on the servers' side belong to single
/// flows.
#[derive(Clone, Debug, Default)]
pub struct UeQueues {
    pub(crate) timelines: QueueTimelines,
    /// What the phone's modem log shows.
    pub radio: Option<Arc<PhoneRadio>>,
    /// The number of samples from which the queues were found, by direction of the data.
    samples: PerDirection<u32>,
    /// The newest time, and the wait of the packet then, in the queue before the radio, by
    /// direction.
    newest: PerDirection<Option<(Instant, Duration)>>,
    /// The round trips to the subscriber's servers that handshakes showed.
    pub handshakes: HandshakeLoops,
    /// The downlink data that has passed the capture point.
    pub(super) behind: FarDownlink,
    /// The packets of all flows that have passed a queue before the capture point.
    before: Before,
    /// The waits of uplink packets of series without a pause, for queues before the radio.
    fine_uplink: FineUplink,
    /// The times at which ACKs without payload waited before the capture point.
    late_acks: Timeline,
    /// What arrives from all flows together, where the queue before the radio lies before the capture
    /// point and a flow has no timestamps that could show it.
    sums: PerDirection<Option<Box<Sum>>>,
    /// Since when the queue before the radio was seen empty.
    emptied: PerDirection<EmptiedQueue>,
}

airmile_types::held! {
    QueueTimelines { behind, before, live }
    UeQueues { timelines, handshakes, behind, before, fine_uplink, late_acks, sums }
}

/// After this time, a delay measured for this phone may no longer be that of the current queue.
const DELAY_LIFE: Duration = Duration::from_millis(500);

impl UeQueues {
    /// Takes a segment; `clock` and `own` are the timestamp clocks and the queues of its flow.
    #[inline]
    pub(crate) fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        clock: &mut OneWayClocks,
        own: &mut QueueTimelines,
        limits: &Limits,
    ) {
        let timing =
            clock.take(segment, || self.feedback_late(segment), || self.opened_late(segment.flow));
        if timing.settles {
            self.note_clock(segment, clock, timing);
            self.note_settled(&clock.take_settled(), segment.direction, own, limits);
        }
        if segment.payload_bytes > 0 {
            if timing.excess.is_some() || timing.echoes {
                self.note_samples(segment.direction, 1, own);
            }
            // Without timestamps, only the sum of the phone's flows can show that its link is full.
            if segment.timestamps.is_none() || self.sums.of(segment.direction).is_some() {
                self.note_sum(segment);
            }
        }
        if let Some(excess) = timing.excess {
            self.note_late(segment, excess, own, limits);
        }
        if let Some(rtt) = sampled(segment) {
            let tick = clock.tick(segment.direction);
            let lateness = timing.excess.map(|excess| Lateness { excess, tick });
            let lateness = lateness.or_else(|| {
                self.lateness_of_others(segment.flow, (segment.direction, segment.time))
            });
            self.note_behind(segment, rtt, lateness, own, limits);
        }
    }

    /// Notes that data of a flow begins or ceases to be in flight; `asked` is the newest data of its
    /// receiver.
    pub(crate) fn note_turn(
        &mut self,
        segment: &Segment<'_>,
        (data, begins): (Direction, bool),
        asked: Option<Instant>,
        own: &mut QueueTimelines,
    ) {
        let emptied = self.emptied.of_mut(data);
        let flight = own.flights.of_mut(data);
        if begins && data == Direction::Downlink {
            own.alone = segment.start;
        }
        if !begins {
            emptied.end_flight(segment.time, flight);
            return;
        }
        let empty = emptied.begin_flight(segment, asked, flight);
        if empty {
            // What the newest packets waited in has emptied since.
            *self.newest.of_mut(data) = None;
        }
        if empty || self.shook_in_empty(segment) {
            let found = own.found_empty.of_mut(data);
            if found.get().is_none_or(|found| found > segment.time) {
                *found = segment.time.into();
            }
        }
    }

    /// Whether the handshake of a flow that sends from the phone, which is the capture point, met no
    /// queue of other flows.
    fn shook_in_empty(&self, segment: &Segment<'_>) -> bool {
        let from_phone =
            segment.direction == Direction::Uplink && segment.flow.vantage == Some(Vantage::Ue);
        let free = |opened: Instant| {
            self.emptied.uplink.is_shown(opened)
                && self.timelines.behind.uplink.at(opened.bin(BIN)) == 0
        };
        from_phone && opened_at(segment).is_some_and(free)
    }

    /// Whether the least delay of a flow is known by `time` to be that of an empty queue before the
    /// radio. All downlink data behind the capture point has it in common, for it ends at the phone;
    /// before the capture point the handshake of a flow that was `opened` later is compared with the
    /// other flows.
    pub(crate) fn base_known(
        &self,
        direction: Direction,
        own: &QueueTimelines,
        time: Instant,
        (opened, is_behind): (Option<Instant>, bool),
    ) -> bool {
        let emptied = self.emptied.of(direction);
        let shared = match (is_behind, direction) {
            (true, Direction::Downlink) => emptied.is_shown(time),
            (true, Direction::Uplink) => false,
            (false, _) => opened.is_some_and(|opened| emptied.is_shown(opened)),
        };
        shared || own.found_empty.of(direction).get().is_some_and(|found| found <= time)
    }

    /// Since when no other flow of the phone has had data of a direction in flight.
    pub(crate) fn alone_since(
        &self,
        direction: Direction,
        own: &QueueTimelines,
    ) -> Option<Instant> {
        self.emptied.of(direction).alone_since(own.flights.of(direction))
    }

    /// Notes what arrives through a queue that only timestamps could show.
    #[inline(never)]
    fn note_sum(&mut self, segment: &Segment<'_>) {
        let at_phone = segment.flow.vantage == Some(Vantage::Ue);
        if at_phone && segment.direction == Direction::Uplink {
            return;
        }
        let sum = self.sums.of_mut(segment.direction);
        if sum.is_none() && !is_far_queue(segment) {
            return;
        }
        sum.get_or_insert_default().take(segment);
    }

    /// The times at which all flows together kept to one rate while what each had of it changed.
    pub(crate) fn shared_at(&self, direction: Direction, bin: i64) -> Mask {
        self.sums.of(direction).as_ref().map_or(0, |sum| sum.at(bin))
    }

    /// How long the newest packets of the phone waited that the server answers with this segment.
    /// Each may have waited for its grant.
    fn feedback_late(&self, segment: &Segment<'_>) -> Duration {
        match segment.direction {
            Direction::Uplink => Duration::ZERO,
            Direction::Downlink => self.delay(Direction::Uplink, segment.time) + GRANT,
        }
    }

    /// Shares the clock of the phone's server once its tick is known.
    fn note_clock(&mut self, segment: &Segment<'_>, clock: &OneWayClocks, timing: Timing) {
        if segment.direction == Direction::Downlink && timing.excess.is_some() {
            self.handshakes.note_clock(segment.flow, clock.line(Direction::Downlink));
        }
    }

    /// How long the answer to a flow's SYN waited before the phone, at least: by the clock of another
    /// flow with that server, where it is proven the same, and by the packets of other flows then. A
    /// clock that was learned inside a queue shows too little.
    fn opened_late(&self, flow: &FlowFacts) -> Duration {
        self.handshakes
            .late_by_clock(flow)
            .unwrap_or(Duration::ZERO)
            .max(self.opened_in_queue(flow))
    }

    /// How long the answer to a flow's SYN waited before the phone, by the packets of other flows then:
    /// no longer than its round trip exceeds the least of other handshakes with that server, less what
    /// the SYN may have waited in its queue and for its grant.
    fn opened_in_queue(&self, flow: &FlowFacts) -> Duration {
        let shaken = flow.syn.zip(flow.syn_ack).zip(self.handshakes.least(flow));
        shaken.map_or(Duration::ZERO, |((syn, answer), least)| {
            let sent = self.delay(Direction::Uplink, answer.time);
            let most = answer.time - syn.time - least - sent - GRANT;
            self.before.wait_at(answer.time).min(most).max(Duration::ZERO)
        })
    }

    /// Notes that the segment came this much later than the quickest segment of its direction.
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
        let is_uplink = segment.direction == Direction::Uplink;
        if !is_uplink || segment.flow.vantage != Some(Vantage::Ue) {
            *self.newest.of_mut(segment.direction) = Some((segment.time, excess));
        }
        if is_uplink && segment.payload_bytes == 0 && excess >= limits.queue_before {
            self.late_acks.mark(segment.time - excess, segment.time);
        }
    }

    /// How late the phone's packets are, for an ACK of a flow whose own clock does not show it: all
    /// wait in the same queue before the uplink.
    pub(super) fn lateness_of_others(
        &self,
        flow: &FlowFacts,
        (direction, now): (Direction, Instant),
    ) -> Option<Lateness> {
        let passes_radio_before =
            direction == Direction::Uplink && flow.vantage != Some(Vantage::Ue);
        let newest = self.newest.uplink.map_or(now, |(time, _)| time);
        // Since the newest packet, its queue may have emptied as fast as time passes.
        let excess = self.delay(Direction::Uplink, now) - (now - newest);
        (passes_radio_before && excess > Duration::ZERO)
            .then_some(Lateness { excess, tick: Duration::MAX })
    }

    /// The times at which a sender's feedback was delayed by a queue: by the queue of data in the
    /// other direction (`own`: data of the same flow), or by the queue of the phone's ACKs.
    pub(crate) fn acks_queued(&self, sender: Direction, own: &QueueTimelines, bin: i64) -> Mask {
        let way = sender.reverse();
        let late = if way == Direction::Uplink { self.late_acks.at(bin) } else { 0 };
        own.behind.of(way).at(bin) | self.timelines.behind.of(way).at(bin) | late
    }

    /// The times at which flows whose queue nothing shows may have filled the phone's link.
    pub(crate) fn unseen_at(&self, direction: Direction, bin: i64) -> Mask {
        self.sums.of(direction).as_ref().map_or(0, |sum| sum.unseen_at(bin))
    }

    /// The number of round trips and one-way delays measured so far for data of a direction.
    pub(crate) const fn samples(&self, direction: Direction) -> u32 {
        *self.samples.of(direction)
    }

    /// Notes a queue at the end of the flow's packets, when data is in flight that nothing marks as
    /// lost. The age of that data is a lower bound of its RTT.
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

    /// How long the phone's newest packets of a direction waited before the radio, from the samples
    /// of all its flows; zero when no sample is recent.
    pub(crate) fn delay(&self, direction: Direction, now: Instant) -> Duration {
        let newest = self.newest.of(direction).filter(|(time, _)| now - *time <= DELAY_LIFE);
        newest.map_or(Duration::ZERO, |(_, delay)| delay)
    }

    /// Notes a queue before the capture point: a packet that came late had waited since the time at
    /// which it could have passed.
    fn note_before(
        &mut self,
        segment: &Segment<'_>,
        excess: Duration,
        own: &mut QueueTimelines,
        limits: &Limits,
    ) {
        let direction = segment.direction;
        let (all, own) = (&mut self.timelines.before, &mut own.before);
        self.before.take(segment, excess, limits, |(from, to)| {
            all.of_mut(direction).mark(from, to);
            own.of_mut(direction).mark(from, to);
        });
        let radio_before = matches!(segment.flow.vantage, Some(Vantage::Monitor | Vantage::Server));
        if direction == Direction::Uplink && radio_before {
            let wait = excess - beyond_clock(Duration::ZERO, limits);
            let sent = segment.time - wait.max(Duration::ZERO);
            self.fine_uplink.take((segment.time, wait), sent);
        }
    }

    /// Notes earlier packets whose delay has become known only now.
    fn note_settled(
        &mut self,
        packets: &[Waited],
        direction: Direction,
        own: &mut QueueTimelines,
        limits: &Limits,
    ) {
        if direction == Direction::Downlink {
            let waited = packets.iter().filter(|(_, wait)| *wait > limits.queue_jitter).count();
            self.note_samples(direction, waited as u32, own);
        }
        let before = self.timelines.before.of_mut(direction);
        self.before.take_earlier(packets, direction, limits, |(from, to)| before.mark(from, to));
    }

    /// Notes packets that could show a queue.
    fn note_samples(&mut self, direction: Direction, number: u32, own: &mut QueueTimelines) {
        let samples = self.samples.of_mut(direction);
        *samples = samples.saturating_add(number);
        *own.shown.of_mut(direction) |= number > 0;
    }

    /// Ends a flow: notes the packets for which echoes, but not the clock, show a wait.
    pub(crate) fn note_rest(
        &mut self,
        clock: &mut OneWayClocks,
        own: &mut QueueTimelines,
        limits: &Limits,
    ) {
        for direction in [Direction::Uplink, Direction::Downlink] {
            self.note_settled(&clock.finish(direction), direction, own, limits);
            self.emptied.of_mut(direction).leave(own.flights.of_mut(direction));
        }
    }

    /// Notes a queue after the capture point. The newest segment that an ACK covers was queued from
    /// the time it passed until one empty-path round trip before the ACK (methods T7).
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
            Direction::Downlink => self.behind.wait(segment.time, (rtt, own), lateness, limits),
            Direction::Uplink => {
                let slack = Slack::coarse(lateness, limits);
                (rtt - own - slack.jitter, slack.is_fine)
            }
        };
        let drained = segment.peer.in_flight_bytes() <= 0;
        // A wait that is longer than any delayed ACK is a queue, unless the ACK waited for the
        // answer that carries it.
        let rides = drained && segment.payload_bytes > 0;
        if data == Direction::Downlink && drained && !rides && timelines.ends_alone(segment) {
            self.behind.take_alone(segment.time, rtt);
        }
        let held_back = wait.as_millis_f64() < limits.delayed_ack_ms;
        if rides || held_back && may_be_delayed_ack(segment) {
            return;
        }
        let samples = self.samples.of_mut(data);
        *samples = samples.saturating_add(1);
        let sent = segment.time - rtt;
        let wait = match data {
            Direction::Downlink => {
                // When the data reached the phone: ACKs may wait there for one grant together.
                let late = lateness.map_or(Duration::ZERO, |late| late.excess);
                self.behind.take((segment.time - late, wait), sent, is_fine, limits)
            }
            Direction::Uplink => {
                if segment.flow.vantage == Some(Vantage::Ue) {
                    self.newest.uplink = Some((segment.time, wait.max(Duration::ZERO)));
                }
                self.note_fine_uplink(segment, (rtt, own), lateness, limits);
                wait
            }
        };
        if wait > Duration::ZERO {
            self.timelines.behind.of_mut(data).mark(sent, sent + wait);
            timelines.behind.of_mut(data).mark(sent, sent + wait);
        }
    }

    /// Notes how long uplink data waited after the capture point, which is the phone, where the
    /// server's clock shows how late the ACK was.
    fn note_fine_uplink(
        &mut self,
        segment: &Segment<'_>,
        (rtt, own): (Duration, Duration),
        lateness: Option<Lateness>,
        limits: &Limits,
    ) {
        let at_phone = segment.flow.vantage == Some(Vantage::Ue);
        let fine = Slack::by_clock(lateness, limits).filter(|_| at_phone);
        if let Some((slack, late)) = fine.and_then(|slack| Some((slack, slack.late?))) {
            let wait = rtt - own - late - slack.jitter;
            let sent = segment.time - rtt;
            self.fine_uplink.take((sent + wait.max(Duration::ZERO), wait), sent);
        }
    }

    /// The times at which a queue delayed the downlink data of the flow of `own`, even when HARQ
    /// rounds are excluded as the reason.
    pub(crate) fn standing_at(&self, own: &QueueTimelines, bin: i64) -> Mask {
        self.behind.standing_at(bin) | own.live.at(bin)
    }

    /// The times at which uplink data waited before the radio, in series without a pause; and those
    /// at which even the quickest packets did.
    pub(crate) fn fine_uplink_at(&self, bin: i64) -> (Mask, Mask) {
        (self.fine_uplink.at(bin), self.fine_uplink.standing_at(bin))
    }

    /// The times at which even the quickest downlink packets waited before the capture point, which
    /// is the phone.
    pub(crate) fn standing_before_at(&self, bin: i64) -> Mask {
        self.before.standing_at(bin)
    }
}

/// The time since the newest data passed that a segment acknowledges, cumulatively or selectively.
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

/// Whether the delayed-ACK timer may have held back the ACK, so that the RTT does not show a queue.
/// This is possible for one or two segments with nothing after them (RFC 1122 section 4.2.3.2;
/// Linux also delays the ACK of two segments while it cannot offer a larger window).
fn may_be_delayed_ack(segment: &Segment<'_>) -> bool {
    let few = 2 * u64::from(segment.peer.mss_bytes());
    segment.peer.in_flight_bytes() <= 0 && segment.acked_bytes <= few
}
