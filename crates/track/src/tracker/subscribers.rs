//! Keeps the subscribers and their sessions (methods A3).

use airmile_read::Packet;
use airmile_types::{Address, Direction, Duration, Instant, PerDirection, Vantage};

use super::expiry::Expiry;
use super::held::{Held, PLACE_BYTES, Turn};
use super::hosts::HostScales;
use super::table::{Key, Table, mix_wide, unique};
use super::votes::VantageVotes;
use crate::facts::{FlowFacts, UeFacts, VantageSource};
use crate::handler::SessionFacts;

#[derive(Debug)]
pub(super) struct Subscribers<U> {
    table: Table<Address, Subscriber<U>>,
    expiry: Expiry,
    /// The silence that ends a session.
    gap: Duration,
}

#[derive(Debug)]
struct Subscriber<U> {
    session: SessionFacts,
    state: U,
    live_flows: u32,
    /// The capture of the newest packet.
    capture: u32,
    last_packet: Option<Instant>,
    /// The capture points that the phone's flows show.
    votes: VantageVotes,
    /// The window scales that the phone and its servers offered.
    hosts: HostScales,
    /// A number that distinguishes this subscriber from others in the same slot.
    number: u32,
    /// The stretch of the capture in which the newest packet came, see [`Turn`].
    stretch: u32,
    /// Whether the session has ended although flows are still live; the next packet begins another
    /// session.
    resting: bool,
}

impl Key for Address {
    fn hash(&self) -> u64 {
        mix_wide(self.bits())
    }
}

impl<U: Default> Subscribers<U> {
    pub(super) const fn new(gap: Duration) -> Self {
        Self { table: Table::new(), expiry: Expiry::new(), gap }
    }

    /// Notes that a flow of this phone begins with `packet`, which is at `place`.
    pub(super) fn enter(&mut self, key: Address, packet: &Packet<'_>, place: u64) -> Entry {
        let slot = self.table.find(&key).unwrap_or_else(|| self.begin(key, packet, place));
        let Some(subscriber) = self.table.get_mut(slot) else {
            return Entry { slot, session_id: 0, idle: None };
        };
        subscriber.wake(packet, place);
        subscriber.live_flows += 1;
        subscriber.session.flows += 1;
        let idle = subscriber.last_packet.map(|last| packet.time - last);
        Entry { slot, session_id: subscriber.session.session_id, idle }
    }

    /// Begins a session with `packet`, which is at `place`, if the phone's last session has ended.
    pub(super) fn wake(&mut self, slot: u32, packet: &Packet<'_>, place: u64) {
        if let Some(subscriber) = self.table.get_mut(slot) {
            subscriber.wake(packet, place);
        }
    }

    /// Notes a packet of this phone, whose session is live. Returns what was known before the
    /// packet, and the handler's state.
    pub(super) fn touch(
        &mut self,
        slot: u32,
        packet: &Packet<'_>,
        direction: Direction,
        stretch: u32,
    ) -> Option<(UeFacts, &mut U)> {
        let subscriber = self.table.get_mut(slot)?;
        debug_assert!(!subscriber.resting, "no packet passes between two sessions");
        let facts = UeFacts {
            session_id: subscriber.session.session_id,
            session_start: subscriber.session.start,
            last_packet: subscriber.last_packet,
            flows: subscriber.session.flows,
            payload_bytes: subscriber.session.payload_bytes,
        };
        (subscriber.stretch, subscriber.capture) = (stretch, packet.capture);
        subscriber.last_packet = subscriber.last_packet.max(Some(packet.time));
        subscriber.session.end = subscriber.session.end.max(packet.time);
        *subscriber.session.payload_bytes.of_mut(direction) += u64::from(packet.payload_bytes);
        Some((facts, &mut subscriber.state))
    }

    /// Counts the capture point that a flow of this phone shows. Returns whether it is the phone all
    /// the same, as nearly all of its earlier flows show: a phone that was slow to answer once seems
    /// to be far away.
    #[cold]
    pub(super) fn vote(&mut self, slot: u32, vantage: Vantage, source: VantageSource) -> bool {
        let Some(subscriber) = self.table.get_mut(slot) else { return false };
        let at_the_phone = subscriber.votes.are_at_the_phone();
        subscriber.votes.count(vantage, source);
        at_the_phone && vantage == Vantage::Monitor
    }

    /// The window scales of the hosts of this phone.
    pub(super) fn hosts(&self, slot: u32) -> Option<&HostScales> {
        self.table.get(slot).map(|subscriber| &subscriber.hosts)
    }

