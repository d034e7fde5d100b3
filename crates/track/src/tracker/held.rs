//! Defines how much memory a tracker uses, and in which order flows are ended when memory is short.

use airmile_types::Instant;

/// The bytes of a slot in a table, in addition to the entry itself: its places in the index, in the
/// list of deadlines and in the list of free slots, and the spare capacity of a growing list.
pub(super) const PLACE_BYTES: usize = 96;

/// The memory of a live flow or of a phone's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The position in the order in which flows and sessions are ended.
    pub turn: Turn,
    /// The number of bytes used.
    pub bytes: u64,
}

/// The order in which flows and sessions are ended. The first criterion is when the last packet
/// came, in the order in which all inputs were read together, because a wildly wrong timestamp
/// would keep its flow forever. The next criteria are the time of the last packet and the
/// identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// The stretch of the capture, as [`Tracker::advance`] counts them, in which the newest packet
    /// came.
    pub stretch: u32,
    /// The time of the last packet.
    pub last: Instant,
    /// The `uid` of the flow, or the `session_id` of the session.
    pub id: u64,
}

/// The number of flows of which the networks that the user gave (`ue_nets`) do not tell which of two
/// hosts is the phone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unnamed {
    /// Both hosts are in these networks.
    pub both: u64,
    /// Neither host is.
    pub neither: u64,
}

impl std::ops::Add for Unnamed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { both: self.both + other.both, neither: self.neither + other.neither }
    }
}

/// The number of flows that were begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// All flows. The number wraps around, so only differences of less than 2^32 are valid.
    pub flows: u64,
    /// The flows that have a full state, because they are TCP or have had more than one packet in a
    /// direction.
    pub whole: u64,
}
