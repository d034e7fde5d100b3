//! Defines what the caller receives: bursts, and how far the log has come.

use std::collections::BTreeMap;

use airmile_radio::Unplaced;
use airmile_read::modem::ModemReport;
use airmile_types::Instant;
use serde::Serialize;

use super::burst::{LiveBurst, OpenBurst};
use super::follower::Follower;

/// What has come since the last call.
#[derive(Clone, Debug, Serialize)]
pub struct Batch {
    /// Bursts that ended.
    pub bursts: Vec<LiveBurst>,
    /// How far the log has come.
    pub state: State,
}

/// How far the log has come.
#[derive(Clone, Debug, Default, Serialize)]
pub struct State {
    /// Earliest time of the log.
    pub first_ns: Option<i64>,
    /// Newest time of the log.
    pub last_ns: Option<i64>,
    /// Bursts that are not complete yet.
    pub open: Vec<OpenBurst>,
    /// The number of pieces of the log that contained nothing usable, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Whether some cell bandwidth is only the most PRBs seen so far, which is a lower bound.
    pub largest_seen: bool,
}

impl State {
    pub(super) fn of<'a>(
        report: Option<&ModemReport>,
        users: impl Iterator<Item = &'a Follower>,
        newest: Option<Instant>,
        largest_seen: bool,
    ) -> Self {
        let mut state = report.map(Self::of_log).unwrap_or_default();
        state.open = users.filter_map(Follower::open).collect();
        // The reader may be ahead of the blocks that were judged.
        state.last_ns = newest.map(Instant::as_nanos);
        state.largest_seen = largest_seen;
        state
    }

    /// Adds what was found while the blocks were put in order, and the number of late blocks.
    pub(super) fn add(&mut self, found: &Unplaced, late: u64) {
        let Unplaced { stray, copies, .. } = *found;
        for (reason, count) in [("stray_block", stray), ("duplicate", copies), ("late_block", late)]
        {
            if count > 0 {
                self.skipped.insert(reason.to_owned(), count);
            }
        }
        // A stray block must not stretch the log.
        if found.stray > 0 {
            self.first_ns = found.times.ends().map(|(first, _)| first.as_nanos());
        }
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
