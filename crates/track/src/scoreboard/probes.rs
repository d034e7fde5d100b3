//! Keeps the probes that wait for an answer: probes of a closed window, and tail loss probes.

use airmile_types::{Duration, Instant};

use crate::outcomes::ProbeAnswer;

/// Data beyond the edge of a closed window. It counts as sent once it is acknowledged, or once the
/// sender continues behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowProbe {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) time: Instant,
    pub(super) tsval: Option<u32>,
}

airmile_types::held!(WindowProbe {});

/// A tail loss probe that waits for its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct TailProbe {
    pub(super) silent_since: Instant,
    pub(super) sent: Instant,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) tsval: Option<u32>,
    /// Whether the probe carries old data.
    pub(super) repeated: bool,
}

airmile_types::held!(TailProbe {});

impl TailProbe {
    pub(super) fn answered(&self, lost: bool) -> ProbeAnswer {
        ProbeAnswer {
            silent_since: self.silent_since,
            sent: self.sent,
            start: self.start,
            end: self.end,
            repeated: self.repeated,
            lost,
        }
    }
}

/// The wait minus a tenth, which allows for the error in the estimates of the sender's timers.
pub(super) fn tenth_off(wait: Duration) -> Duration {
    wait.times(9).over(10)
}
