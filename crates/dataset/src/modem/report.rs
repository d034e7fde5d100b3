//! What the manifest says of modem logs.

use std::collections::BTreeMap;

use airmile_analyze::Burst;
use airmile_read::modem::ModemReport;
use airmile_read::{OpenError, Outcome};
use serde::Serialize;

use crate::manifest::Problem;
use crate::modem::assumption::AssumptionReport;
use crate::modem::load::RadioLog;
use crate::modem::prbs::PrbTotals;
use crate::modem::user::UserLog;

/// A modem log and what became of it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ModemInput {
    /// Path, or `-`.
    pub name: String,
    /// `ok`, `partial` or `failed`.
    pub status: &'static str,
    /// `diag`, `qcat` and the like; `+gzip` or `+zstd` when compressed.
    pub format: Option<String>,
    /// Bytes as stored.
    pub size_bytes: u64,
    /// Earliest message, by the modem's clock.
    pub first_ns: Option<i64>,
    /// Latest message, by the modem's clock.
    pub last_ns: Option<i64>,
    /// Messages (or rows) that were read, by kind and version.
    pub understood: BTreeMap<String, u64>,
    /// What was not understood, in words.
    pub not_understood: Vec<String>,
    /// Layouts in use that no sample has proved, with their messages.
    pub unverified: BTreeMap<String, u64>,
    /// Messages of kinds that are not read.
    pub other: BTreeMap<String, u64>,
    /// Pieces that gave nothing, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Problems beyond those that are listed.
    pub unlisted_problems: u64,
    /// What the reader of the results should know.
    pub warnings: Vec<String>,
}

/// A PRB total in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrbTotal {
    /// Which way.
    pub direction: &'static str,
    /// 0 for the primary carrier.
    pub carrier: u8,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// The total.
    pub prbs: u16,
    /// What told it.
    pub source: &'static str,
}

impl ModemInput {
    /// A log that was read, perhaps in part.
    pub(crate) fn new(report: &ModemReport) -> Self {
        let notes = &report.notes;
        let kinds = |counts: &BTreeMap<(&'static str, u32), u64>| {
            counts.iter().map(|((kind, version), n)| (format!("{kind} v{version}"), *n)).collect()
        };
        Self {
            name: report.name.clone(),
            status: match report.outcome() {
                Outcome::Clean => "ok",
                Outcome::Partial => "partial",
                Outcome::Nothing => "failed",
            },
            format: Some(report.format.clone()),
            size_bytes: report.size_bytes,
            first_ns: notes.first_time.map(airmile_types::Instant::as_nanos),
            last_ns: notes.last_time.map(airmile_types::Instant::as_nanos),
            understood: kinds(&notes.understood),
            not_understood: report.not_understood(),
            unverified: kinds(&notes.unverified),
            other: notes.other.clone(),
            skipped: notes.skipped.clone(),
            problems: notes.problems.iter().cloned().map(Problem::read).collect(),
            unlisted_problems: notes.unlisted_problems,
            warnings: notes.warnings.clone(),
        }
    }

    /// A log that could not be opened.
    pub(crate) fn failed(name: String, error: &OpenError) -> Self {
        let problem = Problem {
            offset: None,
            kind: "unreadable",
            text: error.to_string(),
            hint: error.hint(),
        };
        Self { name, status: "failed", problems: vec![problem], ..Self::default() }
    }

    /// Nothing of it could be read.
    pub(crate) fn is_nothing(&self) -> bool {
        self.status == "failed"
    }

    /// What is wrong with it, in a sentence.
    pub(crate) fn first_problem(&self) -> String {
        match self.problems.first() {
            Some(problem) if problem.text.starts_with(&self.name) => problem.text.clone(),
            Some(problem) => format!("{}: {}", self.name, problem.text),
            None => format!("{}: it holds no record of a modem", self.name),
        }
    }
}

/// What the downlink allocations of one user add up to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UserReport {
    /// Subscription of the phone, or RNTI where a sniffer saw all users of a cell.
    pub user: u32,
    /// PRB totals in use, with what told them.
    pub prb_totals: Vec<PrbTotal>,
    /// From the first scheduled millisecond to the last one.
    pub span_s: f64,
    /// The baseline: scheduled milliseconds.
    pub active_time_s: f64,
    /// By the burst rule: ACTIVE and CONTENTION milliseconds.
    pub throughput_time_s: f64,
    /// Scheduled milliseconds outside of bursts.
    pub unclassified_ms: u64,
    /// Decoded bytes over the Throughput Time in which they came (methods G3).
    pub mac_throughput_bps: Option<f64>,
    /// Share of the span, by estimator, and the range of the joint one.
    pub link_demand: BTreeMap<&'static str, f64>,
    /// Whether the burst rule can be trusted.
    pub assumption: AssumptionReport,
}

impl UserReport {
    pub(crate) fn new(user: &UserLog, log: &RadioLog, totals: &PrbTotals) -> Self {
        let span_s = user.span().map_or(0.0, |(first, last)| (last - first).as_secs_f64());
        let busy_ms: u64 = user.bursts.iter().map(Burst::throughput_time_ms).sum();
        // One size that is not told leaves the sum unknown.
        let bytes: Option<u64> = user.bursts.iter().map(|burst| burst.bytes).sum();
        let throughput_time_s = busy_ms as f64 / 1e3;
        let mut link_demand = BTreeMap::new();
        if span_s > 0.0 {
            link_demand.insert("bursttracker", throughput_time_s / span_s);
        }
        Self {
            user: user.user.0,
            prb_totals: totals.list(&log.ttis, user.user),
            span_s,
            active_time_s: user.milliseconds.len() as f64 / 1e3,
            throughput_time_s,
            unclassified_ms: user.unclassified_ms,
            mac_throughput_bps: bytes
                .filter(|_| busy_ms > 0)
                .map(|bytes| bytes as f64 * 8e3 / busy_ms as f64),
            link_demand,
            assumption: AssumptionReport::new(user),
        }
    }
}
