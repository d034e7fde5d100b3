//! Keeps a silence of a sender that its application may have caused.

use airmile_types::Instant;

/// A silence for which only the data that follows shows whether the application caused it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    pub(super) from: Instant,
    pub(super) until: Instant,
    /// Whether a short record of the receiver ended the silence.
    pub(super) released: bool,
    /// The offset of the first byte sent after the silence.
    pub(super) next: i64,
    /// The offset up to which data was acknowledged when the silence began.
    pub(super) acked: i64,
    /// The flight below which ProbeRTT caused the silence.
    pub(super) probing: Option<i64>,
    /// The offset up to which data was acknowledged when the silence ended, if the window had room.
    pub(super) room: Option<i64>,
}
