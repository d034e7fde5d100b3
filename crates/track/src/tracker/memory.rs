//! What the live flows and phones hold, and which of them leave when it is too much.
//!
//! It is counted in entries, not asked of the system, so that the same capture ends the same flows
//! on every machine: those whose last packet is the oldest.

use airmile_types::Instant;

use super::brief::Slot;
use super::{FlowKey, Tracker};
use crate::{Ending, Handler};

/// Of a slot in a table, beside the entry itself: its places in the index, in the list of
/// deadlines and in the list of free slots, and the room that a growing list has to spare.
pub(super) const PLACE_BYTES: usize = 96;

/// A live flow, or a phone's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// When it leaves in comparison with others.
    pub turn: Turn,
    /// Bytes that it holds.
    pub bytes: u64,
}

/// The order in which flows and sessions leave: by their last packets, then by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// Its last packet.
    pub last: Instant,
    /// `uid` of the flow, or `session_id`.
    pub id: u64,
}

/// So many leave between two calls of what empties the handler.
const STEP: usize = 4096;

impl<H: Handler> Tracker<H> {
    /// Every live flow and session with what it holds.
    pub fn held(&self) -> impl Iterator<Item = Held> {
        let flows = self.flows.live().map(|(_, flow)| Held {
            turn: turn(flow),
            bytes: (size_of::<Option<(FlowKey, Slot<H::Flow>)>>()
                + PLACE_BYTES
                + self.held_by(flow)) as u64,
        });
        flows.chain(self.subscribers.held(|ue| self.handler.held_by_ue(ue)))
    }

    /// Ends every flow and session whose turn is at `until` or before, in this order; now and then
    /// the handler can be emptied. A session whose phone has other flows goes on.
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
            self.handler.session(ue, &session);
            if index % STEP == STEP - 1 {
                empty(&mut self.handler);
            }
        }
    }

    /// Flows that were ended because all together held too much.
    pub const fn ended_for_memory(&self) -> u64 {
        self.ended_for_memory
    }

    fn held_by(&self, flow: &Slot<H::Flow>) -> usize {
        match flow {
            Slot::Brief(_) => 0,
            Slot::Whole(flow) => flow.held_bytes() + self.handler.held_by(&flow.state),
        }
    }
}

fn turn<S>(flow: &Slot<S>) -> Turn {
    Turn { last: flow.last(), id: flow.uid() }
}
