//! Defines the manifest's entry on whether the burst rule can be trusted for a log.

use airmile_radio::UserLog;
use serde::Serialize;

/// The test of the burst rule's assumption (methods G3).
#[derive(Clone, Debug, Default, Serialize)]
pub struct AssumptionReport {
    /// `holds`, `does_not_hold` or `unknown`.
    pub word: &'static str,
    /// The result of the test in plain words.
    pub sentence: String,
    /// The share of the time of activity that counts as busy or idle only because of the
    /// assumption.
    pub undecided_ratio: Option<f64>,
    /// The number of bursts whose end was seen.
    pub seen_ends: u64,
    /// The number of large milliseconds before a long silence, which are ends that were missed.
    pub missed_ends: u64,
    /// The share of the scheduled milliseconds that are above the PRB share that begins a burst.
    pub above_start_ratio: Option<f64>,
    /// The share of the scheduled milliseconds that are below the PRB share that ends a burst.
    pub below_end_ratio: Option<f64>,
    /// The share of the scheduled milliseconds between these two PRB shares.
    pub between_ratio: Option<f64>,
    /// Sarle's bimodality coefficient; a value above 5/9 suggests two modes.
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
