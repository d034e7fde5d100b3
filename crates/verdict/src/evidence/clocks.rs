//! Follows the timestamp clocks of both ends of a flow, and computes what they show of the delay of
//! a packet.

use airmile_read::{TcpFlags, Timestamps};
use airmile_track::{Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Maybe, PerDirection, Side, Vantage};

use super::far_loop::{Echo, FarLoop};
use super::one_way::{ClockLine, DelayBounds, OneWay};
use super::passing::GRANT;
use super::passing::Waited;
use super::slack::Lateness;
use super::unjudged::Unjudged;

/// The timestamp clocks of both ends, and how late the newest packets of each were.
#[derive(Clone, Debug, Default)]
pub(crate) struct OneWayClocks {
    clocks: PerDirection<OneWay>,
    /// How late the newest packet of either direction was.
    newest: Maybe<Duration>,
    /// How late the newest packet with a timestamp was, for each direction.
    newest_of: PerDirection<Maybe<Duration>>,
    /// The timestamp and the time of the newest packet of each direction, and of the packet before
    /// it.
    last: PerDirection<[(u32, Maybe<Instant>); 2]>,
    begun: bool,
    /// The time at which the path from a server to the capture point was seen to have changed.
    changed: Maybe<Instant>,
    /// The packets of a direction that passed before the tick of its sender's clock is known. For the
    /// downlink only at the phone, where no RTT shows the queue before the radio.
    unknown: PerDirection<Option<Box<Unknown>>>,
    /// Earlier packets of the newest packet's direction whose delay has become known, in order of
    /// time.
    settled: Vec<Waited>,
}

#[derive(Clone, Debug, Default)]
struct Unknown {
    loops: FarLoop,
    unjudged: Unjudged,
}

airmile_types::held!(OneWayClocks { clocks, unknown, settled } Unknown { loops, unjudged });

/// What a packet's timestamps show of its delay.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timing {
    /// How late the packet was; `None` while no tick length has passed the test.
    pub(super) excess: Option<Duration>,
    /// Whether the packet echoes a timestamp whose passing of the capture point is known.
    pub(super) echoes: bool,
    /// Whether this packet may make the delay of earlier packets of its direction known.
    pub(super) settles: bool,
}

impl OneWayClocks {
    /// Takes a packet of the flow and returns what its timestamps show. `feedback_late` tells how long
    /// the newest packets waited that its sender answers, and `opened_late` how long the answer to the
    /// flow's SYN did.
    #[inline]
    pub(super) fn take(
        &mut self,
        segment: &Segment<'_>,
        feedback_late: impl Fn() -> Duration,
        opened_late: impl Fn() -> Duration,
    ) -> Timing {
        if !self.begun {
            self.begin(segment, opened_late());
        }
        self.newest = Maybe::NONE;
        let Some(timestamps) = segment.timestamps else { return Timing::default() };
        let direction = segment.direction;
        let last = self.last.of_mut(direction);
        *last = [last[1], (timestamps.value, segment.time.into())];
        self.hear(timestamps.value, segment);
        if direction == Direction::Downlink {
            self.follow_path(segment);
        }
        if self.unknown.of(direction).is_some() {
            return self.take_unjudged(timestamps, segment, feedback_late());
        }
        let excess = self.clocks.of_mut(direction).excess(timestamps.value, segment.time, None);
        self.newest = excess.into();
        *self.newest_of.of_mut(direction) = self.newest;
        let settles = excess.is_none() && is_far_queue(segment);
        if settles {
            self.settled = self.settle(timestamps.value, None, segment);
        }
        Timing { excess, settles, ..Timing::default() }
    }

    /// Notes a packet whose timestamp the other end may echo.
    #[inline]
    fn hear(&mut self, tsval: u32, segment: &Segment<'_>) {
        if let Some(unknown) = self.unknown.of_mut(segment.direction.reverse())
            && segment.start <= segment.own.unacked()
        {
            let carries = segment.payload_bytes > 0 || segment.flags.has(TcpFlags::FIN);
            unknown.loops.hear(tsval, segment.time, carries);
        }
    }

