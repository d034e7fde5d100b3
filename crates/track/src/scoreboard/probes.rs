//! Probes that await their answer: of a closed window, and of the tail of a flight.

use airmile_types::{Duration, Instant};

use crate::outcomes::ProbeAnswer;

/// Data beyond a closed window's edge: it counts when it is acknowledged, or when the sender goes
/// on behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindowProbe {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) time: Instant,
    pub(super) tsval: Option<u32>,
}

airmile_types::held!(WindowProbe {});

/// A probe that awaits its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct TailProbe {
    pub(super) silent_since: Instant,
    pub(super) sent: Instant,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) tsval: Option<u32>,
    /// Old data once more.
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

/// A tenth is allowed for the tap's estimate of the sender's clocks.
pub(super) fn tenth_off(wait: Duration) -> Duration {
    wait.times(9).over(10)
}
