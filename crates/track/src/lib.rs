//! From [`airmile_read::Packet`]s to subscriber sessions, flows and [`Segment`]s.
//!
//! One pass, the clock is the packets' own, and memory is bounded by the flows that live.

mod facts;
mod scoreboard;
mod segment;

pub use facts::{Ending, FlowFacts, HandshakePacket, SynOptions, UeFacts};
pub use scoreboard::{Recovery, Scoreboard};
pub use segment::{DuplicateAck, RttSample, Segment, SegmentClass};