    #[inline]
    fn follow_path(&mut self, segment: &Segment<'_>) {
        let changed = segment.own.path_changed().into();
        if changed != self.changed {
            self.changed = changed;
            self.clocks.downlink.begin_anew();
        }
    }

    /// Takes a packet while the tick of its sender's clock is not known.
    #[inline(never)]
    fn take_unjudged(
        &mut self,
        timestamps: Timestamps,
        segment: &Segment<'_>,
        feedback_late: Duration,
    ) -> Timing {
        let direction = segment.direction;
        let echo = self.echo(timestamps.echo, segment).map(|echo| echo.heard_late(feedback_late));
        let known = echo.map(|echo| echo.of_far(self.hears_acks(direction)));
        let bounds = known.map(|echo| bounds(&echo, segment.own.loop_time()));
        let clock = self.clocks.of_mut(direction);
        self.newest = clock.excess(timestamps.value, segment.time, bounds).into();
        *self.newest_of.of_mut(direction) = self.newest;
        self.settled = self.settle(timestamps.value, echo, segment);
        // A server may echo its request for long, until it hears of the data.
        let shows = |echo: Echo| direction == Direction::Uplink || echo.unheard.is_some();
        let echoes = known.is_some_and(shows);
        Timing { excess: self.newest.get(), echoes, settles: true }
    }

    /// Returns, once, the earlier packets whose delay the newest packet made known.
    pub(super) fn take_settled(&mut self) -> Vec<Waited> {
        std::mem::take(&mut self.settled)
    }

    /// How late the newest packet of a direction was, with the tick of its sender's clock; `None`
    /// while that tick is not known.
    pub(super) fn lateness(&self, direction: Direction) -> Option<Lateness> {
        let excess = self.newest_of(direction)?;
        Some(Lateness { excess, tick: self.tick(direction) })
    }

    /// The longest delay of packets of a direction that their sender's clock hides; `None` while its
    /// tick is not known.
    pub(super) fn hidden(&self, direction: Direction) -> Option<Duration> {
        self.newest_of(direction).map(|_| self.clocks.of(direction).hidden())
    }

    /// The tick of a sender's clock, as far as the tick is known.
    pub(super) fn tick(&self, direction: Direction) -> Duration {
        self.clocks.of(direction).tick()
    }

    /// The clock of a sender, for its other flows.
    pub(super) fn line(&self, direction: Direction) -> Option<ClockLine> {
        self.clocks.of(direction).line()
    }

    /// How late the newest packet was, above the least delay of its direction.
    pub(crate) fn newest_excess(&self) -> Option<Duration> {
        self.newest.get()
    }

    /// How much later the newest packet, which belongs to this direction, was than the packet
    /// before it. A path or a clock that had already changed before that packet adds nothing to the
    /// difference.
    pub(crate) fn newest_gain(&self, direction: Direction) -> Option<Duration> {
        let clock = self.clocks.of(direction);
        let (tsval, at) = self.last.of(direction)[0];
        let before = at.get().and_then(|at| clock.excess_of(tsval, at));
        Some((self.newest.get()? - before.unwrap_or(Duration::ZERO)).max(Duration::ZERO))
    }

    /// How late the newest packet of a direction was.
    pub(super) fn newest_of(&self, direction: Direction) -> Option<Duration> {
        self.newest_of.of(direction).get()
    }

    /// Ends the flow, and returns the waits that echoes show of packets for which the clock shows
    /// none.
    pub(super) fn finish(&mut self, direction: Direction) -> Vec<Waited> {
        let hears_acks = self.hears_acks(direction);
        let unknown = self.unknown.of_mut(direction).take();
        unknown.map(|mut it| it.unjudged.by_loop(hears_acks)).unwrap_or_default()
    }

    fn hears_acks(&self, direction: Direction) -> bool {
        self.unknown.of(direction).as_ref().is_some_and(|unknown| unknown.loops.hears_acks())
    }

