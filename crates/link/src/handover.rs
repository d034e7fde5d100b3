//! Defines a handover: how long the radio stops between two cells, and what is different
//! afterwards.

use airmile_types::{Duration, Instant};

use crate::bounds::is_time;
use crate::config::{ConfigError, HandoverConfig};

/// One handover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Handover {
    pub(crate) start: Instant,
    pub(crate) outage: Duration,
    /// Whether data that waits at the old cell is forwarded to the new one.
    pub(crate) forwarding: bool,
    /// The time that the handover adds to the wired delay of each direction.
    pub(crate) path_change: Duration,
}

impl Handover {
    pub(crate) fn new(config: &HandoverConfig) -> Result<Self, ConfigError> {
        let times = [config.at_ms, config.outage_ms, config.path_change_ms.abs()];
        if !times.into_iter().all(is_time) {
            let problem = "at_ms and outage_ms are 0 to a day, path_change_ms as far from 0";
            return Err(ConfigError::new("handovers", problem));
        }
        Ok(Self {
            start: Instant::from_nanos(0) + Duration::from_secs_f64(config.at_ms / 1e3),
            outage: Duration::from_secs_f64(config.outage_ms / 1e3),
            forwarding: config.forwarding,
            path_change: Duration::from_secs_f64(config.path_change_ms / 1e3),
        })
    }

    pub(crate) fn end(&self) -> Instant {
        self.start + self.outage
    }
}
