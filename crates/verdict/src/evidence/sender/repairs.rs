//! What a sender has lost, and until when that has effects.

use airmile_track::Recovery;
use airmile_types::Instant;

use crate::evidence::timeline::Timeline;

/// What was lost, and how the sender repaired it.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs {
    /// The times when it waited for its retransmission timer, or repaired after it.
    pub(super) timeout: Timeline,
    /// The times when the timer had fired although ACKs kept coming (methods C4).
    pub(super) undesired: Timeline,
    pub(super) premature: bool,
    /// The times when it repaired a loss without a timeout.
    pub(super) recovery: Timeline,
    /// The loss episode in progress as of the last event.
    pub(super) recovering: Option<Recovery>,
    /// Whether it has retransmitted in that episode.
    pub(super) repairing: bool,
}

airmile_types::held!(Repairs { timeout, undesired, recovery });

impl Repairs {
    /// Whether a loss episode is in progress, as of the last event.
    pub(super) const fn go_on(&self) -> bool {
        self.repairing || self.recovering.is_some()
    }
}

/// The time until which ACKs of a recovery are on their way to the sender; before every instant
/// without one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recovered(pub(super) Instant);

impl Default for Recovered {
    fn default() -> Self {
        Self(Instant::MIN)
    }
}

impl Recovered {
    /// Whether what the sender does at `now` may answer such an ACK.
    #[inline]
    pub(super) fn is_recent(self, now: Instant) -> bool {
        now <= self.0
    }
}
