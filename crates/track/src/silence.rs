//! Decides whether the phone was silent before a flow.

use airmile_types::{Duration, Parameters};

use crate::facts::FlowFacts;

impl FlowFacts {
    /// Whether no packet of the UE passed during the time `idle` before the flow. `None` if the UE
    /// was not seen before and the capture began less than `idle` before the flow.
    pub fn after_idle(&self, idle: Duration) -> Option<bool> {
        match self.ue_idle_before {
            Some(silence) => Some(silence >= idle),
            None => (self.since_capture_start >= idle).then_some(true),
        }
    }

    /// Whether the phone was silent before the flow for at least `promotion.silence_s`; `None` if
    /// the capture does not cover that time.
    pub fn after_silence(&self, parameters: &Parameters) -> Option<bool> {
        self.after_idle(Duration::from_secs_f64(parameters.least_silence_s))
    }
}
