//! What the manifest says about modem logs.

use std::collections::BTreeMap;

use airmile_radio::BandwidthInUse;
use airmile_read::modem::rrc::RrcReading;
use airmile_read::modem::{Checked, MessageKind, ModemReport};
use airmile_read::{OpenError, Outcome};
use serde::Serialize;

use super::input::Problem;

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
    /// Layouts in use that nothing has proved, with their messages.
    pub unverified: BTreeMap<String, u64>,
    /// Checks of layouts on this log: by kind and version, each check by its name.
    pub checks: BTreeMap<String, BTreeMap<&'static str, CheckReport>>,
    /// What was not used because its layout failed its checks, in words.
    pub refused: Vec<String>,
    /// Messages of kinds that are not read.
    pub other: BTreeMap<String, u64>,
    /// Pieces that gave nothing, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// How its RRC messages were read; null where it holds none as they were sent (DIAG logs do).
    pub rrc: Option<RrcReport>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Problems beyond those that are listed.
    pub unlisted_problems: u64,
    /// What the reader of the results should know.
    pub warnings: Vec<String>,
}

/// How often a check held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// It did.
    pub passed: u64,
    /// It did not.
    pub failed: u64,
}

/// How RRC messages were read (methods G7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RrcReport {
    /// `pycrate`: it decoded what may order the phone to move; `plain`: the first bits of each
    /// message alone were read.
    pub decoding: &'static str,
    /// Messages of connected phones.
    pub messages: u64,
    /// Reconfigurations that were decoded whole.
    pub decoded: u64,
    /// Number that could not be decoded; of these, what the first bits show is kept.
    pub failed: u64,
}

/// A PRB total in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrbTotal {
    /// The direction of the transmissions.
    pub direction: &'static str,
    /// 0 for the primary carrier.
    pub carrier: u8,
    /// Physical cell identity.
    pub cell: Option<u16>,
    /// The total.
    pub prbs: u16,
    /// The source of the number.
    pub source: &'static str,
}

impl PrbTotal {
    /// The same in words.
    pub(crate) fn of(total: BandwidthInUse) -> Self {
        let BandwidthInUse { direction, carrier, cell, prbs, source } = total;
        let (direction, source) = (direction.as_str(), source.as_str());
        Self { direction, carrier, cell, prbs, source }
    }
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
            rrc: RrcReport::new(notes.rrc),
            checks: checks(&notes.checks),
            refused: report.refused(),
            problems: problems(report),
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

/// Checks by kind and version, in words.
fn checks(
    all: &BTreeMap<MessageKind, BTreeMap<&'static str, Checked>>,
) -> BTreeMap<String, BTreeMap<&'static str, CheckReport>> {
    let report = |Checked { passed, failed }| CheckReport { passed, failed };
    let of = |checks: &BTreeMap<&'static str, Checked>| {
        checks.iter().map(|(name, checked)| (*name, report(*checked))).collect()
    };
    all.iter().map(|((kind, version), c)| (format!("{kind} v{version}"), of(c))).collect()
}

/// What could not be read, and what was refused.
fn problems(report: &ModemReport) -> Vec<Problem> {
    let refused = report.refused().into_iter().map(|text| Problem {
        offset: None,
        kind: "layout_refused",
        text,
        hint: None,
    });
    report.notes.problems.iter().cloned().map(Problem::read).chain(refused).collect()
}

impl RrcReport {
    fn new(reading: RrcReading) -> Option<Self> {
        let RrcReading { messages, decoder, decoded, failed } = reading;
        let decoding = decoder.unwrap_or("plain");
        (messages > 0).then_some(Self { decoding, messages, decoded, failed })
    }
}
