//! Says how short a queue before the radio the packets of a slice could have shown.

use airmile_types::Instant;

use super::slicer::Slicer;
use crate::evidence::{BIN, Counters, HORIZON_BINS, Limits, least_before};

impl Slicer<'_> {
    /// The least wait that the packets of a slice, which begins at `start`, could have told from delay
    /// jitter.
    pub(super) fn least_queue_ms(
        &self,
        start: Instant,
        counters: Option<&Counters>,
    ) -> Option<f64> {
        if !self.sees_queue(counters) {
            return None;
        }
        let bin = start.bin(BIN);
        let earlier = || self.sender.bins_before(bin, bin - HORIZON_BINS);
        let at_data = counters.into_iter().chain(earlier()).find_map(Counters::least_queue_ms);
        at_data.or_else(|| self.least_before_ms())
    }

    /// The same for packets that passed before the tick of their sender's clock was known, and were
    /// judged by it later.
    fn least_before_ms(&self) -> Option<f64> {
        let limits = Limits::new(self.parameters);
        let least = least_before(self.flow, self.direction, self.clocks, &limits)?;
        Some(least.as_millis_f64())
    }
}
