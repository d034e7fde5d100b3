//! When rows may leave.

use airmile_types::{Duration, Instant};

/// How much later the evidence for a slice may come: the deepest queues hold seconds.
pub(super) const SETTLED: Duration = Duration::from_secs(10);

/// The time at which something may leave next. It makes a packet that lets nothing out cost two
/// comparisons.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// The time after which the flow's opening may leave, while it has not.
    pub(super) opening: Instant,
    /// Rows may leave after this time, or when the clock of the capture point has gone back to
    /// before the other.
    pub(super) after: Instant,
    pub(super) before: Instant,
}

impl Default for Due {
    fn default() -> Self {
        Self { opening: Instant::MAX, after: Instant::MAX, before: Instant::MIN }
    }
}
