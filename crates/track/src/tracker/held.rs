//! What a tracker holds, and which flow leaves next where memory is short.

use airmile_types::Instant;

/// The bytes of a slot in a table, beside the entry itself: its places in the index, in the list of
/// deadlines and in the list of free slots, and the room that a growing list has to spare.
pub(super) const PLACE_BYTES: usize = 96;

/// A live flow, or a phone's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The turn in which it leaves in comparison with others.
    pub turn: Turn,
    /// Bytes that it holds.
    pub bytes: u64,
}

/// The order in which flows and sessions leave: by when a packet last came, in the order in which all
/// inputs were read together, for a wild time would keep its flow for ever; then by the time of the
/// last packet and by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// Stretch of the capture, as [`Tracker::advance`] counts them, with its newest packet.
    pub stretch: u32,
    /// Its last packet.
    pub last: Instant,
    /// `uid` of the flow, or `session_id`.
    pub id: u64,
}

/// Flows that were begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// All flows that were opened. The number wraps: it is good for differences of less than 2^32.
    pub flows: u64,
    /// Those of them that have a state of their own, because they have shown TCP or more than one
    /// packet each way.
    pub whole: u64,
}
