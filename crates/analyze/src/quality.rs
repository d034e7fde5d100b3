//! What is wrong with the record of a flow (methods A10), before the network is blamed.

use airmile_track::{FlowFacts, Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, PerDirection, Protocol};

/// Faults seen so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Quality {
    seen: PerDirection<bool>,
    super_segments: bool,
    capture_duplicates: bool,
}

impl Quality {
    /// Takes one segment.
    #[inline]
    pub(crate) fn on_segment(&mut self, segment: &Segment<'_>) {
        *self.seen.of_mut(segment.direction) = true;
        self.super_segments |= segment.super_segment;
        self.capture_duplicates |= segment.class == Some(SegmentClass::CaptureDuplicate);
    }

    /// The faults as words joined by commas; empty when there are none. Only TCP says enough
    /// to tell.
    pub(crate) fn words(&self, flow: &FlowFacts, boards: &PerDirection<Scoreboard>) -> String {
        if flow.protocol != Protocol::Tcp {
            return String::new();
        }
        let lost = [Direction::Uplink, Direction::Downlink]
            .iter()
            .any(|direction| boards.of(*direction).acked_unseen_bytes() > 0);
        [
            (flow.initiator.is_none(), "mid_stream"),
            (self.one_sided(boards), "one_sided"),
            (lost, "capture_loss"),
            (self.capture_duplicates, "capture_duplicates"),
            (self.super_segments, "super_segments"),
        ]
        .iter()
        .filter(|(present, _)| *present)
        .map(|(_, word)| *word)
        .collect::<Vec<_>>()
        .join(",")
    }

    /// One direction is missing although the other shows that it existed: it acknowledges data
    /// that was never seen. A SYN without an answer is not one-sided.
    fn one_sided(&self, boards: &PerDirection<Scoreboard>) -> bool {
        let missing = |direction| {
            let board = boards.of(direction);
            !*self.seen.of(direction) && board.unacked() > 0
        };
        missing(Direction::Downlink) || missing(Direction::Uplink)
    }
}
