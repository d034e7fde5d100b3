//! Bursts of a log that goes on: those that have ended, and the one that is open.

use airmile_radio::{Burst, MovingAverage};
use airmile_read::modem::User;
use serde::Serialize;

/// A burst with the moving average that it leaves; names as in the table `bursts`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveBurst {
    /// The number of the user.
    pub user: u32,
    /// First scheduled millisecond.
    pub start_ns: i64,
    /// Last scheduled millisecond.
    pub end_ns: i64,
    /// ACTIVE and CONTENTION.
    pub throughput_time_ms: u64,
    /// Scheduled, the last one left out.
    pub active_ms: u64,
    /// The milliseconds in which the user was not scheduled although data waited.
    pub contention_ms: u64,
    /// Volume; null when the log lacks the size of a block.
    pub bytes: Option<u64>,
    /// Volume over Throughput Time.
    pub throughput_bps: Option<f64>,
    /// Its end was seen.
    pub closed: bool,
    /// Mean of the last five bursts by duration.
    pub average_bps: Option<f64>,
    /// The slowest of them.
    pub average_low_bps: Option<f64>,
    /// The fastest of them.
    pub average_high_bps: Option<f64>,
}

impl LiveBurst {
    pub(super) fn new(user: User, burst: &Burst, average: &MovingAverage) -> Self {
        let range = average.range();
        Self {
            user: user.0,
            start_ns: burst.start.as_nanos(),
            end_ns: burst.end.as_nanos(),
            throughput_time_ms: burst.throughput_time_ms(),
            active_ms: burst.active_ms(),
            contention_ms: burst.contention_ms(),
            bytes: burst.bytes,
            throughput_bps: burst.throughput_bps(),
            closed: burst.closed,
            average_bps: average.value(),
            average_low_bps: range.map(|(low, _)| low),
            average_high_bps: range.map(|(_, high)| high),
        }
    }
}

/// A burst that goes on.
#[derive(Clone, Debug, Serialize)]
pub struct OpenBurst {
    /// The number of the user.
    pub user: u32,
    /// First scheduled millisecond.
    pub start_ns: i64,
    /// Last one so far.
    pub end_ns: i64,
}
