//! Defines the bursts of a log that is still being written: complete bursts, and the open one.

use airmile_radio::{Burst, MovingAverage};
use airmile_read::modem::User;
use serde::Serialize;

/// A complete burst, with the moving average after it. Fields have the names of the columns of
/// `bursts`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveBurst {
    /// The number of the user.
    pub user: u32,
    /// The first scheduled millisecond of the burst.
    pub start_ns: i64,
    /// The last scheduled millisecond of the burst.
    pub end_ns: i64,
    /// The ACTIVE and CONTENTION milliseconds of the burst.
    pub throughput_time_ms: u64,
    /// The scheduled milliseconds of the burst, without the last one.
    pub active_ms: u64,
    /// The milliseconds in which the user was not scheduled although data waited.
    pub contention_ms: u64,
    /// The size of the burst in bytes; null when the log lacks the size of a block.
    pub bytes: Option<u64>,
    /// The bytes of the burst divided by its Throughput Time.
    pub throughput_bps: Option<f64>,
    /// Whether the end of the burst was seen.
    pub closed: bool,
    /// The mean rate of the last five bursts, weighted by their duration.
    pub average_bps: Option<f64>,
    /// The lowest rate of the last five bursts, in bit/s.
    pub average_low_bps: Option<f64>,
    /// The highest rate of the last five bursts, in bit/s.
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

/// A burst that is not complete yet.
#[derive(Clone, Debug, Serialize)]
pub struct OpenBurst {
    /// The number of the user.
    pub user: u32,
    /// The first scheduled millisecond of the burst.
    pub start_ns: i64,
    /// The last scheduled millisecond so far.
    pub end_ns: i64,
}
