//! When a sender was last done with a repair.

use airmile_types::Instant;

/// Until when ACKs of a recovery are on their way; before every instant while there was none.
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
