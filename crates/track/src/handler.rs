//! Defines the callbacks of the tracker: one per packet, per ended flow and per ended session.

use airmile_read::Access;
use airmile_types::{Address, Instant, PerDirection};

use crate::facts::FlowFacts;
use crate::scoreboard::Scoreboard;
use crate::segment::{Datagram, Segment};

/// Receives the facts of packets, flows and sessions. The tracker keeps a `Flow` for each live flow
/// and a `Ue` for each live subscriber, and passes them to the callbacks.
pub trait Handler {
    /// The state that the handler keeps for each flow.
    type Flow;
    /// The state that the handler keeps for each subscriber.
    type Ue: Default;

    /// A flow begins. Its first packet is passed next; that packet may have waited until now.
    fn open(&mut self, flow: &FlowFacts) -> Self::Flow;

    /// Takes one TCP packet.
    fn segment(&mut self, state: &mut Self::Flow, ue: &mut Self::Ue, segment: &Segment<'_>);

    /// Takes a first look at one packet that is not TCP and may be the first of its direction.
    /// Returns whether the flow's state can get the packet later, in [`Self::catch_up`], without
    /// payload and echo. A handler that returns `true` must have updated the subscriber's state;
    /// the flow's state may not exist yet.
    fn lets_wait(&mut self, ue: &mut Self::Ue, datagram: &Datagram<'_>) -> bool {
        let _ = (ue, datagram);
        false
    }

    /// Takes a packet that has waited, before any later packet of its flow and before the flow's
    /// end.
    fn catch_up(&mut self, state: &mut Self::Flow, datagram: &Datagram<'_>) {
        let _ = (state, datagram);
    }

    /// Takes one packet that is not TCP and did not wait.
    fn datagram(&mut self, state: &mut Self::Flow, ue: &mut Self::Ue, datagram: &Datagram<'_>);

    /// A flow has ended. For TCP, `boards` are its scoreboards by direction of the data; for other
    /// protocols it is `None`.
    fn end(
        &mut self,
        state: Self::Flow,
        ue: &mut Self::Ue,
        flow: &FlowFacts,
        boards: Option<&PerDirection<Scoreboard>>,
    );

    /// The bytes on the heap that the state of a flow uses, computed from the number of list
    /// entries.
    fn held_by(&self, state: &Self::Flow) -> usize {
        let _ = state;
        0
    }

    /// The bytes on the heap that the state of a subscriber uses, computed from the number of list
    /// entries.
    fn held_by_ue(&self, ue: &Self::Ue) -> usize {
        let _ = ue;
        0
    }

    /// Frees the memory of lists in a flow's state that have been emptied.
    fn give_back(&self, state: &mut Self::Flow) {
        let _ = state;
    }

    /// Frees the memory of lists in a subscriber's state that have been emptied.
    fn give_back_ue(&self, ue: &mut Self::Ue) {
        let _ = ue;
    }

    /// Takes out of a subscriber's state what belongs to a session that ends before its flows: with
    /// its capture, or after a silence. What the flows need until they end stays.
    fn take_session(ue: &mut Self::Ue) -> Self::Ue {
        std::mem::take(ue)
    }

    /// A subscriber session has ended: after all its flows, with its capture, or after a silence.
    fn session(&mut self, ue: Self::Ue, session: &SessionFacts);
}

/// What is known of a subscriber session (methods A3) when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFacts {
    /// Identifier of the session, unique in a dataset.
    pub session_id: u64,
    /// The phone's IPv4 address, or the /64 prefix of its IPv6 address.
    pub ue: Address,
    /// The number of the capture that the first packet is of.
    pub capture: u32,
    /// The network that the interface of the first packet leads to.
    pub access: Access,
    /// The time of the first packet.
    pub start: Instant,
    /// The time of the last packet.
    pub end: Instant,
    /// The number of flows that began in the session.
    pub flows: u32,
    /// The payload bytes in each direction.
    pub payload_bytes: PerDirection<u64>,
}
