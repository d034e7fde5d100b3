//! The repairs of a sender: timeouts, undesired slow starts, recoveries.

use airmile_track::Recovery;

use crate::evidence::timeline::Timeline;

/// What was lost, and how the sender repaired it.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs {
    /// It waits for its retransmission timer, or repairs after it.
    pub(super) timeout: Timeline,
    /// The timer fired although ACKs kept coming (methods C4).
    pub(super) undesired: Timeline,
    pub(super) premature: bool,
    /// It repairs a loss without a timeout.
    pub(super) recovery: Timeline,
    /// As of the last event.
    pub(super) recovering: Option<Recovery>,
    /// It has sent something again in it.
    pub(super) repairing: bool,
}

airmile_types::held!(Repairs { timeout, undesired, recovery });

impl Repairs {
    /// Whether a loss episode is in progress, as of the last event.
    pub(super) const fn go_on(&self) -> bool {
        self.repairing || self.recovering.is_some()
    }
}
