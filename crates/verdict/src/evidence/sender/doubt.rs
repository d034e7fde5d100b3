//! A silence of a sender that may be its application's.

use airmile_types::Instant;

/// A silence of which the data behind it tells whether it was the application's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    pub(super) from: Instant,
    pub(super) until: Instant,
    /// First byte sent after it.
    pub(super) next: i64,
    /// What was acknowledged when it began.
    pub(super) acked: i64,
    /// It was ProbeRTT's if the flight stays below so much.
    pub(super) probing: Option<i64>,
    /// The window had room; what was acknowledged when the silence ended.
    pub(super) room: Option<i64>,
}

airmile_types::held!(Doubt {});