    /// Remembers the scales that a handshake has agreed. If one side offered none, the other may
    /// have left its own out for that reason (RFC 7323 section 2.2).
    #[cold]
    pub(super) fn note_scales(&mut self, slot: u32, flow: &FlowFacts) {
        let Some(subscriber) = self.table.get_mut(slot) else { return };
        let offered = |direction| flow.options(direction).and_then(|options| options.window_scale);
        if let (Some(ue), Some(server)) = (offered(Direction::Uplink), offered(Direction::Downlink))
        {
            subscriber.hosts.note(flow.ue, ue);
            subscriber.hosts.note(flow.server, server);
        }
    }

    /// Notes that a flow of this phone has ended; returns the phone's address and the handler's
    /// state.
    pub(super) fn leave(&mut self, slot: u32) -> Option<(Address, &mut U)> {
        let subscriber = self.table.get_mut(slot)?;
        subscriber.live_flows = subscriber.live_flows.saturating_sub(1);
        Some((subscriber.session.ue, &mut subscriber.state))
    }

    /// Whether the deadline of a session has come.
    #[inline]
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.expiry.is_due(now)
    }

    /// Ends the session of a phone that has only made connection attempts, none of which is still
    /// open. In a flood from forged addresses, each packet makes such a session.
    pub(super) fn dismiss(&mut self, slot: u32) -> Option<(U, SessionFacts)> {
        let session = &self.table.get(slot).filter(|s| s.live_flows == 0)?.session;
        if session.payload_bytes != PerDirection::default() {
            return None;
        }
        self.remove(slot)
    }

    /// Ends the sessions of phones whose capture is one of these, in the order of their first
    /// packets. What a phone did before it is seen again is unknown. `take_session` takes out of
    /// the state of a phone with live flows what belongs to the session.
    pub(super) fn end_captures(
        &mut self,
        over: &[u32],
        take_session: fn(&mut U) -> U,
    ) -> Vec<(U, SessionFacts)> {
        let is_over = |subscriber: &Subscriber<U>| over.contains(&subscriber.capture);
        let slots: Vec<u32> =
            self.table.live().filter(|(_, s)| is_over(s)).map(|(slot, _)| slot).collect();
        let mut ended: Vec<_> =
            slots.into_iter().filter_map(|slot| self.interrupt(slot, take_session)).collect();
        ended.sort_by_key(|(_, session)| (session.start, session.session_id));
        ended
    }

    fn interrupt(&mut self, slot: u32, take: fn(&mut U) -> U) -> Option<(U, SessionFacts)> {
        let subscriber = self.table.get_mut(slot)?;
        if subscriber.live_flows == 0 {
            return self.remove(slot);
        }
        (subscriber.last_packet, subscriber.votes) = (None, VantageVotes::default());
        subscriber.rest(take)
    }

    /// Whether the phone in this slot was seen last in one of these captures.
    pub(super) fn is_of(&self, slot: u32, captures: &[u32]) -> bool {
        self.table.get(slot).is_some_and(|subscriber| captures.contains(&subscriber.capture))
    }

    /// Ends the sessions that have been silent for the session gap. Also returns whether one of
    /// them still has live flows; that subscriber is removed with its last flow, and its next
    /// packet must call [`Self::wake`]. `take_session` is as in [`Self::end_captures`].
    pub(super) fn expired(
        &mut self,
        now: Instant,
        take_session: fn(&mut U) -> U,
    ) -> (Vec<(U, SessionFacts)>, bool) {
        let (mut out, mut outlived) = (Vec::new(), false);
        while let Some((slot, number)) = self.expiry.due(now) {
            let Some(subscriber) = self.table.get_mut(slot).filter(|s| s.number == number) else {
                continue;
            };
            let deadline = subscriber.session.end + self.gap;
            if !subscriber.resting && deadline > now {
                self.expiry.push(deadline, (slot, number));
            } else if subscriber.live_flows == 0 {
                out.extend(self.remove(slot));
            } else {
                out.extend(subscriber.rest(take_session));
                outlived = true;
                let again = self.gap.max(Duration::from_secs(1));
                self.expiry.push(now + again, (slot, number));
            }
        }
        (out, outlived)
    }

    /// The handler's states of all phones.
    pub(super) fn states_mut(&mut self) -> impl Iterator<Item = &mut U> {
        self.table.live_mut().map(|subscriber| &mut subscriber.state)
    }

    /// All sessions, with the bytes that each uses.
    pub(super) fn held(&self, state: impl Fn(&U) -> usize) -> impl Iterator<Item = Held> {
        self.table.live().map(move |(_, subscriber)| Held {
            turn: subscriber.turn(),
            bytes: (size_of::<Option<(Address, Subscriber<U>)>>()
                + PLACE_BYTES
                + subscriber.hosts.held_bytes()
                + state(&subscriber.state)) as u64,
        })
    }

    /// The bytes of all phones together, free slots included.
    pub(super) fn held_bytes(&self, state: impl Fn(&U) -> usize) -> usize {
        let states: usize =
            self.table.live().map(|(_, ue)| state(&ue.state) + ue.hosts.held_bytes()).sum();
        states + self.table.held_bytes() + self.expiry.held_bytes()
    }

    /// Frees slots that are no longer needed; returns the new slot of each old one if they moved.
    pub(super) fn compact(&mut self) -> Option<Vec<u32>> {
        let moved = self.table.compact()?;
        self.expiry.move_slots(&moved);
        Some(moved)
    }

    /// Ends the sessions without live flows whose turn is at most `until`, in the order of their
    /// turns.
    pub(super) fn end_until(&mut self, until: Turn) -> Vec<(U, SessionFacts)> {
        let idle = self.table.live().filter(|(_, s)| s.live_flows == 0 && s.turn() <= until);
        let mut leaving: Vec<(Turn, u32)> = idle.map(|(slot, s)| (s.turn(), slot)).collect();
        leaving.sort_unstable();
        leaving.into_iter().filter_map(|(_, slot)| self.remove(slot)).collect()
    }

    /// Removes all remaining sessions, in the order of their first packets.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (U, SessionFacts)> {
        let mut slots: Vec<u32> = self.table.live().map(|(slot, _)| slot).collect();
        slots.sort_unstable_by_key(|slot| {
            let session = self.table.get(*slot).map(|s| &s.session);
            (session.map(|session| (session.start, session.session_id)), *slot)
        });
        slots.into_iter().filter_map(|slot| self.remove(slot))
    }

    /// Removes the subscriber in this slot; returns the session unless it has ended before.
    fn remove(&mut self, slot: u32) -> Option<(U, SessionFacts)> {
        let (_, subscriber) = self.table.remove(slot)?;
        (!subscriber.resting).then_some((subscriber.state, subscriber.session))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "an identifier, mixed over all of its bits"
    )]
    fn begin(&mut self, key: Address, packet: &Packet<'_>, place: u64) -> u32 {
        let session = session(key, packet, place);
        let number = session.session_id as u32;
        let subscriber = Subscriber {
            session,
            state: U::default(),
            live_flows: 0,
            capture: packet.capture,
            last_packet: None,
            votes: VantageVotes::default(),
            hosts: HostScales::default(),
            number,
            stretch: 0,
            resting: false,
        };
        let slot = self.table.insert(key, subscriber);
        self.expiry.push(packet.time + self.gap.min(FIRST_LOOK), (slot, number));
        let table = &self.table;
        self.expiry.prune(table.len(), |(slot, number)| {
            table.get(slot).is_some_and(|s| s.number == number)
        });
        slot
    }
}

