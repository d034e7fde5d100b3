//! Computes the data of one user of the logs: milliseconds, bursts, and summaries.

use std::collections::BTreeMap;

use airmile_read::modem::{Tti, User};
use airmile_types::{Duration, Instant, Parameters, PerDirection};

use super::bandwidths::CellBandwidths;
use super::records::RadioLog;
use super::rows::BurstRow;
use crate::bursts::{
    Assumption, Burst, Modes, OnlineBurst, OnlineTracker, PrbShares, assumption, bursts,
    online_records,
};
use crate::tti::{Ms, TtiScope, milliseconds};

/// What the log shows about one user: the downlink in full, and the scheduled milliseconds of the
/// uplink.
pub struct UserLog {
    /// The user.
    pub user: User,
    /// Scheduled milliseconds of the downlink.
    pub milliseconds: Vec<Ms>,
    /// Scheduled milliseconds of the uplink.
    pub uplink: Vec<Ms>,
    /// The bursts by the burst rule (methods G2).
    pub bursts: Vec<Burst>,
    /// The number of scheduled downlink milliseconds outside of bursts.
    pub unclassified_ms: u64,
    /// Whether the burst rule can be trusted on this log.
    pub assumption: Assumption,
    /// Which parts of the PRB shares the thresholds of the burst rule separate.
    pub modes: Option<Modes>,
    /// The bursts by the published program; empty if they were not requested.
    pub online: Vec<OnlineBurst>,
}

impl UserLog {
    /// All users with an allocation.
    pub fn all(
        log: &RadioLog,
        totals: &CellBandwidths,
        parameters: &Parameters,
        online: bool,
    ) -> Vec<Self> {
        let mut by_user: BTreeMap<User, PerDirection<Vec<&Tti>>> = BTreeMap::new();
        for tti in log.ttis.iter().filter(|tti| tti.is_user_data()) {
            by_user.entry(tti.user).or_default().of_mut(tti.direction).push(tti);
        }
        let of = |(user, mut ttis): (User, PerDirection<Vec<&Tti>>)| {
            ttis.downlink.sort_by_key(|tti| tti.tti);
            ttis.uplink.sort_by_key(|tti| tti.tti);
            let total = |carrier, time| totals.downlink(user, carrier, time);
            let scope = TtiScope::downlink(user);
            let uplink = milliseconds(TtiScope::uplink(user), ttis.uplink, |_, _| None);
            let milliseconds = milliseconds(scope, ttis.downlink, total);
            let (bursts, unclassified_ms) = bursts(&milliseconds, parameters);
            let online = if online { online_bursts(log, user) } else { Vec::new() };
            let assumption = assumption(&milliseconds, parameters);
            let modes = PrbShares::of(&milliseconds).modes(parameters);
            Self { user, milliseconds, uplink, bursts, unclassified_ms, assumption, modes, online }
        };
        by_user.into_iter().map(of).collect()
    }

    /// The first and the last scheduled downlink millisecond of each epoch. The time between epochs
    /// was not logged.
    pub fn spans(&self) -> Vec<(Instant, Instant)> {
        let epochs = self.milliseconds.chunk_by(|_, next| !next.after_gap);
        let ends = |epoch: &[Ms]| Some((epoch.first()?.time, epoch.last()?.time));
        let ends = epochs.filter_map(ends);
        ends.map(|(first, last)| (first, last + Duration::from_millis(1))).collect()
    }

    /// The first and the last scheduled millisecond of either direction.
    pub fn logged(&self) -> Option<(Instant, Instant)> {
        let ends = |all: &[Ms]| Some((all.first()?.time, all.last()?.time));
        let both = ends(&self.milliseconds).into_iter().chain(ends(&self.uplink));
        both.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// The rows of the table `bursts`, with times converted by `clock`.
    pub fn rows(&self, clock: &dyn Fn(Instant) -> Instant) -> Vec<BurstRow> {
        let user = i64::from(self.user.0);
        let ruled = self.bursts.iter().map(|burst| ruled(user, burst, clock));
        let online = self.online.iter().map(|burst| published(user, burst, clock));
        ruled.chain(online).collect()
    }
}

/// The bursts by the published program, which reads records in the order of the log, whatever their
/// carrier.
fn online_bursts(log: &RadioLog, user: User) -> Vec<OnlineBurst> {
    let mut tracker = OnlineTracker::default();
    let records = online_records(log.in_log_order.iter().filter(|tti| tti.user == user));
    records.into_iter().filter_map(|record| tracker.push(record)).collect()
}

fn ruled(user: i64, burst: &Burst, clock: &dyn Fn(Instant) -> Instant) -> BurstRow {
    BurstRow {
        user,
        cell: burst.cell.map(i64::from),
        carrier: None,
        estimator: "bursttracker",
        start_ns: clock(burst.start),
        end_ns: clock(burst.end),
        throughput_time_ms: burst.throughput_time_ms() as f64,
        active_ms: burst.active_ms() as f64,
        contention_ms: burst.contention_ms() as f64,
        bytes: burst.bytes.and_then(|bytes| i64::try_from(bytes).ok()),
        throughput_bps: burst.throughput_bps(),
        closed: burst.closed,
    }
}

fn published(user: i64, burst: &OnlineBurst, clock: &dyn Fn(Instant) -> Instant) -> BurstRow {
    let active_ms = burst.records.saturating_sub(1) as f64;
    BurstRow {
        user,
        cell: None,
        carrier: None,
        estimator: "online",
        start_ns: clock(burst.start),
        end_ns: clock(burst.end),
        throughput_time_ms: burst.duration_ms as f64,
        active_ms,
        contention_ms: (burst.duration_ms as f64 - active_ms).max(0.0),
        bytes: Some(burst.bytes),
        throughput_bps: Some(burst.throughput_bps),
        closed: true,
    }
}
