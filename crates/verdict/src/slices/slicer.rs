//! What the slices of a transfer are cut from.

use airmile_track::FlowFacts;
use airmile_types::{Direction, Instant, Parameters, PerDirection, Vantage};

use crate::evidence::{Frames, QueueTimelines, Sender, UeQueues};
use crate::rule::WaitPart;

/// What the slices of one transfer are cut from.
#[derive(Clone, Copy)]
pub(crate) struct Slicer<'a> {
    pub(crate) flow: &'a FlowFacts,
    pub(crate) transfer_id: Option<u64>,
    pub(crate) direction: Direction,
    pub(crate) sender: &'a Sender,
    pub(crate) queues: &'a UeQueues,
    /// The queues that this flow has seen itself.
    pub(crate) own: &'a QueueTimelines,
    pub(crate) frames: &'a Frames,
    /// The request that waits for its answer.
    pub(crate) waiting: Option<Waiting>,
    /// Whether the capture has lost a large part of the flow.
    pub(crate) lossy: bool,
    /// Whether the capture cuts the transfer before it shows anything.
    pub(crate) scant: bool,
    /// Whether both ends put timestamps on their packets.
    pub(crate) timestamps: bool,
    pub(crate) parameters: &'a Parameters,
}

impl Slicer<'_> {
    /// The capture point; an unknown one counts as one between radio and server.
    pub(super) fn vantage(&self) -> Vantage {
        self.flow.vantage.unwrap_or(Vantage::Monitor)
    }
}

/// A request waits for its answer.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) part: WaitPart,
    /// The time from the request to its newest retransmission.
    pub(super) resent: (Instant, Instant),
    /// The span in which the request was in the queue before the radio, and that of its answer.
    pub(super) queued: PerDirection<(Instant, Instant)>,
}
