//! Bursts as rows of the table `bursts`.

use super::{Burst, OnlineBurst};
use crate::{BurstRow, TtiScope};

/// Whose bursts these are and which rule found them.
#[derive(Clone, Copy, Debug)]
pub struct BurstSource {
    /// User, direction and carrier.
    pub scope: TtiScope,
    /// bursttracker, online or joint.
    pub estimator: &'static str,
}

/// A row for each burst, in their order.
pub fn burst_rows(source: BurstSource, bursts: &[Burst]) -> Vec<BurstRow> {
    bursts.iter().map(|burst| row_of(source, burst)).collect()
}

fn row_of(source: BurstSource, burst: &Burst) -> BurstRow {
    BurstRow {
        user: i64::from(source.scope.user.0),
        cell: burst.cell.map(i64::from),
        carrier: source.scope.carrier.map(i64::from),
        estimator: source.estimator,
        start_ns: burst.start,
        end_ns: burst.end,
        throughput_time_ms: burst.throughput_time_ms() as f64,
        active_ms: burst.active_ms() as f64,
        contention_ms: burst.contention_ms() as f64,
        bytes: burst.bytes.map(as_column),
        throughput_bps: burst.throughput_bps(),
        closed: burst.closed,
    }
}

/// A row for each burst of the published program, which mixes the carriers and knows no
/// milliseconds without a record of its own: records stand for ACTIVE ones.
pub fn online_rows(scope: TtiScope, bursts: &[OnlineBurst]) -> Vec<BurstRow> {
    bursts.iter().map(|burst| online_row(scope, burst)).collect()
}

fn online_row(scope: TtiScope, burst: &OnlineBurst) -> BurstRow {
    let active_ms = burst.records.saturating_sub(1) as f64;
    let duration_ms = burst.duration_ms as f64;
    BurstRow {
        user: i64::from(scope.user.0),
        cell: None,
        carrier: None,
        estimator: "online",
        start_ns: burst.start,
        end_ns: burst.end,
        throughput_time_ms: duration_ms,
        active_ms,
        contention_ms: (duration_ms - active_ms).max(0.0),
        bytes: Some(burst.bytes),
        throughput_bps: Some(burst.throughput_bps),
        closed: true,
    }
}

fn as_column(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use airmile_read::modem::User;
    use airmile_types::Instant;

    use super::super::cases::script;
    use super::super::{OnlineRecord, OnlineTracker, bursts};
    use super::*;
    use crate::Parameters;

    #[test]
    fn a_burst_fills_its_row() {
        let found = bursts(&script(". 100:500 . 20 . 1"), &Parameters::default()).0;
        let scope = TtiScope::downlink(User(3));
        let rows = burst_rows(BurstSource { scope, estimator: "bursttracker" }, &found);
        let expected = BurstRow {
            user: 3,
            cell: Some(1),
            carrier: None,
            estimator: "bursttracker",
            start_ns: Instant::from_nanos(1_000_000),
            end_ns: Instant::from_nanos(3_000_000),
            throughput_time_ms: 2.0,
            active_ms: 1.0,
            contention_ms: 1.0,
            bytes: Some(500),
            throughput_bps: Some(2e6),
            closed: true,
        };
        assert_eq!(rows, [expected]);
    }

    #[test]
    fn two_carriers_in_a_millisecond_are_no_negative_contention() {
        let record = |subframe, blocks| OnlineRecord {
            subframe,
            blocks,
            bytes: 10,
            time: Instant::from_nanos(subframe * 1_000_000),
        };
        let mut tracker = OnlineTracker::default();
        let records = [(1, 50), (1, 50), (1, 50), (2, 9), (9, 1)];
        let found: Vec<_> =
            records.iter().filter_map(|(at, blocks)| tracker.push(record(*at, *blocks))).collect();
        let rows = online_rows(TtiScope::downlink(User(0)), &found);
        assert_eq!((rows[0].throughput_time_ms, rows[0].active_ms), (1.0, 3.0));
        assert_eq!((rows[0].contention_ms, rows[0].bytes), (0.0, Some(30)));
    }
}
