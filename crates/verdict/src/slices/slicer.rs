//! What a transfer is cut with: its flow, its sender and the queues on its way.

use airmile_track::FlowFacts;
use airmile_types::{Direction, Parameters};

use super::waiting::Waiting;
use crate::evidence::{Frames, Sender, Spans, UeQueues};

/// What the slices of one transfer are cut from.
#[derive(Clone, Copy)]
pub(crate) struct Slicer<'a> {
    pub(crate) flow: &'a FlowFacts,
    pub(crate) transfer_id: Option<u64>,
    pub(crate) direction: Direction,
    pub(crate) sender: &'a Sender,
    pub(crate) queues: &'a UeQueues,
    /// Queues that this flow has seen itself.
    pub(crate) own: &'a Spans,
    pub(crate) frames: &'a Frames,
    /// A request waits for its answer.
    pub(crate) waiting: Option<Waiting>,
    /// The capture has lost a large part of the flow.
    pub(crate) lossy: bool,
    /// The capture cuts the transfer before it shows anything.
    pub(crate) scant: bool,
    /// Both ends stamp their packets.
    pub(crate) timestamps: bool,
    pub(crate) parameters: &'a Parameters,
}
