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

    /// Whether the first copy of a repeated SYN was lost: the SYN-ACK echoes the timestamp of a later
    /// one. If it echoes the first, that one was late. `None` if the SYN was not repeated, its copies
    /// have no timestamps of their own, or the SYN-ACK echoes none of them.
    pub fn lost_syn(&self) -> Option<bool> {
        let (_, newest) = self.repeated_syn?;
        let first = self.syn?.timestamps?.value;
        let echoed = self.syn_ack?.timestamps?.echo.wrapping_sub(first);
        let later = newest?.wrapping_sub(first);
        (later > 0 && echoed <= later).then_some(echoed > 0)
    }
}
