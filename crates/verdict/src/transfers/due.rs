//! Keeps the time at which the next rows of a flow may be written.

use airmile_types::{Duration, Instant};

/// How much later the evidence for a slice may come: the deepest queues hold seconds of data.
pub(super) const SETTLED: Duration = Duration::from_secs(10);

/// The time at which the next row may be written. With it, a packet that completes no row costs
/// only two comparisons.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// The time after which the flow's opening may be written, while it has not been.
    pub(super) opening: Instant,
    /// Rows may be written after the time `after`, or when the clock of the capture point has gone
    /// back to before the time `before`.
    pub(super) after: Instant,
    pub(super) before: Instant,
}

impl Default for Due {
    fn default() -> Self {
        Self { opening: Instant::MAX, after: Instant::MAX, before: Instant::MIN }
    }
}
