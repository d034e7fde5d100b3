//! A silence of a sender that may be its application's.

use airmile_types::Instant;

/// A silence of which only the data after it shows whether it was the application's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    pub(super) from: Instant,
    pub(super) until: Instant,
    /// The first byte sent after it.
    pub(super) next: i64,
    /// What was acknowledged when it began.
    pub(super) acked: i64,
    /// The flight below which it was ProbeRTT's.
    pub(super) probing: Option<i64>,
    /// What was acknowledged when the silence ended, where the window had room.
    pub(super) room: Option<i64>,
}

airmile_types::held!(Doubt {});
