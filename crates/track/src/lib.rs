//! Turns [`airmile_read::Packet`]s into subscriber sessions, flows and [`Segment`]s.
//!
//! The packets are read once. The only clock is that of the packets, and memory is bounded by the
//! number of live flows.

// Tests may index: a panic is how a test reports a failure.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]

mod analysis;
mod events;
mod facts;
mod handler;
mod outcomes;
mod scoreboard;
mod segment;
mod segment_facts;
mod shared;
mod silence;
mod ticks;
mod tracker;

pub use analysis::{Analysis, NoColumns, NoEvents, Scope};
pub use events::Events;
pub use facts::{Ending, FlowFacts, HandshakePacket, SynOptions, UeFacts, VantageSource};
pub use handler::{Handler, SessionFacts};
pub use outcomes::{DuplicateAck, ProbeAnswer, RttSample, SegmentClass};
pub use scoreboard::{BEFORE_BYTES, Recovery, Scoreboard, Timeouts, Timer};
pub use segment::{Datagram, Segment};
pub use segment_facts::{Faults, SegmentFacts};
pub use shared::{RttSum, Shared, Stack};
pub use ticks::{KNOWN_NS, KnownTick, Tick, nearest_ns, of_phones_ns};
pub use tracker::{
    Guesses, Held, Opened, Route, Router, TrackConfig, Tracker, Turn, Unnamed, VantageVotes, client,
};
