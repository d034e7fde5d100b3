//! Defines what a packet of the receiver shows about delivery, for both estimators.

use airmile_types::{Duration, Instant};

/// One delivery, as a packet of the receiver shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrival {
    /// The time at which the receiver's packet passed the capture point.
    pub(super) time: Instant,
    /// The time at which the link served the newest byte that the packet acknowledges, on the
    /// capture point's clock: `time` less the lateness of the packet itself and the least RTT.
    pub(super) served: Instant,
    /// How far the time of service may be from `served`.
    pub(super) uncertainty: Duration,
    /// The reading of the receiver's timestamp clock.
    pub(super) ticks: Option<u32>,
    /// Whether a window may begin or end with this delivery: the receiver's clock has just moved
    /// on, or there is no such clock, and it is known how much other flows had sent.
    pub(super) begins: bool,
    /// All bytes delivered so far, including those that the subscriber's other flows sent before.
    pub(super) delivered: u64,
    /// The time at which the newest acknowledged byte had passed the capture point.
    pub(super) sent: Option<Instant>,
    /// How long that byte waited in a queue: its RTT less the least RTT; `None` when its RTT is
    /// unknown.
    pub(super) queued: Option<Duration>,
    /// How long the link has been busy in all.
    pub(super) busy: Duration,
}
