//! Keeps the round trip of a sender that is in progress (methods T8).

use airmile_types::Instant;

/// The round trip of a sender that is in progress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// The offset of its first byte; less than any offset where none has begun.
    pub(super) start: i64,
    pub(super) began: Instant,
    /// The most bytes of any round trip since the sender rested or its window was reduced.
    pub(super) most: i64,
}

impl Default for Growth {
    fn default() -> Self {
        Self { start: i64::MIN, began: Instant::MAX, most: 0 }
    }
}
