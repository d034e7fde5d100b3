//! What the live flows and phones hold, and which of them leave when it is too much.
//!
//! It is counted in entries, not taken from the system, so that the same capture ends the same flows
//! on every machine: those whose last packet is the oldest.

use super::brief::Slot;
use super::held::{Held, Opened, PLACE_BYTES, Turn};
use super::key::FlowKey;
use super::state::Tracker;
use crate::facts::Ending;
use crate::handler::Handler;

/// Number that leaves between two calls of what empties the handler.
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

    /// Flows that were begun, those that have ended with them: each needs room at once.
    pub fn opened(&self) -> Opened {
        Opened { flows: u64::from(self.opened), whole: self.opened_whole }
    }

    /// Gives back the room of lists that have been emptied since they grew.
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
