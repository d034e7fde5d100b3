//! Whether the burst rule can be trusted on a log, for the manifest.

use airmile_radio::UserLog;
use serde::Serialize;

/// The test of the burst rule's assumption (methods G3).
#[derive(Clone, Debug, Default, Serialize)]
pub struct AssumptionReport {
    /// `holds`, `does_not_hold` or `unknown`.
    pub word: &'static str,
    /// The same in plain words.
    pub sentence: String,
    /// Part of the time of activity that is busy or idle by the assumption alone.
    pub undecided_ratio: Option<f64>,
    /// Bursts whose end was seen.
    pub seen_ends: u64,
    /// Large milliseconds before a long silence: ends that were missed.
    pub missed_ends: u64,
    /// Part of the scheduled milliseconds above the share that begins a burst.
    pub above_start_ratio: Option<f64>,
    /// Part below the share that ends one.
    pub below_end_ratio: Option<f64>,
    /// Part between these two shares.
    pub between_ratio: Option<f64>,
    /// Sarle's coefficient; above 5/9 it speaks for two modes.
    pub bimodality: Option<f64>,
}

impl AssumptionReport {
    pub(crate) fn new(user: &UserLog) -> Self {
        let (test, modes) = (user.assumption, user.modes);
        Self {
            word: test.trust().as_str(),
            sentence: test.sentence(),
            undecided_ratio: test.undecided_ratio(),
            seen_ends: test.seen_ends,
            missed_ends: test.missed_ends,
            above_start_ratio: modes.map(|modes| modes.above_ratio),
            below_end_ratio: modes.map(|modes| modes.below_ratio),
            between_ratio: modes.map(|modes| modes.between_ratio),
            bimodality: modes.and_then(|modes| modes.bimodality),
        }
    }
}
