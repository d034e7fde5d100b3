//! Keeps the losses of a sender, and how long they have effects.

use airmile_track::Recovery;
use airmile_types::Instant;

use super::marks::Marks;
use crate::evidence::timeline::Timeline;

/// What was lost, and how the sender repaired it.
#[derive(Clone, Debug, Default)]
pub(super) struct Repairs {
    /// The times at which the sender waited for its retransmission timer, or repaired losses after
    /// it fired.
    pub(super) timeout: Timeline,
    /// The part of `timeout` in which the timer had fired although ACKs kept coming (methods C4).
    pub(super) undesired: Timeline,
    /// The part of `timeout` that only the number of segments shows which passed after a silence.
    pub(super) supposed: Timeline,
    pub(super) premature: bool,
    /// The times at which the sender repaired a loss without a timeout.
    pub(super) recovery: Timeline,
    /// The loss episode in progress at the last event.
    pub(super) recovering: Option<Recovery>,
    /// Whether the sender has retransmitted in the loss episode in progress.
    pub(super) repairing: bool,
    /// The marks, kept only for a sender whose data was marked.
    pub(super) marks: Option<Box<Marks>>,
}

airmile_types::held!(Repairs { timeout, undesired, supposed, recovery, marks });

impl Repairs {
    /// Whether a loss episode was in progress at the last event.
    pub(super) const fn go_on(&self) -> bool {
        self.repairing || self.recovering.is_some()
    }
}

/// The time until which ACKs of a recovery may still be on their way to the sender, or the window
/// shrinks after a mark; a time before every instant when there was neither.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recovered(Instant);

impl Default for Recovered {
    fn default() -> Self {
        Self(Instant::MIN)
    }
}

impl Recovered {
    /// Notes another such time. One that ends earlier does not end the one before.
    pub(super) fn extend(&mut self, until: Instant) {
        self.0 = self.0.max(until);
    }

    /// Whether data sent at `now` may be the answer to an ACK of the recovery, or of a mark.
    #[inline]
    pub(super) fn is_recent(self, now: Instant) -> bool {
        now <= self.0
    }
}