impl<U: Default> Subscriber<U> {
    fn turn(&self) -> Turn {
        Turn { stretch: self.stretch, last: self.session.end, id: self.session.session_id }
    }

    /// Ends the session although flows are still live.
    fn rest(&mut self, take_session: fn(&mut U) -> U) -> Option<(U, SessionFacts)> {
        let ended = !std::mem::replace(&mut self.resting, true);
        ended.then(|| (take_session(&mut self.state), self.session.clone()))
    }

    /// Notes a packet; begins a new session if the last one has ended.
    fn wake(&mut self, packet: &Packet<'_>, place: u64) {
        self.capture = packet.capture;
        if std::mem::replace(&mut self.resting, false) {
            self.session = session(self.session.ue, packet, place);
        }
    }
}

fn session(ue: Address, packet: &Packet<'_>, place: u64) -> SessionFacts {
    let now = packet.time;
    SessionFacts {
        session_id: unique(mix_wide(ue.bits()) ^ now.as_nanos() as u64, place),
        ue,
        capture: packet.capture,
        access: packet.access,
        start: now,
        end: now,
        flows: 0,
        payload_bytes: PerDirection::default(),
    }
}

/// A new session is checked for the first time at most this long after its beginning. Later
/// deadlines are computed only when they come.
const FIRST_LOOK: Duration = Duration::from_secs(60);

/// A subscriber for whom a flow begins.
pub(super) struct Entry {
    pub(super) slot: u32,
    pub(super) session_id: u64,
    pub(super) idle: Option<Duration>,
}
