//! Keeps, in a compact form, a flow without TCP that has had at most one packet in each direction.
//!
//! Most flows of a scan or of a large capture never have more. The handler gets the facts that the
//! phone's flows share with each packet. What only the flow's own state needs is passed on when
//! that state is made: with the first packet that does not fit here, or at the end of the flow.

use airmile_read::Packet;
use airmile_types::{Address, Direction, Duration, Instant, Maybe, Protocol, Side, Vantage};

use super::config::TrackConfig;
use super::flow::Flow;
use super::key::FlowKey;
use crate::facts::{FlowFacts, VantageSource};
use crate::handler::Handler;
use crate::segment::Datagram;

/// The content of a slot in the table of flows.
#[derive(Debug)]
pub(super) enum Slot<S> {
    Brief(Brief),
    Whole(Box<Flow<S>>),
}

/// The facts of a brief flow that cannot be derived from other data.
#[derive(Debug)]
pub(super) struct Brief {
    uid: u64,
    session_id: u64,
    since_capture_start: Duration,
    ue_idle_before: Maybe<Duration>,
    /// The first packet, and the first packet in the other direction.
    seen: [Seen; 2],
    subscriber: u32,
    number: u32,
    capture: u32,
    /// The stretch of the capture in which the newest packet came, see [`super::Turn`].
    stretch: u32,
    teid: Option<u32>,
    /// How many packets of `seen` wait for the flow's state.
    waiting: u8,
    /// The direction of the first packet in `seen`.
    first: Direction,
    ue_is_lower: bool,
    initiator: Option<Side>,
    lacks_headers: bool,
    is_subscribers: bool,
    protocol: Protocol,
    vantage: Option<Vantage>,
    vantage_source: Option<VantageSource>,
}

/// The greatest size of an entry with its key. Most flows of a large capture take this, plus some
/// bytes for the index and the deadline.
const _: () = assert!(size_of::<Option<(FlowKey, Slot<()>)>>() <= 160);

/// A packet without its payload.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    time: Instant,
    ip_bytes: u32,
    payload_bytes: u32,
}

impl<S> Slot<S> {
    pub(super) fn number(&self) -> u32 {
        match self {
            Self::Brief(brief) => brief.number,
            Self::Whole(flow) => flow.number,
        }
    }

    pub(super) const fn subscriber_mut(&mut self) -> &mut u32 {
        match self {
            Self::Brief(brief) => &mut brief.subscriber,
            Self::Whole(flow) => &mut flow.subscriber,
        }
    }

    pub(super) fn subscriber(&self) -> u32 {
        match self {
            Self::Brief(brief) => brief.subscriber,
            Self::Whole(flow) => flow.subscriber,
        }
    }

    /// Whether only SYNs were seen, so that the flow counts as a connection attempt.
    pub(super) fn is_half_open(&self) -> bool {
        matches!(self, Self::Whole(flow) if flow.half_open)
    }

    /// Whether the flow's capture is over, see [`Flow::interrupted`].
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self, Self::Whole(flow) if flow.interrupted)
    }

    /// The time of the first packet.
    pub(super) fn start(&self) -> Instant {
        match self {
            Self::Brief(brief) => brief.start(),
            Self::Whole(flow) => flow.facts.start,
        }
    }

    /// The time of the last packet.
    pub(super) fn last(&self) -> Instant {
        match self {
            Self::Brief(brief) => brief.end(),
            Self::Whole(flow) => flow.facts.end,
        }
    }

    /// The stretch of the capture in which the newest packet came, see [`super::Turn`].
    pub(super) fn stretch(&self) -> u32 {
        match self {
            Self::Brief(brief) => brief.stretch,
            Self::Whole(flow) => flow.stretch,
        }
    }

    pub(super) fn uid(&self) -> u64 {
        match self {
            Self::Brief(brief) => brief.uid,
            Self::Whole(flow) => flow.facts.uid,
        }
    }

    /// The time at which the flow ends if no further packet comes.
    pub(super) fn deadline(&self, config: &TrackConfig) -> Instant {
        match self {
            Self::Brief(brief) => brief.end() + config.flow_gap,
            Self::Whole(flow) => flow.closed.unwrap_or(flow.facts.end + config.flow_gap),
        }
    }

    /// The direction of a packet, where `by_lower` says whether the lower end of the flow's key
    /// sent it.
    pub(super) fn direction(&self, by_lower: bool) -> Direction {
        match self {
            Self::Brief(brief) if by_lower == brief.ue_is_lower => Direction::Uplink,
            Self::Brief(_) => Direction::Downlink,
            Self::Whole(flow) => flow.direction(by_lower),
        }
    }

    /// The flow with its state; a brief flow gets its state here.
    #[inline]
    pub(super) fn whole<H: Handler<Flow = S>>(
        &mut self,
        key: &FlowKey,
        handler: &mut H,
    ) -> Option<&mut Flow<S>> {
        if let Self::Brief(brief) = self {
            *self = Self::Whole(brief.unfold(key, handler));
        }
        match self {
            Self::Brief(_) => None,
            Self::Whole(flow) => Some(flow),
        }
    }

    pub(super) fn into_whole<H: Handler<Flow = S>>(
        self,
        key: &FlowKey,
        handler: &mut H,
    ) -> Box<Flow<S>> {
        match self {
            Self::Brief(brief) => brief.unfold(key, handler),
            Self::Whole(flow) => flow,
        }
    }
}

