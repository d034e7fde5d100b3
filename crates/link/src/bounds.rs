//! What numbers a setting may have: every one is finite, and so small that no sum of instants
//! overflows and no queue outgrows a machine. The bounds are choices of ours.

use crate::config::ConfigError;

/// A day: no timer of a link is longer.
const MOST_MS: f64 = 86_400_000.0;
/// No block is on the air, or awaited by RLC, for longer: above every RLC timer.
const MOST_AIR_MS: f64 = 10_000.0;
/// The shortest time that a step lasts: no two lie in one TTI's thousandth.
const LEAST_STEP_MS: f64 = 0.001;
/// No decibels of a radio are further from 0.
const MOST_DB: f64 = 300.0;
/// Bytes that wait: more than any base station or router holds.
const MOST_QUEUE_BYTES: u64 = 1_000_000_000;

/// A time, perhaps none.
pub(crate) fn is_time(ms: f64) -> bool {
    (0.0..=MOST_MS).contains(&ms)
}

/// A time on the air, perhaps none.
pub(crate) fn is_air_time(ms: f64) -> bool {
    (0.0..=MOST_AIR_MS).contains(&ms)
}

/// A time that passes.
pub(crate) fn is_step(ms: f64) -> bool {
    (LEAST_STEP_MS..=MOST_MS).contains(&ms)
}

/// A level or a deviation.
pub(crate) fn is_db(db: f64) -> bool {
    (-MOST_DB..=MOST_DB).contains(&db)
}

/// A rate, perhaps none; NaN is not.
pub(crate) fn is_rate(mbps: f64) -> bool {
    (0.0..=10_000.0).contains(&mbps)
}

/// A rate at which something gets through in a run's time: a packet in 12 s.
pub(crate) fn is_positive_rate(mbps: f64) -> bool {
    (0.001..=10_000.0).contains(&mbps)
}

/// A queue that holds a packet.
pub(crate) fn check_queue(bytes: u64, setting: String) -> Result<(), ConfigError> {
    if (1_500..=MOST_QUEUE_BYTES).contains(&bytes) {
        return Ok(());
    }
    Err(ConfigError::new(setting, "a queue holds a packet of 1500 bytes, and at most 1 GB"))
}
