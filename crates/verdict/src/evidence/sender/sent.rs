//! Computes what the sender of a packet knew when the packet passed.

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Vantage};

use crate::evidence::limits::Limits;
use crate::evidence::sender_loop::loop_of;

/// What the sender of a packet with payload knew, read once for each packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// The offset up to which the sender knew its data to be acknowledged.
    pub(super) acked: i64,
    /// The bytes that the sender knew to be in flight, this packet included.
    pub(super) flight: i64,
    pub(super) mss: i64,
    /// The round trip from here to the sender; zero where it is not known.
    pub(super) loop_time: Duration,
    pub(super) loop_known: bool,
    pub(super) ack_clock: Duration,
    /// Whether the capture point is at the receiver.
    pub(super) at_receiver: bool,
    /// Whether the radio lies between the capture point and the sender.
    across_radio: bool,
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
            loop_known: board.loop_time().is_some(),
            ack_clock: limits.ack_clock,
            at_receiver: segment.flow.is_at_receiver_of(segment.direction),
            across_radio: is_across_radio(segment),
        }
    }

    /// The time after an ACK within which data must follow to count as released by that ACK.
    pub(super) fn clock(&self) -> Duration {
        self.ack_clock + self.loop_time.over(20)
    }

    /// How long a sender that has data to send may be silent. Where nothing shows how far it is, an
    /// ACK from here may be new to it for as long as its timer waits.
    pub(super) fn patience(&self, segment: &Segment<'_>, limits: &Limits) -> Duration {
        let near = self.near(limits);
        if self.loop_known { near } else { segment.own.rto_most().max(near) }
    }

    /// How long a sender at a known distance that has data to send may be silent.
    pub(super) fn near(&self, limits: &Limits) -> Duration {
        self.slack(limits).max(self.clock())
    }

    /// How late data may come after the sender has heard what it waits for. After the radio, it
    /// comes as late as round trips differ.
    fn slack(&self, limits: &Limits) -> Duration {
        let wired = limits.application_slack;
        if self.across_radio { wired.max(limits.phone_spread) } else { wired }
    }
}

/// Whether the radio lies between the capture point and the sender of this data.
fn is_across_radio(segment: &Segment<'_>) -> bool {
    match segment.direction {
        Direction::Downlink => segment.flow.vantage == Some(Vantage::Ue),
        Direction::Uplink => {
            matches!(segment.flow.vantage, Some(Vantage::Monitor | Vantage::Server))
        }
    }
}