    /// Begins the state, and takes the packets of the handshake if they have passed before. A
    /// handshake waits in no queue that its own flow makes, but the answer may have waited in one of
    /// other flows.
    #[cold]
    fn begin(&mut self, segment: &Segment<'_>, opened_late: Duration) {
        self.begun = true;
        let flow = segment.flow;
        let ours = flow.initiator == Some(Side::Ue);
        let [syn, answer, ack] = [flow.syn, flow.syn_ack, flow.handshake_ack].map(|packet| {
            let packet = packet.filter(|packet| ours && packet.time <= segment.time)?;
            Some((packet.time, packet.timestamps?))
        });
        self.unknown.uplink = Some(Box::default());
        self.unknown.downlink = (flow.vantage == Some(Vantage::Ue)).then(Box::default);
        self.shake(Direction::Uplink, syn);
        self.shake(Direction::Downlink, answer);
        if answer.is_some() && self.unknown.downlink.is_some() {
            self.clocks.downlink.began_late(opened_late);
        }
        self.shake(Direction::Uplink, ack);
    }

    /// Takes a packet of the handshake.
    fn shake(&mut self, direction: Direction, packet: Option<(Instant, Timestamps)>) {
        let Some((time, stamp)) = packet else { return };
        if let Some(other) = self.unknown.of_mut(direction.reverse()) {
            other.loops.hear(stamp.value, time, true);
        }
        if let Some(unknown) = self.unknown.of_mut(direction) {
            let echo = unknown.loops.echo(stamp.echo, time).map(|echo| bounds(&echo, None));
            self.clocks.of_mut(direction).excess(stamp.value, time, echo);
        }
    }

    fn echo(&mut self, tsecr: u32, segment: &Segment<'_>) -> Option<Echo> {
        let unknown = self.unknown.of_mut(segment.direction).as_mut();
        let echo = unknown.filter(|_| segment.ack.is_some())?.loops.echo(tsecr, segment.time)?;
        // The far end has not heard this packet yet. The packet may still wait in the other
        // direction's queue, behind the data in flight.
        let unheard = echo.unheard.filter(|_| segment.peer.in_flight_bytes() <= 0);
        Some(Echo { unheard, ..echo })
    }

    /// Keeps the packet while the tick of its clock is not known. Returns the kept packets when the
    /// tick becomes known, or has been unknown for too long.
    fn settle(&mut self, tsval: u32, echo: Option<Echo>, segment: &Segment<'_>) -> Vec<Waited> {
        let direction = segment.direction;
        if self.newest.is_some() {
            let clock = self.clocks.of(direction);
            let unknown = self.unknown.of_mut(direction).take();
            return unknown.map(|mut it| it.unjudged.by_clock(clock)).unwrap_or_default();
        }
        let Unknown { loops, unjudged } =
            &mut **self.unknown.of_mut(direction).get_or_insert_default();
        let echo = echo.filter(|_| segment.peer.in_flight_bytes() <= 0);
        if segment.payload_bytes > 0 {
            // A phone may stamp its data long before its modem takes them, and of packets that come
            // out of order the older timestamp seems late.
            let in_order = segment.class == Some(SegmentClass::New);
            let late = if direction == Direction::Downlink && in_order {
                self.clocks.downlink.excess_at_least(tsval, segment.time)
            } else {
                Duration::ZERO
            };
            unjudged.keep((segment.time, tsval), echo, late, segment.own.loop_time());
        }
        if !unjudged.is_overdue(segment.time) {
            return Vec::new();
        }
        unjudged.by_loop(loops.hears_acks())
    }
}

/// Whether the queue before the radio lies between the sender and the capture point, where the
/// packet's wait must come from its sender's clock.
pub(super) fn is_far_queue(segment: &Segment<'_>) -> bool {
    segment.direction == Direction::Uplink || segment.flow.vantage == Some(Vantage::Ue)
}

/// The bounds that an echo sets to the delay of its packet. They allow for one HARQ round more on
/// the path to the sender.
fn bounds(echo: &Echo, base: Option<Duration>) -> DelayBounds {
    let waited = echo.unheard.zip(base).map(|(unheard, base)| unheard - base - GRANT);
    let shortest = waited.unwrap_or(Duration::ZERO).max(Duration::ZERO);
    DelayBounds { longest: echo.longest, shortest }
}
