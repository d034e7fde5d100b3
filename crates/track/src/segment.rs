//! Defines the facts of one TCP packet, which are computed once and read by every analysis.
//!
//! Offsets are signed 64-bit numbers, counted from the initial sequence number of their direction:
//! the SYN has offset 0 and the first byte of payload offset 1. In a flow that is first seen in
//! mid-stream, the first byte seen has offset 1, so that bytes which come late have negative
//! offsets.

use std::ops::Deref;

use airmile_types::{Direction, Instant};

use crate::facts::{FlowFacts, UeFacts};
use crate::scoreboard::Scoreboard;
use crate::segment_facts::SegmentFacts;

/// One TCP packet at the capture point, with what it changed.
///
/// The fields of its [`SegmentFacts`] can be read as fields of the segment. Both scoreboards hold
/// the state **after** the packet.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    pub(crate) facts: &'a SegmentFacts<'a>,
    /// The scoreboard of the data that the packet's sender sends.
    pub own: &'a Scoreboard,
    /// The scoreboard of the data that the peer sends and this packet acknowledges.
    pub peer: &'a Scoreboard,
    /// What is known of the flow so far, this packet included.
    pub flow: &'a FlowFacts,
    /// What is known of the subscriber so far, this packet excluded.
    pub ue: &'a UeFacts,
}

impl<'a> Deref for Segment<'a> {
    type Target = SegmentFacts<'a>;

    #[inline]
    fn deref(&self) -> &SegmentFacts<'a> {
        self.facts
    }
}

/// The facts of one packet that is not TCP, or whose TCP header was cut.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// The time at which the packet passed the capture point.
    pub time: Instant,
    /// The direction in which the packet goes.
    pub direction: Direction,
    /// Length of the IP packet, headers included.
    pub ip_bytes: u32,
    /// Bytes after the transport header, computed from the length field of the IP header.
    pub payload_bytes: u32,
    /// The captured part of the payload; may be empty.
    pub payload: &'a [u8],
    /// For an ICMP echo: whether the packet is the reply, and its sequence number.
    pub echo: Option<(bool, u16)>,
    /// The phone's current session; the flow may have begun in an earlier one.
    pub session_id: u64,
    /// What is known of the flow so far, this packet included.
    pub flow: &'a FlowFacts,
}
