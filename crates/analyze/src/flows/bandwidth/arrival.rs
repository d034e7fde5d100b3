//! What a packet of the receiver reports about delivery.

use airmile_types::{Duration, Instant};

/// One delivery, as a packet of the receiver reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrival {
    /// The time at which that packet passed the capture point.
    pub(super) time: Instant,
    /// The time at which the newest byte that it acknowledges was served, on the capture point's
    /// clock: `time` less what the packet itself was late and the least RTT.
    pub(super) served: Instant,
    /// How far the service may lie from that.
    pub(super) uncertainty: Duration,
    /// The receiver's clock.
    pub(super) ticks: Option<u32>,
    /// A window may begin or end with it: that clock has just moved on, or there is none, and it is
    /// known what other flows had sent.
    pub(super) begins: bool,
    /// All bytes delivered so far, with those that the subscriber's other flows sent before.
    pub(super) delivered: u64,
    /// The time at which the newest byte that it acknowledges had passed the capture point.
    pub(super) sent: Option<Instant>,
    /// How long that byte waited in a queue: its RTT above the least one; `None` when its RTT is
    /// unknown.
    pub(super) queued: Option<Duration>,
    /// How long the link was busy so far.
    pub(super) busy: Duration,
}
