//! Keeps the queue estimate as runs of milliseconds of one state, and adds them up over a time
//! span.

use airmile_types::Instant;

use super::service::Axis;
use crate::demand::QueueTimes;

/// The state of a phone's queue at the base station in one millisecond (BT19 section 2.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueState {
    /// Data waits, and some is left after the millisecond: ACTIVE or CONTENTION.
    Backlogged,
    /// The millisecond empties the queue: LAST ACTIVE.
    Draining,
    /// Nothing waits: UNDERFLOW.
    Empty,
    /// Records are missing, so the state is not known.
    Unknown,
}

/// Consecutive milliseconds of one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRun {
    /// The first millisecond, counted from the first one of the log.
    pub from: i64,
    /// The millisecond after the last one.
    pub to: i64,
    /// The most likely state of the queue.
    pub state: QueueState,
    /// Whether the queue certainly was not empty.
    pub surely: bool,
    /// Whether the queue was possibly not empty.
    pub perhaps: bool,
}

/// Runs in ascending order, without gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs(pub(super) Vec<QueueRun>);

impl Runs {
    /// Appends a run whose state is certain.
    pub(super) fn push(&mut self, from: i64, to: i64, state: QueueState) {
        let backlogged = state == QueueState::Backlogged;
        self.push_run(QueueRun { from, to, state, surely: backlogged, perhaps: backlogged });
    }

    /// Appends a run, or extends the last run if the two are alike.
    pub(super) fn push_run(&mut self, run: QueueRun) {
        if run.from >= run.to {
            return;
        }
        match self.0.last_mut() {
            Some(last) if QueueRun { from: last.from, to: last.to, ..run } == *last => {
                last.to = run.to;
            }
            _ => self.0.push(run),
        }
    }

    fn at(&self, at: i64) -> Option<&QueueRun> {
        self.0.get(self.0.partition_point(|run| run.to <= at)).filter(|run| run.from <= at)
    }

    fn bounds(&self) -> impl Iterator<Item = i64> {
        self.0.iter().flat_map(|run| [run.from, run.to])
    }
}

/// The best estimate, marked as doubtful wherever one of `others` differs from it.
pub(super) fn merge(best: &Runs, others: &[&Runs]) -> Runs {
    let all = std::iter::once(best).chain(others.iter().copied());
    let mut bounds: Vec<i64> = all.clone().flat_map(Runs::bounds).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut merged = Runs::default();
    for pair in bounds.windows(2) {
        let [from, to] = *pair else { continue };
        let Some(run) = best.at(from) else { continue };
        let backlogged =
            |runs: &Runs| runs.at(from).is_some_and(|run| run.state == QueueState::Backlogged);
        merged.push_run(QueueRun {
            from,
            to,
            surely: all.clone().all(backlogged),
            perhaps: all.clone().any(backlogged),
            ..*run
        });
    }
    merged
}

/// Joins two estimates: `inside` for the time that was captured (given in nanoseconds), and
/// `outside` for the rest.
pub(super) fn within(inside: Runs, outside: &Runs, (from, to): (i64, i64)) -> Runs {
    let from = from.div_euclid(super::service::TICK);
    let to = to.div_euclid(super::service::TICK).saturating_add(1);
    let cut = |runs: &Runs, from: i64, to: i64, out: &mut Runs| {
        for run in &runs.0 {
            out.push_run(QueueRun { from: run.from.max(from), to: run.to.min(to), ..*run });
        }
    };
    // A queue that exists when the last packet has passed is still served afterwards.
    let last = inside.0.iter().filter(|run| run.to > to);
    let to = last
        .take_while(|run| run.state == QueueState::Backlogged)
        .map(|run| run.to)
        .fold(to, i64::max);
    let mut out = Runs::default();
    cut(outside, i64::MIN, from, &mut out);
    cut(&inside, from, to, &mut out);
    cut(outside, to, i64::MAX, &mut out);
    out
}

/// The times when a queue was not empty.
#[derive(Clone, Debug)]
pub struct QueueTimeline {
    runs: Runs,
    axis: Axis,
}

impl QueueTimeline {
    pub(super) const fn new(runs: Runs, axis: Axis) -> Self {
        Self { runs, axis }
    }

    /// All runs, with milliseconds counted from the first one of the log.
    pub fn runs(&self) -> &[QueueRun] {
        &self.runs.0
    }

    /// The time at which a millisecond of the log begins.
    pub fn time(&self, at: i64) -> Instant {
        self.axis.time(at)
    }

    /// The time spans of the runs that `of` selects.
    pub fn spans(&self, of: impl Fn(&QueueRun) -> bool) -> Vec<(Instant, Instant)> {
        let picked = self.runs.0.iter().filter(|run| of(run));
        picked.map(|run| (self.time(run.from), self.time(run.to))).collect()
    }

    /// The number of milliseconds of `[from, to)` in which the queue most likely was not empty.
    pub fn backlogged_ms(&self, from: Instant, to: Instant) -> f64 {
        self.sum_ms(from, to, |run| run.state == QueueState::Backlogged)
    }

    /// The number of milliseconds of `[from, to)` in which the state is not known.
    fn unknown_ms(&self, from: Instant, to: Instant) -> f64 {
        let known = self.sum_ms(from, to, |run| run.state != QueueState::Unknown);
        ((to - from).as_millis_f64() - known).max(0.0)
    }

    /// How long the queue was in each state during `[from, to)`, in milliseconds.
    pub fn times(&self, from: Instant, to: Instant) -> QueueTimes {
        let length = (to - from).as_millis_f64();
        QueueTimes {
            length,
            known: length - self.unknown_ms(from, to),
            busy: self.backlogged_ms(from, to),
            surely: self.sum_ms(from, to, |run| run.surely),
            perhaps: self.sum_ms(from, to, |run| run.perhaps),
        }
    }

    fn sum_ms(&self, from: Instant, to: Instant, of: impl Fn(&QueueRun) -> bool) -> f64 {
        let all = &self.runs.0;
        let first = all.partition_point(|run| self.time(run.to) <= from);
        let rest = all.get(first..).unwrap_or_default();
        rest.iter()
            .take_while(|run| self.time(run.from) < to)
            .filter(|run| of(run))
            .map(|run| (self.time(run.to).min(to) - self.time(run.from).max(from)).as_millis_f64())
            // `sum()` of an empty list would give -0.
            .fold(0.0, |sum, ms| sum + ms.max(0.0))
    }
}
