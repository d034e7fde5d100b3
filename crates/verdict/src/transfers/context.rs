//! What judging a transfer needs beside the evidence of its flow.

use airmile_track::{FlowFacts, Scoreboard};
use airmile_types::{Direction, Duration, Parameters, Vantage};

use crate::evidence::UeQueues;

/// What the judgement of a transfer needs beside the flow's own evidence.
pub(super) struct Context<'a> {
    pub(super) flow: &'a FlowFacts,
    /// The data of the phone, and the data of the server.
    pub(super) boards: [&'a Scoreboard; 2],
    pub(super) queues: &'a UeQueues,
    pub(super) parameters: &'a Parameters,
}

impl Context<'_> {
    /// Whether the capture has lost so much of a direction that what was not seen means nothing.
    pub(super) fn is_lossy(&self) -> bool {
        let lost = self.boards.map(|board| board.lost_ratio());
        lost[0].max(lost[1]) >= self.parameters.lost_max_ratio
    }

    /// The scoreboard of the data of a direction.
    pub(super) const fn board(&self, direction: Direction) -> &Scoreboard {
        match direction {
            Direction::Uplink => self.boards[0],
            Direction::Downlink => self.boards[1],
        }
    }

    /// The least round trip that the phone's user has: after the capture point, or at the phone the
    /// whole one.
    pub(super) const fn least_rtt(&self) -> Option<Duration> {
        let [uplink, downlink] = self.boards;
        match self.flow.vantage {
            Some(Vantage::Ue) => uplink.rtt_min(),
            _ => downlink.rtt_min(),
        }
    }
}
