//! Computes how much memory the live flows and phones use, and ends some of them when it is too
//! much.
//!
//! The amount is computed from the number of entries, not taken from the operating system, so that
//! the same capture ends the same flows on every machine. The flows whose last packet is the oldest
//! are ended first.

use super::brief::Slot;
use super::held::{Held, Opened, PLACE_BYTES, Turn};
use super::key::FlowKey;
use super::state::{Tracker, end_session};
use super::table::NOWHERE;
use crate::facts::Ending;
use crate::handler::Handler;

/// The number of flows or sessions that are ended between two calls of the function that empties
/// the handler.
const STEP: usize = 4096;

impl<H: Handler> Tracker<H> {
    /// All live flows and sessions, with the bytes that each uses.
    pub fn held(&self) -> impl Iterator<Item = Held> {
        let flows = self.flows.live().map(|(_, flow)| Held {
            turn: turn(flow),
            bytes: (size_of::<Option<(FlowKey, Slot<H::Flow>)>>()
                + PLACE_BYTES
                + self.held_by(flow)) as u64,
        });
        flows.chain(self.subscribers.held(|ue| self.handler.held_by_ue(ue)))
    }

    /// The bytes that all flows and sessions use together, with what their tables keep for others.
    pub fn held_bytes(&self) -> u64 {
        let flows: usize = self.flows.live().map(|(_, flow)| self.held_by(flow)).sum();
        let phones = self.subscribers.held_bytes(|ue| self.handler.held_by_ue(ue));
        (flows + phones + self.flows.held_bytes() + self.expiry.held_bytes()) as u64
    }

    /// Frees the slots of flows and phones that have ended, if they are most of all slots.
    pub fn compact(&mut self) {
        if let Some(moved) = self.subscribers.compact() {
            for flow in self.flows.live_mut() {
                let slot = flow.subscriber_mut();
                *slot = moved.get(*slot as usize).copied().unwrap_or(NOWHERE);
            }
        }
        if let Some(moved) = self.flows.compact() {
            self.expiry.move_slots(&moved);
            self.half_open.move_slots(&moved);
            self.recent.forget();
            self.newest = None;
        }
    }

    /// Ends all flows and sessions whose turn is at most `until`, in the order of their turns, and
    /// calls `empty` from time to time. The session of a phone that has other live flows continues.
    pub fn end_until(&mut self, until: Turn, mut empty: impl FnMut(&mut H)) {
        let entries = self.flows.live().map(|(slot, flow)| (turn(flow), slot));
        let mut leaving: Vec<(Turn, u32)> = entries.filter(|(turn, _)| *turn <= until).collect();
        leaving.sort_unstable();
        self.ended_for_memory += leaving.len() as u64;
        for (index, (_, slot)) in leaving.into_iter().enumerate() {
            self.end(slot, Ending::Memory);
            if index % STEP == STEP - 1 {
                empty(&mut self.handler);
            }
        }
        for (index, (ue, session)) in self.subscribers.end_until(until).into_iter().enumerate() {
            end_session(&mut self.handler, ue, &session);
            if index % STEP == STEP - 1 {
                empty(&mut self.handler);
            }
        }
    }

    /// The number of flows that were ended because all flows together used too much memory.
    pub const fn ended_for_memory(&self) -> u64 {
        self.ended_for_memory
    }

    /// The number of flows begun so far, including those that have ended. Each needs memory as soon
    /// as it begins.
    pub fn opened(&self) -> Opened {
        Opened { flows: u64::from(self.opened), whole: self.opened_whole }
    }

    /// Frees the memory of lists that have been emptied since they grew.
    pub fn give_back(&mut self) {
        let handler = &self.handler;
        for flow in self.flows.live_mut() {
            if let Slot::Whole(flow) = flow {
                flow.give_back();
                handler.give_back(&mut flow.state);
            }
        }
        self.subscribers.states_mut().for_each(|ue| handler.give_back_ue(ue));
    }