impl Brief {
    /// Makes a brief flow from the facts with which the flow begins; none of its packets is noted
    /// yet.
    pub(super) fn new(facts: &FlowFacts, subscriber: u32, number: u32, ue_is_lower: bool) -> Self {
        Self {
            uid: facts.uid,
            session_id: facts.session_id,
            since_capture_start: facts.since_capture_start,
            ue_idle_before: facts.ue_idle_before.into(),
            seen: [Seen { time: facts.start, ..Seen::default() }; 2],
            subscriber,
            number,
            capture: facts.capture,
            stretch: 0,
            teid: facts.teid,
            waiting: 0,
            first: Direction::Uplink,
            ue_is_lower,
            initiator: facts.initiator,
            lacks_headers: facts.lacks_headers,
            is_subscribers: facts.is_subscribers,
            protocol: facts.protocol,
            vantage: facts.vantage,
            vantage_source: facts.vantage_source,
        }
    }

    /// Whether another packet of this direction may wait here. A second packet of one direction may
    /// cause rows to be written, so it may not.
    pub(super) fn has_room(&self, direction: Direction) -> bool {
        self.waiting == 0 || (self.waiting == 1 && direction != self.first)
    }

    /// Keeps a packet for which [`Self::has_room`] is true.
    pub(super) fn note(&mut self, packet: &Packet<'_>, direction: Direction, stretch: u32) {
        self.stretch = stretch;
        if self.waiting == 0 {
            self.first = direction;
        }
        if let Some(seen) = self.seen.get_mut(usize::from(self.waiting)) {
            let Packet { time, ip_bytes, payload_bytes, .. } = *packet;
            *seen = Seen { time, ip_bytes, payload_bytes };
            self.waiting += 1;
        }
    }

    /// The flow's facts at the time of a packet that is not noted yet.
    pub(super) fn facts(&self, key: &FlowKey, now: Instant) -> FlowFacts {
        FlowFacts { end: self.end().max(now), ..self.first_facts(key) }
    }

    /// The flow's facts at its first packet.
    fn first_facts(&self, key: &FlowKey) -> FlowFacts {
        let (ue, server) = self.ends(key);
        FlowFacts {
            session_id: self.session_id,
            lacks_headers: self.lacks_headers,
            is_subscribers: self.is_subscribers,
            teid: self.teid,
            initiator: self.initiator,
            vantage: self.vantage,
            vantage_source: self.vantage_source,
            ue_idle_before: self.ue_idle_before.get(),
            capture: self.capture,
            since_capture_start: self.since_capture_start,
            ..FlowFacts::new(self.uid, ue, server, self.protocol, self.start())
        }
    }

    fn ends(&self, key: &FlowKey) -> ((Address, u16), (Address, u16)) {
        let (low, high) = ((key.low, key.low_port()), (key.high, key.high_port()));
        if self.ue_is_lower { (low, high) } else { (high, low) }
    }

    /// Makes the flow's state, and passes the waiting packets to it.
    #[cold]
    #[inline(never)]
    fn unfold<H: Handler>(&self, key: &FlowKey, handler: &mut H) -> Box<Flow<H::Flow>> {
        let mut facts = self.first_facts(key);
        let mut state = handler.open(&facts);
        let directions = [self.first, self.first.reverse()];
        for (seen, direction) in self.seen.iter().zip(directions).take(usize::from(self.waiting)) {
            facts.end = facts.end.max(seen.time);
            handler.catch_up(&mut state, &seen.datagram(direction, &facts));
        }
        Box::new(Flow::new(facts, state, self.subscriber, self.number, self.ue_is_lower))
    }

    fn start(&self) -> Instant {
        self.seen[0].time
    }

    fn end(&self) -> Instant {
        self.seen[0].time.max(self.seen[1].time)
    }
}

impl Seen {
    fn datagram<'a>(&self, direction: Direction, flow: &'a FlowFacts) -> Datagram<'a> {
        let Self { time, ip_bytes, payload_bytes } = *self;
        Datagram {
            time,
            direction,
            ip_bytes,
            payload_bytes,
            payload: &[],
            echo: None,
            session_id: flow.session_id,
            flow,
        }
    }
}
