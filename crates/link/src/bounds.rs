//! Checks the limits of numbers in settings: every number is finite, and so small that no sum of
//! instants overflows and no queue outgrows the memory of a machine. The limits are our choice.

use crate::config::ConfigError;

/// The longest timer of a link: one day.
const MOST_MS: f64 = 86_400_000.0;
/// The longest time for which a block is on the air or awaited by RLC; it exceeds every RLC timer.
const MOST_AIR_MS: f64 = 10_000.0;
/// The shortest length of a step, so that no two steps lie in the same thousandth of a TTI.
const LEAST_STEP_MS: f64 = 0.001;
/// The greatest distance of a radio's decibels from 0.
const MOST_DB: f64 = 300.0;
/// The greatest number of waiting bytes: more than any base station or router holds.
const MOST_QUEUE_BYTES: u64 = 1_000_000_000;

/// Whether a number is a time, which may be 0.
pub(crate) fn is_time(ms: f64) -> bool {
    (0.0..=MOST_MS).contains(&ms)
}

/// Whether a number is a time on the air, which may be 0.
pub(crate) fn is_air_time(ms: f64) -> bool {
    (0.0..=MOST_AIR_MS).contains(&ms)
}

/// Whether a number is the length of a step, which must pass.
pub(crate) fn is_step(ms: f64) -> bool {
    (LEAST_STEP_MS..=MOST_MS).contains(&ms)
}

/// Whether a number is a level or a deviation in dB.
pub(crate) fn is_db(db: f64) -> bool {
    (-MOST_DB..=MOST_DB).contains(&db)
}

/// Whether a number is a rate, which may be 0 but not NaN.
pub(crate) fn is_rate(mbps: f64) -> bool {
    (0.0..=10_000.0).contains(&mbps)
}

/// Whether a number is a rate at which something arrives within a run: at least a packet in 12 s.
pub(crate) fn is_positive_rate(mbps: f64) -> bool {
    (0.001..=10_000.0).contains(&mbps)
}

/// Checks that a queue has room for at least one packet; the error names `setting`.
pub(crate) fn check_queue(bytes: u64, setting: String) -> Result<(), ConfigError> {
    if (1_500..=MOST_QUEUE_BYTES).contains(&bytes) {
        return Ok(());
    }
    Err(ConfigError::new(setting, "a queue holds a packet of 1500 bytes, and at most 1 GB"))
}
