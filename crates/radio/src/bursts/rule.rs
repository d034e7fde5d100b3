//! Applies the rule of BurstTracker (BT19 section 3.2, methods G2) to one scheduled millisecond
//! after another.
//!
//! Input: scheduled milliseconds in order. Output: bursts. Bias: a burst whose last millisecond
//! takes `bursts.end_ratio` or more of the PRBs seems to continue through the silence after it.
//! [`assumption`](super::assumption()) shows whether that matters on a trace.

use airmile_types::Parameters;

use super::burst::{Burst, UnfinishedBurst};
use crate::tti::Ms;

/// Finds bursts in a stream of scheduled milliseconds.
#[derive(Clone, Debug)]
pub struct BurstTracker {
    start_ratio: f64,
    end_ratio: f64,
    log_gap_ms: f64,
    last: Option<Ms>,
    open: Option<UnfinishedBurst>,
    unclassified_ms: u64,
}

impl BurstTracker {
    /// A tracker that uses the thresholds in `parameters`.
    pub const fn new(parameters: &Parameters) -> Self {
        Self {
            start_ratio: parameters.burst_start_ratio,
            end_ratio: parameters.burst_end_ratio,
            log_gap_ms: parameters.burst_log_gap_s * 1e3,
            last: None,
            open: None,
            unclassified_ms: 0,
        }
    }

    /// Takes the next scheduled millisecond, and returns the burst that has ended before it.
    pub fn push(&mut self, ms: &Ms) -> Option<Burst> {
        let ended = self.end_before(ms);
        match &mut self.open {
            Some(open) => open.extend(ms),
            // The share must exceed the threshold, not only reach it (BT19 section 3.2.2).
            None if ms.share.is_some_and(|share| share > self.start_ratio) => {
                self.open = Some(UnfinishedBurst::begin(ms));
            }
            None => self.unclassified_ms += 1,
        }
        self.last = Some(*ms);
        ended
    }

    /// Notes that nothing was scheduled up to and including millisecond `tti`, and returns the
    /// burst that has ended. Streams need this, because the next scheduled millisecond may come
    /// much later.
    pub fn idle_until(&mut self, tti: i64) -> Option<Burst> {
        let last = self.last.filter(|last| last.tti < tti)?;
        self.last_empties(&last).then(|| self.open.take()).flatten().map(|open| open.end(true))
    }

    /// The burst that is still open where the records end.
    pub const fn finish(self) -> Option<Burst> {
        match self.open {
            Some(open) => Some(open.end(false)),
            None => None,
        }
    }

    /// Whether a burst is open.
    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The burst that is open, as far as the records so far show it.
    pub fn open(&self) -> Option<Burst> {
        self.open.map(|open| open.end(false))
    }

    /// The number of scheduled milliseconds so far that belong to no burst.
    pub const fn unclassified_ms(&self) -> u64 {
        self.unclassified_ms
    }

    fn end_before(&mut self, ms: &Ms) -> Option<Burst> {
        let last = self.last?;
        let step = ms.tti.saturating_sub(last.tti);
        // Missing records are not unscheduled milliseconds (methods G1), so an open burst ends at
        // its last scheduled millisecond.
        if ms.after_gap || step as f64 > self.log_gap_ms {
            return self.open.take().map(|open| open.end(false));
        }
        let ends = step > 1 && self.last_empties(&last);
        ends.then(|| self.open.take()).flatten().map(|open| open.end(true))
    }

    /// Whether the queue was empty after this millisecond if nothing is scheduled next. The share
    /// is the largest of all carriers, so every carrier must have been below the threshold. An
    /// unknown share ends no burst.
    fn last_empties(&self, last: &Ms) -> bool {
        last.share.is_some_and(|share| share < self.end_ratio)
    }
}

/// All bursts of a log, and the number of scheduled milliseconds outside bursts.
pub fn bursts(milliseconds: &[Ms], parameters: &Parameters) -> (Vec<Burst>, u64) {
    let mut tracker = BurstTracker::new(parameters);
    let mut bursts: Vec<Burst> = milliseconds.iter().filter_map(|ms| tracker.push(ms)).collect();
    let unclassified_ms = tracker.unclassified_ms();
    bursts.extend(tracker.finish());
    (bursts, unclassified_ms)
}
