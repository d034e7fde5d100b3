//! The facts of one TCP packet, worked out once and read by every analysis.
//!
//! Offsets are 64-bit and signed, counted from the initial sequence number of their direction:
//! the SYN is at 0 and the first byte of payload at 1. A flow first seen in mid-stream counts
//! its first byte seen as 1, so that bytes which come late are negative.

use std::ops::Deref;

use airmile_types::{Direction, Instant};

use crate::facts::{FlowFacts, UeFacts};
use crate::scoreboard::Scoreboard;
use crate::segment_facts::SegmentFacts;

/// One TCP packet at the tap, with what it changed.
///
/// Its [`SegmentFacts`] read as fields of its own. `own` is the scoreboard of the packet's own
/// direction (the data that its sender sends), `peer` that of the data which it acknowledges; both
/// hold the state **after** the packet.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    pub(crate) facts: &'a SegmentFacts<'a>,
    /// Data of the packet's own sender, after this packet.
    pub own: &'a Scoreboard,
    /// Data of the peer, which this packet acknowledges, after this packet.
    pub peer: &'a Scoreboard,
    /// What is known of the flow so far (this packet included).
    pub flow: &'a FlowFacts,
    /// What is known of the subscriber so far (this packet excluded).
    pub ue: &'a UeFacts,
}

impl<'a> Deref for Segment<'a> {
    type Target = SegmentFacts<'a>;

    #[inline]
    fn deref(&self) -> &SegmentFacts<'a> {
        self.facts
    }
}

/// The facts of one packet that is not TCP (or whose TCP header was cut).
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// The time at which the tap saw it.
    pub time: Instant,
    /// The direction in which it goes.
    pub direction: Direction,
    /// Length of the IP packet, headers included.
    pub ip_bytes: u32,
    /// Bytes after the transport header, by IP length.
    pub payload_bytes: u32,
    /// The part of the payload that was captured; may be empty.
    pub payload: &'a [u8],
    /// ICMP echo: whether it is the reply, and its sequence number.
    pub echo: Option<(bool, u16)>,
    /// The phone's current session; the flow may have begun in an earlier one.
    pub session_id: u64,
    /// What is known of the flow so far (this packet included).
    pub flow: &'a FlowFacts,
}
