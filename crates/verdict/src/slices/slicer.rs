//! Defines the inputs from which the slices of a transfer are cut.

use airmile_track::FlowFacts;
use airmile_types::{Direction, Instant, Parameters, PerDirection, Vantage};

use crate::evidence::{Frames, OneWayClocks, QueueTimelines, Sender, UeQueues};
use crate::rule::WaitPart;

/// The inputs from which the slices of one transfer are cut.
#[derive(Clone, Copy)]
pub(crate) struct Slicer<'a> {
    pub(crate) flow: &'a FlowFacts,
    pub(crate) transfer_id: Option<u64>,
    pub(crate) direction: Direction,
    pub(crate) sender: &'a Sender,
    pub(crate) queues: &'a UeQueues,
    /// The queues that packets of this flow showed.
    pub(crate) own: &'a QueueTimelines,
    /// The timestamp clocks of both ends.
    pub(crate) clocks: &'a OneWayClocks,
    pub(crate) frames: &'a Frames,
    /// The request that waits for its answer.
    pub(crate) waiting: Option<Waiting>,
    /// Whether the capture missed a large part of the flow.
    pub(crate) lossy: bool,
    /// Whether the capture cuts the transfer off before it shows anything.
    pub(crate) scant: bool,
    /// Whether both ends put timestamps on their packets.
    pub(crate) timestamps: bool,
    pub(crate) parameters: &'a Parameters,
}

impl Slicer<'_> {
    /// The capture point; an unknown capture point counts as one between radio and server.
    pub(super) fn vantage(&self) -> Vantage {
        self.flow.vantage.unwrap_or(Vantage::Monitor)
    }
}

/// A request that waits for its answer.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) part: WaitPart,
    /// The time from the request to its newest retransmission.
    pub(super) resent: (Instant, Instant),
    /// The span in which the request was in the queue before the radio (uplink), and the span in
    /// which its answer was (downlink).
    pub(super) queued: PerDirection<(Instant, Instant)>,
}
