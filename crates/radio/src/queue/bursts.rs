//! Writes the time spans with a queue as rows of `bursts`.

use airmile_read::modem::User;
use airmile_types::Instant;

use super::service::QueueLog;
use super::timeline::{QueueRun, QueueState, QueueTimeline};
use crate::log::BurstRow;
use crate::tti::Ms;

impl QueueTimeline {
    /// One row for each time span in which the queue most likely was not empty, including the
    /// millisecond that emptied it. `log` must be the log from which the timeline was made.
    pub fn bursts(&self, log: &QueueLog<'_>, user: User) -> Vec<BurstRow> {
        let first = log.downlink.first().map_or(0, |ms| ms.tti);
        let place = |at: i64| log.downlink.partition_point(|ms| ms.tti - first < at);
        let runs = self.runs();
        let mut rows = Vec::new();
        let mut begin = 0;
        while let Some(run) = runs.get(begin) {
            let alike = |run: &&QueueRun| run.state == QueueState::Backlogged;
            let length = runs.iter().skip(begin).take_while(alike).count();
            begin += length.max(1);
            let Some(last) = runs.get(begin - 1).filter(|_| length > 0) else { continue };
            let behind = runs.get(begin).map(|run| run.state);
            let emptied = behind == Some(QueueState::Draining);
            let span = (run.from, last.to + i64::from(emptied));
            let scheduled = log.downlink.get(place(span.0)..place(span.1)).unwrap_or_default();
            let closed = behind.is_some_and(|state| state != QueueState::Unknown);
            // Stamps that jitter may let a piece of the log begin before the one before it ends.
            let start = self.time(run.from);
            let times = (start, self.time(last.to).max(start));
            let span = BackloggedSpan { ms: (run.from, last.to), times };
            rows.extend(row(user, scheduled, span, first, closed));
        }
        rows
    }
}

/// A time span in which the queue was not empty. Its beginning may lie before the first allocation,
/// as in an outage.
struct BackloggedSpan {
    /// The first millisecond and the one after the last, on the axis of the log.
    ms: (i64, i64),
    times: (Instant, Instant),
}

/// The row of a span; `None` when nothing was scheduled in it.
fn row(
    user: User,
    scheduled: &[Ms],
    BackloggedSpan { ms: (from, to), times }: BackloggedSpan,
    first: i64,
    closed: bool,
) -> Option<BurstRow> {
    let start = scheduled.first()?;
    let busy = scheduled.iter().filter(|ms| ms.tti - first < to);
    let active_ms = busy.clone().count() as f64;
    let bytes: Option<u64> = busy.map(|ms| ms.bytes).sum();
    let time_ms = (to - from) as f64;
    Some(BurstRow {
        user: user.0.into(),
        cell: start.cell.map(i64::from),
        carrier: None,
        estimator: "joint",
        start_ns: times.0,
        end_ns: times.1,
        throughput_time_ms: time_ms,
        active_ms,
        contention_ms: time_ms - active_ms,
        bytes: bytes.and_then(|bytes| i64::try_from(bytes).ok()),
        throughput_bps: bytes.filter(|_| time_ms > 0.0).map(|bytes| bytes as f64 * 8e3 / time_ms),
        closed,
    })
}
