//! Assigns each packet to a subscriber and a flow (methods A2 to A4, A11).

mod answers;
mod bearers;
mod brief;
mod captures;
mod config;
mod expiry;
mod flow;
mod generations;
mod guesses;
mod half_open;
mod held;
mod hosts;
mod key;
mod memory;
mod plain;
mod recent;
mod router;
mod scale;
mod segments;
mod side;
mod state;
mod subscribers;
mod table;
mod translated;
mod votes;

use std::cmp::Ordering;
use std::sync::Arc;

use airmile_read::{Packet, TcpFlags, TcpHeader, Transport};
use airmile_types::{Direction, Instant, Side, Vantage};

use crate::facts::{Ending, FlowFacts, VantageSource};
use crate::handler::Handler;
use crate::segment::{Datagram, Segment};
use crate::segment_facts::SegmentFacts;
use brief::{Brief, Slot};

pub use config::TrackConfig;
use expiry::{Expiry, Tenant};
use flow::{Connection, Flow};
pub use guesses::Guesses;
use half_open::HalfOpen;
pub use held::{Held, Opened, Turn, Unnamed};
use key::{FlowKey, is_attempt};
use recent::{Ends, Found, Recent};
pub use router::{Route, Router};
pub use side::client;
use side::ports;
pub use state::Tracker;
use state::end_session;
use subscribers::Subscribers;
use table::Table;
pub use votes::VantageVotes;

/// At the end of the capture, the handler can be emptied each time that this number of flows or
/// sessions has ended.
const STEP: usize = 4096;

impl<H: Handler> Tracker<H> {
    /// A tracker that has seen no packet.
    pub fn new(config: TrackConfig, handler: H) -> Self {
        let session_gap = config.session_gap;
        Self {
            router: Router::new(&config),
            config,
            handler,
            flows: Table::new(),
            recent: Recent::new(),
            newest: None,
            subscribers: Subscribers::new(session_gap),
            expiry: Expiry::new(),
            half_open: HalfOpen::default(),
            ended_early: 0,
            ended_for_memory: 0,
            opened: 0,
            opened_whole: 0,
            unnamed: Unnamed::default(),
            packets: 0,
            votes: VantageVotes::default(),
            heard: VantageVotes::default(),
            capture_start: None,
            starts: Arc::default(),
            stretch: 0,
        }
    }

