//! Defines what judging a transfer needs beside the evidence of its flow.

use airmile_track::{FlowFacts, Scoreboard};
use airmile_types::{Direction, Duration, Parameters, Vantage};

use crate::evidence::UeQueues;

/// The inputs that judging a transfer needs beside the evidence of its flow.
pub(super) struct Context<'a> {
    pub(super) flow: &'a FlowFacts,
    /// The scoreboards of the phone's data and of the server's data, in this order.
    pub(super) boards: [&'a Scoreboard; 2],
    pub(super) queues: &'a UeQueues,
    pub(super) parameters: &'a Parameters,
}

impl Context<'_> {
    /// Whether the capture missed so much of a direction that missing packets mean nothing.
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

    /// The least round trip for the user of the phone: the part after the capture point, or the
    /// whole path for a capture at the phone.
    pub(super) const fn least_rtt(&self) -> Option<Duration> {
        let [uplink, downlink] = self.boards;
        match self.flow.vantage {
            Some(Vantage::Ue) => uplink.rtt_min(),
            _ => downlink.rtt_min(),
        }
    }
}
