//! What the sender of a packet knew when the packet passed.

use airmile_track::Segment;
use airmile_types::Duration;

use crate::evidence::limits::Limits;
use crate::evidence::receiver_window::is_at_receiver;
use crate::evidence::sender_loop::loop_of;

/// What the sender of a packet with payload knew, read once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// What it knew to be acknowledged.
    pub(super) acked: i64,
    /// What it knew to be in flight, with this packet.
    pub(super) flight: i64,
    pub(super) mss: i64,
    pub(super) loop_time: Duration,
    pub(super) ack_clock: Duration,
    /// Whether the capture point is at the receiver.
    pub(super) at_receiver: bool,
}

impl Sent {
    #[inline]
    pub(super) fn new(segment: &Segment<'_>, limits: &Limits) -> Self {
        let board = segment.own;
        let acked = board.ack_known(segment.time);
        let loop_time = loop_of(board);
        Self {
            acked,
            flight: board.next() - acked,
            mss: i64::from(board.mss_bytes()),
            loop_time,
            ack_clock: limits.ack_clock,
            at_receiver: is_at_receiver(segment),
        }
    }

    /// How soon after an ACK data must follow to have been sent because of it.
    pub(super) fn clock(&self) -> Duration {
        self.ack_clock + self.loop_time.over(20)
    }
}