    fn held_by(&self, flow: &Slot<H::Flow>) -> usize {
        match flow {
            Slot::Brief(_) => 0,
            Slot::Whole(flow) => flow.held_bytes() + self.handler.held_by(&flow.state),
        }
    }
}

fn turn<S>(flow: &Slot<S>) -> Turn {
    Turn { stretch: flow.stretch(), last: flow.last(), id: flow.uid() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use airmile_read::{Packet, Transport};
    use airmile_types::{Address, Instant, PerDirection};

    use super::*;
    use crate::facts::FlowFacts;
    use crate::handler::SessionFacts;
    use crate::scoreboard::Scoreboard;
    use crate::segment::{Datagram, Segment};
    use crate::tracker::config::TrackConfig;

    /// Notes which flows and sessions end, and how many packets each flow had.
    #[derive(Debug, Default)]
    struct Ended {
        flows: Vec<(Address, u16, u32)>,
        sessions: Vec<(Address, u32)>,
    }

    impl Handler for Ended {
        type Flow = u32;
        type Ue = ();

        fn open(&mut self, _: &FlowFacts) -> u32 {
            0
        }

        fn segment(&mut self, packets: &mut u32, (): &mut (), _: &Segment<'_>) {
            *packets += 1;
        }

        fn datagram(&mut self, packets: &mut u32, (): &mut (), _: &Datagram<'_>) {
            *packets += 1;
        }

        fn end(
            &mut self,
            packets: u32,
            (): &mut (),
            flow: &FlowFacts,
            _: Option<&PerDirection<Scoreboard>>,
        ) {
            self.flows.push((flow.ue, flow.ue_port, packets));
        }

        fn session(&mut self, (): (), session: &SessionFacts) {
            self.sessions.push((session.ue, session.flows));
        }
    }

    const PHONES: u32 = 20_000;

    /// The packet with this number of a phone.
    fn packet(phone: u32, second: u32) -> Packet<'static> {
        let [_, a, b, c] = phone.to_be_bytes();
        Packet {
            time: Instant::from_nanos(i64::from(second) * 1_000_000_000 + i64::from(phone)),
            source: Address::v4([10, a, b, c]),
            destination: Address::v4([203, 0, 113, 9]),
            ip_protocol: 17,
            payload_bytes: 100,
            transport: Transport::Udp { source_port: 5000, destination_port: 9000 },
            ..Packet::default()
        }
    }

    /// What has ended after most phones ended early and the others went on. `compacted` says
    /// whether their slots were moved meanwhile.
    fn ended(compacted: bool) -> Ended {
        let mut tracker = Tracker::new(TrackConfig::default(), Ended::default());
        (0..PHONES).for_each(|phone| tracker.packet(&packet(phone, 0)));
        tracker.advance(Arc::default(), Instant::default(), super::super::VantageVotes::default());
        let talkers = (0..PHONES).step_by(5);
        talkers.clone().for_each(|phone| tracker.packet(&packet(phone, 1)));
        let until = Turn { stretch: 0, last: Instant::MAX, id: u64::MAX };
        tracker.end_until(until, |_| {});
        let before = tracker.held_bytes();
        if compacted {
            tracker.compact();
            assert!(tracker.held_bytes() < before / 2, "most slots were free");
        }
        talkers.for_each(|phone| tracker.packet(&packet(phone, 2)));
        (0..10).for_each(|phone| tracker.packet(&packet(phone, 3)));
        tracker.packet(&packet(PHONES, 10_000));
        let mut ended = tracker.finish();
        ended.flows.sort_unstable();
        ended.sessions.sort_unstable();
        ended
    }

    #[test]
    fn who_goes_on_is_still_found_after_slots_were_moved() {
        let (moved, stayed) = (ended(true), ended(false));
        assert_eq!(moved.flows, stayed.flows);
        assert_eq!(moved.sessions, stayed.sessions);
        let of_three = stayed.flows.iter().filter(|flow| flow.2 >= 3).count();
        assert_eq!(of_three, PHONES as usize / 5, "those that talked are one flow each");
    }
}
