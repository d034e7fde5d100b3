//! Follows the timestamp clocks of both ends of a flow, and computes what they show of the delay of
//! a packet.

use airmile_read::{TcpFlags, Timestamps};
use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, Maybe, PerDirection, Side};

use super::one_way::{DelayBounds, OneWay};
use super::passing::GRANT;
use super::passing::Waited;
use super::phone_loop::{Echo, PhoneLoop};
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
    /// The packets that passed before the tick of the phone's clock is known.
    phone: Option<Box<Phone>>,
    /// Earlier uplink packets whose delay has become known, in order of time.
    settled: Vec<Waited>,
}

#[derive(Clone, Debug, Default)]
struct Phone {
    loops: PhoneLoop,
    unjudged: Unjudged,
}

airmile_types::held!(OneWayClocks { clocks, phone, settled } Phone { loops, unjudged });

/// What a packet's timestamps show of its delay.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timing {
    /// How late the packet was; `None` while no tick length has passed the test.
    pub(super) excess: Option<Duration>,
    /// Whether the packet echoes a timestamp whose passing of the capture point is known.
    pub(super) echoes: bool,
    /// Whether this packet may make the delay of earlier uplink packets known.
    pub(super) settles: bool,
}

impl OneWayClocks {
    /// Takes a packet of the flow and returns what its timestamps show.
    #[inline]
    pub(super) fn take(&mut self, segment: &Segment<'_>) -> Timing {
        if !self.begun {
            self.begin(segment);
        }
        self.newest = Maybe::NONE;
        let Some(timestamps) = segment.timestamps else { return Timing::default() };
        let last = self.last.of_mut(segment.direction);
        *last = [last[1], (timestamps.value, segment.time.into())];
        match segment.direction {
            Direction::Downlink => {
                self.take_downlink(timestamps.value, segment);
                Timing { excess: self.newest.get(), ..Timing::default() }
            }
            Direction::Uplink => self.take_uplink(timestamps, segment),
        }
    }

    #[inline]
    fn take_downlink(&mut self, tsval: u32, segment: &Segment<'_>) {
        if let Some(phone) = &mut self.phone
            && segment.start <= segment.own.unacked()
        {
            let carries = segment.payload_bytes > 0 || segment.flags.has(TcpFlags::FIN);
            phone.loops.hear(tsval, segment.time, carries);
        }
        let changed = segment.own.path_changed().into();
        if changed != self.changed {
            self.changed = changed;
            self.clocks.downlink.begin_anew();
        }
        self.newest = self.clocks.downlink.excess(tsval, segment.time, None).into();
        self.newest_of.downlink = self.newest;
    }

    #[inline]
    fn take_uplink(&mut self, timestamps: Timestamps, segment: &Segment<'_>) -> Timing {
        if self.phone.is_some() {
            return self.take_unjudged(timestamps, segment);
        }
        self.newest = self.clocks.uplink.excess(timestamps.value, segment.time, None).into();
        self.newest_of.uplink = self.newest;
        if !self.newest.is_some() {
            self.settled = self.settle(timestamps.value, None, segment);
            return Timing { settles: true, ..Timing::default() };
        }
        Timing { excess: self.newest.get(), ..Timing::default() }
    }

    /// Takes a packet while the tick of the phone's clock is not known.
    #[inline(never)]
    fn take_unjudged(&mut self, timestamps: Timestamps, segment: &Segment<'_>) -> Timing {
        let echo = self.echo(timestamps.echo, segment);
        let bounds =
            echo.map(|echo| bounds(&echo.of_phone(self.hears_acks()), segment.own.loop_time()));
        self.newest = self.clocks.uplink.excess(timestamps.value, segment.time, bounds).into();
        self.newest_of.uplink = self.newest;
        self.settled = self.settle(timestamps.value, echo, segment);
        Timing { excess: self.newest.get(), echoes: echo.is_some(), settles: true }
    }

    /// Returns, once, the earlier uplink packets whose delay the newest packet made known.
    pub(super) fn take_settled(&mut self) -> Vec<Waited> {
        std::mem::take(&mut self.settled)
    }

    /// The tick of a sender's clock, as far as the tick is known.
    pub(super) fn tick(&self, direction: Direction) -> Duration {
        self.clocks.of(direction).tick()
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
    pub(super) fn finish(&mut self) -> Vec<Waited> {
        let hears_acks = self.hears_acks();
        self.phone.take().map(|mut p| p.unjudged.by_loop(hears_acks)).unwrap_or_default()
    }

    fn hears_acks(&self) -> bool {
        self.phone.as_ref().is_some_and(|phone| phone.loops.hears_acks())
    }

    /// Begins the state, and takes the packets of the handshake if they have passed before. A
    /// handshake waits in no queue that its own flow makes.
    #[cold]
    fn begin(&mut self, segment: &Segment<'_>) {
        self.begun = true;
        let flow = segment.flow;
        let mut phone = Box::<Phone>::default();
        let ours = flow.initiator == Some(Side::Ue);
        let [syn, answer, ack] = [flow.syn, flow.syn_ack, flow.handshake_ack].map(|packet| {
            let packet = packet.filter(|packet| ours && packet.time < segment.time)?;
            Some((packet.time, packet.timestamps?))
        });
        if let Some((time, stamp)) = syn {
            self.clocks.uplink.excess(stamp.value, time, None);
        }
        if let Some((time, stamp)) = answer {
            phone.loops.hear(stamp.value, time, true);
        }
        if let Some((time, stamp)) = ack {
            let echo = phone.loops.echo(stamp.echo, time).map(|echo| bounds(&echo, None));
            self.clocks.uplink.excess(stamp.value, time, echo);
        }
        self.phone = Some(phone);
    }

    fn echo(&mut self, tsecr: u32, segment: &Segment<'_>) -> Option<Echo> {
        let phone = self.phone.as_mut().filter(|_| segment.ack.is_some())?;
        let echo = phone.loops.echo(tsecr, segment.time)?;
        // The phone has not heard this packet yet. The packet may still wait in the downlink's
        // queue, behind the data in flight.
        let unheard = echo.unheard.filter(|_| segment.peer.in_flight_bytes() <= 0);
        Some(Echo { unheard, ..echo })
    }

    /// Keeps the packet while the tick of its clock is not known. Returns the kept packets when the
    /// tick becomes known, or has been unknown for too long.
    fn settle(&mut self, tsval: u32, echo: Option<Echo>, segment: &Segment<'_>) -> Vec<Waited> {
        if self.newest.is_some() {
            let phone = self.phone.take();
            return phone.map(|mut p| p.unjudged.by_clock(&self.clocks.uplink)).unwrap_or_default();
        }
        let Phone { loops, unjudged } = &mut **self.phone.get_or_insert_default();
        let echo = echo.filter(|_| segment.peer.in_flight_bytes() <= 0);
        if segment.payload_bytes > 0 {
            unjudged.keep(segment.time, tsval, echo, segment.own.loop_time());
        }
        if !unjudged.is_overdue(segment.time) {
            return Vec::new();
        }
        unjudged.by_loop(loops.hears_acks())
    }
}

/// The bounds that an echo sets to the delay of its packet. They allow for one HARQ round more on
/// the path to the phone.
fn bounds(echo: &Echo, base: Option<Duration>) -> DelayBounds {
    let waited = echo.unheard.zip(base).map(|(unheard, base)| unheard - base - GRANT);
    let shortest = waited.unwrap_or(Duration::ZERO).max(Duration::ZERO);
    DelayBounds { longest: echo.longest, shortest }
}