    /// Takes one packet. Packets come in capture order.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        // If addresses show which end is the phone, all packets of a flow have the same route as
        // its first.
        let as_before = packet.teid.is_none() && self.router.leaves_out_nothing();
        if as_before
            && !self.is_due(packet.time)
            && let Some(found) = self.find_recent(packet).filter(|found| found.is_routed)
        {
            self.packets += 1;
            return self.take(&found, packet);
        }
        let route = self.router.route(packet);
        if !route.copy {
            let place = self.packets;
            self.packets += 1;
            self.routed(packet, route, place);
        }
    }

    /// Takes one packet whose sender and subscriber a [`Router`] has found. This is for a tracker
    /// that handles a part of the subscribers. Packets come in capture order. `place` is the
    /// packet's number among the packets of the whole capture, without those whose route says that
    /// they are copies.
    pub fn routed(&mut self, packet: &Packet<'_>, route: Route, place: u64) {
        self.capture_start.get_or_insert(packet.time);
        self.expire(packet.time);
        match self.find_recent(packet) {
            Some(found) => self.take(&found, packet),
            None => self.look_up(packet, route, place),
        }
    }

    /// The flow of a TCP packet that opens no flow, if that flow is among the recent ones.
    #[inline]
    fn find_recent(&self, packet: &Packet<'_>) -> Option<Found> {
        let Transport::Tcp(tcp) = &packet.transport else { return None };
        let ends = Ends::of(packet, tcp);
        let slot = self.recent.slot(&ends);
        let Some(Slot::Whole(flow)) = self.flows.get(slot) else { return None };
        if tcp.flags.has(TcpFlags::SYN) {
            return None;
        }
        let direction = ends.direction(&flow.facts)?;
        debug_assert_eq!(self.flows.find(&FlowKey::of(packet)), Some(slot), "as the table says");
        Some(Found { slot, direction, is_routed: flow.is_routed })
    }

    #[inline]
    fn take(&mut self, found: &Found, packet: &Packet<'_>) {
        if let Transport::Tcp(tcp) = &packet.transport {
            self.tcp(found.slot, packet, tcp, found.direction);
        }
    }

    #[inline(never)]
    fn look_up(&mut self, packet: &Packet<'_>, route: Route, place: u64) {
        let (key, by_lower) = FlowKey::with_sender(packet);
        // The packets of a flow often follow each other, and the slot of the last flow needs no
        // hash.
        let slot = match self.newest {
            Some((last, slot)) if last == key => Some(slot),
            _ => self.flows.find(&key),
        };
        let slot = match slot {
            Some(slot) if !self.starts_anew(slot, packet, by_lower) => slot,
            Some(slot) => {
                let interrupted = self.flows.get(slot).is_some_and(Slot::is_interrupted);
                self.end(slot, if interrupted { Ending::Open } else { Ending::Reused });
                self.open(key, packet, route, place)
            }
            None => self.open(key, packet, route, place),
        };
        self.newest = Some((key, slot));
        match &packet.transport {
            Transport::Tcp(tcp) => {
                let Some(flow) = self.flows.get(slot) else { return };
                self.subscribers.wake(flow.subscriber(), packet, place);
                let direction = flow.direction(by_lower);
                self.recent.remember(&Ends::of(packet, tcp), slot);
                self.tcp(slot, packet, tcp, direction);
            }
            _ => self.datagram(slot, packet, by_lower, place),
        }
    }

    /// The handler, so that the caller can take out what it has collected.
    pub const fn handler(&mut self) -> &mut H {
        &mut self.handler
    }

    /// Gives a tracker that handles a part of the subscribers the facts of the whole input: when
    /// each capture began, the time of the clock now, and the votes of the other trackers' flows. A
    /// new stretch of the input begins with this call.
    pub fn advance(&mut self, starts: Arc<[Instant]>, now: Instant, others: VantageVotes) {
        self.starts = starts;
        self.heard = others;
        self.stretch = self.stretch.saturating_add(1);
        self.expire(now);
    }

    /// The number of connection attempts that were ended before `flow_gap` because too many were
    /// open, as in a scan or a flood.
    pub const fn ended_early(&self) -> u64 {
        self.ended_early
    }

    /// The flows of which the networks that the user gave do not tell which end is the phone.
    pub const fn unnamed(&self) -> Unnamed {
        self.unnamed
    }

    /// The votes of the flows so far for the capture point.
    pub const fn votes(&self) -> VantageVotes {
        self.votes
    }

    /// Ends all flows and sessions in the order of their first packets, and returns the handler.
    pub fn finish(self) -> H {
        self.finish_in_steps(|_| {})
    }

    /// As [`Self::finish`], but calls `empty` from time to time. Otherwise the handler would hold
    /// the rows of a million flows at once.
    pub fn finish_in_steps(mut self, mut empty: impl FnMut(&mut H)) -> H {
        let mut open: Vec<u32> = self.flows.live().map(|(slot, _)| slot).collect();
        open.sort_unstable_by(|a, b| self.by_first_packet(*a, *b));
        for (index, slot) in open.into_iter().enumerate() {
            self.end(slot, Ending::Open);
            if index % STEP == STEP - 1 {
                empty(&mut self.handler);
            }
        }
        for (index, (ue, session)) in self.subscribers.drain().enumerate() {
            end_session(&mut self.handler, ue, &session);
            if index % STEP == STEP - 1 {
                empty(&mut self.handler);
            }
        }
        self.handler
    }

    fn by_first_packet(&self, a: u32, b: u32) -> Ordering {
        let order = |slot| self.flows.get(slot).map(|flow| (flow.start(), flow.uid()));
        order(a).cmp(&order(b)).then_with(|| a.cmp(&b))
    }

    fn starts_anew(&self, slot: u32, packet: &Packet<'_>, by_lower: bool) -> bool {
        let Transport::Tcp(tcp) = &packet.transport else { return false };
        let Some(Slot::Whole(flow)) = self.flows.get(slot) else { return false };
        if flow.interrupted && !captures::continues(flow, tcp, by_lower) {
            return true;
        }
        if !tcp.flags.has(TcpFlags::SYN) {
            return false;
        }
        let Some(connection) = flow.connection.as_deref() else { return false };
        let direction = flow.direction(by_lower);
        if connection.is_first_answer(tcp, direction) {
            return false;
        }
        let answer = tcp.flags.has(TcpFlags::ACK);
        let number = connection.syn_number(&flow.facts, direction, answer);
        let late = connection.is_late_syn(&flow.facts, tcp, direction, packet.time);
        let over = flow.closed.is_some() || connection.is_closed_by(direction);
        segments::is_new_connection(tcp, number, late, over)
    }

    fn open(&mut self, key: FlowKey, packet: &Packet<'_>, route: Route, place: u64) -> u32 {
        let sender = route.sender;
        let (source_port, destination_port) = ports(packet);
        let (ue, server, ue_port, server_port) = match sender {
            Side::Ue => (packet.source, packet.destination, source_port, destination_port),
            Side::Server => (packet.destination, packet.source, destination_port, source_port),
        };
        let subscriber = self.subscribers.enter(route.subscriber, packet, place);
        let (vantage, vantage_source) = self.default_vantage(packet);
        let sequence = match &packet.transport {
            Transport::Tcp(tcp) => Some(tcp.sequence),
            _ => None,
        };
        let uid = key.uid(packet.time, sequence.unwrap_or(0), place);
        let facts = FlowFacts {
            session_id: subscriber.session_id,
            lacks_headers: packet.lacks_header(),
            teid: packet.teid,
            initiator: sequence.is_none().then_some(sender),
            vantage,
            vantage_source,
            ue_idle_before: subscriber.idle.filter(|_| route.subscriber != Route::NOBODY),
            is_subscribers: route.subscriber != Route::NOBODY,
            capture: packet.capture,
            since_capture_start: packet.time - self.start_of_capture(packet),
            ..FlowFacts::new(
                uid,
                (ue, ue_port),
                (server, server_port),
                packet.protocol(),
                packet.time,
            )
        };
        // Packets in a GTP-U tunnel show that the capture point is `monitor` (methods A11).
        self.votes.monitor += u64::from(facts.teid.is_some());
        self.opened = self.opened.wrapping_add(1);
        match self.router.named_ends(packet) {
            Some(0) => self.unnamed.neither += 1,
            Some(2) => self.unnamed.both += 1,
            _ => {}
        }
        let ue_is_lower = (ue, ue_port) == (key.low, key.low_port());
        let flow = if sequence.is_some() {
            let state = self.handler.open(&facts);
            let mut flow =
                Box::new(Flow::new(facts, state, subscriber.slot, self.opened, ue_is_lower));
            flow.is_routed = self.router.by_addresses(packet).is_some();
            flow.half_open = is_attempt(packet);
            self.opened_whole += 1;
            Slot::Whole(flow)
        } else {
            Slot::Brief(Brief::new(&facts, subscriber.slot, self.opened, ue_is_lower))
        };
        let half_open = flow.is_half_open();
        let slot = self.flows.insert(key, flow);
        self.expiry.push(packet.time + self.config.flow_gap, (slot, self.opened));
        let flows = &self.flows;
        self.expiry.prune(flows.len(), |(slot, number)| {
            flows.get(slot).is_some_and(|flow| flow.number() == number)
        });
        if half_open {
            self.half_open.add((slot, self.opened));
            self.shed();
        }
        slot
    }

    /// The time at which the capture of a packet began.
    fn start_of_capture(&self, packet: &Packet<'_>) -> Instant {
        let start = self.starts.get(packet.capture as usize).copied();
        start.or(self.capture_start).unwrap_or(packet.time)
    }

    /// Ends the oldest connection attempts when there are too many, because a flood would fill any
    /// memory.
    fn shed(&mut self) {
        let flows = &self.flows;
        let is_open = |(slot, number): Tenant| {
            flows.get(slot).is_some_and(|flow| flow.number() == number && flow.is_half_open())
        };
        if let Some(slot) = self.half_open.excess(is_open) {
            self.ended_early += 1;
            let subscriber = self.flows.get(slot).map(Slot::subscriber);
            self.end(slot, Ending::SynOnly);
            if let Some((ue, session)) = subscriber.and_then(|s| self.subscribers.dismiss(s)) {
                end_session(&mut self.handler, ue, &session);
            }
        }
    }

    /// The capture point until the flow itself shows it: the one that the user gave, the one that
    /// GTP-U shows, or the one that the other flows vote for.
    fn default_vantage(&self, packet: &Packet<'_>) -> (Option<Vantage>, Option<VantageSource>) {
        if let Some(given) = self.config.vantage {
            return (Some(given), Some(VantageSource::Given));
        }
        if packet.teid.is_some() {
            return (Some(Vantage::Monitor), Some(VantageSource::Tunnel));
        }
        let winner = (self.votes + self.heard).winner();
        (winner, winner.map(|_| VantageSource::Others))
    }

    fn tcp(&mut self, slot: u32, packet: &Packet<'_>, tcp: &TcpHeader, direction: Direction) {
        let Some((key, flow)) = self.flows.entry_mut(slot) else { return };
        let Some(flow) = flow.whole(key, &mut self.handler) else { return };
        (flow.stretch, flow.interrupted) = (self.stretch, false);
        let Flow { facts: flow_facts, connection, closed, .. } = flow;
        let connection =
            connection.get_or_insert_with(|| Box::new(Connection::new(flow_facts))).as_mut();
        let was_closed = closed.is_some();
        connection.note(flow_facts, packet, tcp, direction, closed);
        if flow.half_open && !is_attempt(packet) {
            flow.half_open = false;
            self.half_open.remove();
        }
        let shift = flow_facts.window_shift(direction);
        connection.stand_senders(flow_facts.vantage);
        let mut facts = SegmentFacts::new(packet, tcp, direction);
        segments::apply(&mut facts, packet, tcp, &mut connection.boards, shift);
        if flow_facts.lacks_scale() {
            connection.find_scale(flow_facts, &facts, tcp, self.subscribers.hosts(flow.subscriber));
        } else if tcp.flags.has(TcpFlags::SYN) {
            self.subscribers.note_scales(flow.subscriber, flow_facts);
        }
        if connection.listens() {
            connection.note_answer(&facts);
        }
        if connection.listens()
            && let Some((vantage, source)) =
                connection.hear_vantage(flow_facts, direction, facts.rtt.is_some())
        {
            if self.subscribers.vote(flow.subscriber, vantage, source) {
                flow_facts.vantage = Some(Vantage::Ue);
                flow_facts.vantage_source = Some(VantageSource::Others);
            } else {
                self.votes.count(vantage, source);
            }
        }
        if flow_facts.vantage.is_none() {
            flow_facts.vantage = (self.votes + self.heard).winner();
            flow_facts.vantage_source = flow_facts.vantage.map(|_| VantageSource::Others);
        }
        let Some((ue_facts, ue)) =
            self.subscribers.touch(flow.subscriber, packet, direction, self.stretch)
        else {
            return;
        };
        let segment = Segment {
            facts: &facts,
            own: connection.boards.of(direction),
            peer: connection.boards.of(direction.reverse()),
            flow: flow_facts,
            ue: &ue_facts,
        };
        self.handler.segment(&mut flow.state, ue, &segment);
        if let Some(deadline) = flow.closed.filter(|_| !was_closed) {
            self.expiry.push(deadline, (slot, flow.number));
        }
    }

    fn datagram(&mut self, slot: u32, packet: &Packet<'_>, by_lower: bool, place: u64) {
        let Some((key, flow)) = self.flows.entry_mut(slot) else { return };
        let direction = flow.direction(by_lower);
        let subscriber = flow.subscriber();
        self.subscribers.wake(subscriber, packet, place);
        let touched = self.subscribers.touch(subscriber, packet, direction, self.stretch);
        let Some((known, ue)) = touched else { return };
        let session_id = known.session_id;
        if let Slot::Brief(brief) = flow
            && brief.has_room(direction)
        {
            let facts = brief.facts(key, packet.time);
            if self.handler.lets_wait(ue, &datagram(packet, direction, session_id, &facts)) {
                return brief.note(packet, direction, self.stretch);
            }
        }
        self.opened_whole += u64::from(matches!(flow, Slot::Brief(_)));
        let Some(flow) = flow.whole(key, &mut self.handler) else { return };
        flow.stretch = self.stretch;
        flow.facts.end = flow.facts.end.max(packet.time);
        self.handler.datagram(
            &mut flow.state,
            ue,
            &datagram(packet, direction, session_id, &flow.facts),
        );
    }

    /// Whether the deadline of a flow or a session has come.
    #[inline]
    fn is_due(&self, now: Instant) -> bool {
        self.expiry.is_due(now) || self.subscribers.is_due(now)
    }

    #[inline]
    fn expire(&mut self, now: Instant) {
        if self.is_due(now) {
            self.end_silent(now);
        }
    }

    /// Ends flows and sessions that have been silent too long by the clock of the capture.
    #[inline(never)]
    fn end_silent(&mut self, now: Instant) {
        while let Some((slot, number)) = self.expiry.due(now) {
            let flow = self.flows.get(slot).filter(|flow| flow.number() == number);
            let Some(deadline) = flow.map(|flow| flow.deadline(&self.config)) else { continue };
            if deadline <= now {
                self.end(slot, Ending::Idle);
            } else {
                self.expiry.push(deadline, (slot, number));
            }
        }
        if self.subscribers.is_due(now) {
            let (ended, outlived) = self.subscribers.expired(now, H::take_session);
            for (ue, session) in ended {
                end_session(&mut self.handler, ue, &session);
            }
            if outlived {
                // Only a packet that is looked up by its key can begin a session, so the recent
                // flows are forgotten.
                self.recent.forget();
            }
        }
    }

    fn end(&mut self, slot: u32, otherwise: Ending) {
        let Some((key, flow)) = self.flows.remove(slot) else { return };
        self.newest = self.newest.filter(|(_, newest)| *newest != slot);
        let mut flow = flow.into_whole(&key, &mut self.handler);
        if flow.half_open {
            self.half_open.remove();
        }
        let otherwise = if flow.interrupted { Ending::Open } else { otherwise };
        flow.facts.ending = flow.ending(otherwise);
        if let Some((address, ue)) = self.subscribers.leave(flow.subscriber) {
            flow.facts.subscriber = Some(address).filter(|address| *address != Route::NOBODY);
            let boards = flow.connection.as_deref().map(|connection| &connection.boards);
            self.handler.end(flow.state, ue, &flow.facts, boards);
        }
    }
}

fn datagram<'a>(
    packet: &Packet<'a>,
    direction: Direction,
    session_id: u64,
    flow: &'a FlowFacts,
) -> Datagram<'a> {
    let echo = match packet.transport {
        Transport::Echo { reply, sequence, .. } => Some((reply, sequence)),
        _ => None,
    };
    let Packet { time, ip_bytes, payload_bytes, payload, .. } = *packet;
    Datagram { time, direction, ip_bytes, payload_bytes, payload, echo, session_id, flow }
}
