//! When rows may leave.

use airmile_types::{Duration, Instant};

/// Evidence for a slice may come this much later: the deepest queues hold seconds.
pub(super) const SETTLED: Duration = Duration::from_secs(10);

/// When something may leave next, so that a packet that lets nothing out costs two comparisons.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// After it the flow's opening may, while that has not left.
    pub(super) opening: Instant,
    /// Rows may after it, or when the tap's clock has gone back to before the other.
    pub(super) after: Instant,
    pub(super) before: Instant,
}

impl Default for Due {
    fn default() -> Self {
        Self { opening: Instant::MAX, after: Instant::MAX, before: Instant::MIN }
    }
}
