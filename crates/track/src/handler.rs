//! What the tracker calls: one callback per packet, per ended flow and per ended session.

use airmile_types::{Address, Instant, PerDirection};

use crate::facts::FlowFacts;
use crate::scoreboard::Scoreboard;
use crate::segment::{Datagram, Segment};

/// Receives the facts. The tracker keeps one `Flow` state per live flow and one `Ue` state per
/// live subscriber for it.
pub trait Handler {
    /// State kept for each flow.
    type Flow;
    /// State kept for each subscriber.
    type Ue: Default;

    /// A flow begins with the packet that is about to be handed over, or that has waited.
    fn open(&mut self, flow: &FlowFacts) -> Self::Flow;

    /// One TCP packet.
    fn segment(&mut self, state: &mut Self::Flow, ue: &mut Self::Ue, segment: &Segment<'_>);

    /// One packet of another protocol that may be the first of its direction: whether its flow's
    /// state can hear of it later, in [`Self::catch_up`], without payload and echo. Whoever says so
    /// has taken what the subscriber's flows share; the flow's state need not exist yet.
    fn lets_wait(&mut self, ue: &mut Self::Ue, datagram: &Datagram<'_>) -> bool {
        let _ = (ue, datagram);
        false
    }

    /// A packet that has waited, before any later one of its flow and before its end.
    fn catch_up(&mut self, state: &mut Self::Flow, datagram: &Datagram<'_>) {
        let _ = (state, datagram);
    }

    /// One packet of another protocol that did not wait.
    fn datagram(&mut self, state: &mut Self::Flow, ue: &mut Self::Ue, datagram: &Datagram<'_>);

    /// A flow has ended; `boards` are its scoreboards (by direction of the data), of TCP alone.
    fn end(
        &mut self,
        state: Self::Flow,
        ue: &mut Self::Ue,
        flow: &FlowFacts,
        boards: Option<&PerDirection<Scoreboard>>,
    );

    /// Bytes of the heap that the state of a flow holds, counted in entries.
    fn held_by(&self, state: &Self::Flow) -> usize {
        let _ = state;
        0
    }

    /// The same of the state of a subscriber.
    fn held_by_ue(&self, ue: &Self::Ue) -> usize {
        let _ = ue;
        0
    }

    /// Gives back the room of a flow's lists that have been emptied.
    fn give_back(&self, state: &mut Self::Flow) {
        let _ = state;
    }

    /// The same of a subscriber's.
    fn give_back_ue(&self, ue: &mut Self::Ue) {
        let _ = ue;
    }

    /// A subscriber session has ended; all its flows have.
    fn session(&mut self, ue: Self::Ue, session: &SessionFacts);
}

/// What is known of a subscriber session (methods A3) at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFacts {
    /// Its identifier, unique in a dataset.
    pub session_id: u64,
    /// The phone's address, or its /64.
    pub ue: Address,
    /// The time of the first packet.
    pub start: Instant,
    /// The time of the last packet.
    pub end: Instant,
    /// How many flows began in it.
    pub flows: u32,
    /// The payload bytes in each direction.
    pub payload_bytes: PerDirection<u64>,
}
