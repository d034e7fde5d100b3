//! What the caller is given: bursts, and how far the log has come.

use std::collections::BTreeMap;

use airmile_radio::{Burst, MovingAverage};
use airmile_read::modem::{ModemReport, User};
use airmile_types::Instant;
use serde::Serialize;

use super::follower::Follower;

/// What came since the last time.
#[derive(Clone, Debug, Serialize)]
pub struct Batch {
    /// Bursts that ended.
    pub bursts: Vec<LiveBurst>,
    /// How far the log has come.
    pub state: State,
}

/// A burst with the moving average that it leaves; names as in the table `bursts`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveBurst {
    /// Whose.
    pub user: u32,
    /// First scheduled millisecond.
    pub start_ns: i64,
    /// Last scheduled millisecond.
    pub end_ns: i64,
    /// ACTIVE and CONTENTION.
    pub throughput_time_ms: u64,
    /// Scheduled, the last one left out.
    pub active_ms: u64,
    /// Not scheduled although data waited.
    pub contention_ms: u64,
    /// Volume; null when the log does not tell the size of a block.
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
    /// Whose.
    pub user: u32,
    /// First scheduled millisecond.
    pub start_ns: i64,
    /// Last one so far.
    pub end_ns: i64,
}

/// How far the log has come.
#[derive(Clone, Debug, Default, Serialize)]
pub struct State {
    /// Earliest time of the log.
    pub first_ns: Option<i64>,
    /// Newest time of the log.
    pub last_ns: Option<i64>,
    /// Bursts that go on.
    pub open: Vec<OpenBurst>,
    /// Pieces that gave nothing, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// A PRB total is the most seen so far: a lower bound.
    pub largest_seen: bool,
}

impl State {
    pub(super) fn of<'a>(
        report: Option<&ModemReport>,
        users: impl Iterator<Item = &'a Follower> + Clone,
        newest: Option<Instant>,
        largest_seen: bool,
    ) -> Self {
        let mut state = report.map(Self::of_log).unwrap_or_default();
        let late: u64 = users.clone().map(Follower::late).sum();
        if late > 0 {
            state.skipped.insert("late_block".to_owned(), late);
        }
        state.open = users.filter_map(Follower::open).collect();
        // The reader may be ahead of what was judged.
        state.last_ns = newest.map(Instant::as_nanos);
        state.largest_seen = largest_seen;
        state
    }

    fn of_log(report: &ModemReport) -> Self {
        let notes = &report.notes;
        let skipped = notes.skipped.iter().map(|(reason, n)| ((*reason).to_owned(), *n));
        let not_understood: u64 = notes.not_understood.values().sum();
        let versions =
            (not_understood > 0).then(|| ("version_not_understood".to_owned(), not_understood));
        Self {
            first_ns: notes.first_time.map(Instant::as_nanos),
            skipped: skipped.chain(versions).collect(),
            ..Self::default()
        }
    }
}
