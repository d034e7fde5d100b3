//! Defines the manifest's entry for a modem log.

use std::collections::BTreeMap;

use airmile_radio::BandwidthInUse;
use airmile_read::modem::rrc::RrcReading;
use airmile_read::modem::{Checked, MessageKind, ModemReport};
use airmile_read::{OpenError, Outcome};
use serde::Serialize;

use super::input::Problem;

/// A modem log, and how much of it was read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ModemInput {
    /// The path, or `-` for standard input.
    pub name: String,
    /// `ok`, `partial`, `failed`, or `skipped` for a file in a directory that is no modem log.
    pub status: &'static str,
    /// The format, such as `diag` or `qcat`, with `+gzip` or `+zstd` when compressed.
    pub format: Option<String>,
    /// The size of the log as stored, in bytes.
    pub size_bytes: u64,
    /// The time of the earliest message, by the modem's clock.
    pub first_ns: Option<i64>,
    /// The time of the latest message, by the modem's clock.
    pub last_ns: Option<i64>,
    /// The number of messages (or rows) that were read, by kind and version.
    pub understood: BTreeMap<String, u64>,
    /// What was not understood, in words.
    pub not_understood: Vec<String>,
    /// The layouts in use that no check has proved, each with its number of messages.
    pub unverified: BTreeMap<String, u64>,
    /// The checks of message layouts on this log: for each kind and version, the result of each
    /// check.
    pub checks: BTreeMap<String, BTreeMap<&'static str, CheckReport>>,
    /// What was not used because its layout failed the checks, in words.
    pub refused: Vec<String>,
    /// The number of messages of kinds that are not read.
    pub other: BTreeMap<String, u64>,
    /// The number of pieces of the log that contained nothing usable, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// How the RRC messages of the log were read; null when the log contains none in their original
    /// encoding (DIAG logs do).
    pub rrc: Option<RrcReport>,
    /// The problems in reading the log.
    pub problems: Vec<Problem>,
    /// The number of problems beyond those listed.
    pub unlisted_problems: u64,
    /// What a reader of the results should know.
    pub warnings: Vec<String>,
}

/// The results of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// The number of comparisons that held.
    pub passed: u64,
    /// The number of comparisons that failed.
    pub failed: u64,
}

/// How RRC messages were read (methods G7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RrcReport {
    /// The decoder: `pycrate` decoded the messages that may order the phone to move; with `plain`,
    /// only the first bits of each message were read.
    pub decoding: &'static str,
    /// The number of messages of connected phones.
    pub messages: u64,
    /// The number of reconfigurations that were decoded as a whole.
    pub decoded: u64,
    /// The number of reconfigurations that could not be decoded; for these, only what the first
    /// bits show is kept.
    pub failed: u64,
}

/// A cell bandwidth in PRBs that is in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrbTotal {
    /// The direction of the transmissions.
    pub direction: &'static str,
    /// The number of the carrier; 0 is the primary carrier.
    pub carrier: u8,
    /// The physical identity of the cell.
    pub cell: Option<u16>,
    /// The bandwidth in PRBs.
    pub prbs: u16,
    /// The source of the number.
    pub source: &'static str,
}

impl PrbTotal {
    /// The entry for a bandwidth in use, with words instead of numbers.
    pub(crate) fn of(total: BandwidthInUse) -> Self {
        let BandwidthInUse { direction, carrier, cell, prbs, source } = total;
        let (direction, source) = (direction.as_str(), source.as_str());
        Self { direction, carrier, cell, prbs, source }
    }
}

impl ModemInput {
    /// The entry of a log that was read, perhaps only in part.
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

    /// The entry of a file that a directory contains, and that is no modem log.
    pub(crate) fn skipped(name: String, error: &OpenError) -> Self {
        Self { status: "skipped", ..Self::failed(name, error) }
    }

    /// The entry of a log that could not be opened.
    pub(crate) fn failed(name: String, error: &OpenError) -> Self {
        let problem = Problem {
            offset: None,
            kind: "unreadable",
            text: error.to_string(),
            hint: error.hint(),
        };
        Self { name, status: "failed", problems: vec![problem], ..Self::default() }
    }

    /// Whether nothing of the log could be read.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.status, "failed" | "skipped")
    }

    /// The first problem of the log, in a sentence.
    pub(crate) fn first_problem(&self) -> String {
        match self.problems.first() {
            Some(problem) if problem.text.starts_with(&self.name) => problem.text.clone(),
            Some(problem) => format!("{}: {}", self.name, problem.text),
            None => format!("{}: it holds no record of a modem", self.name),
        }
    }
}

/// The checks by kind and version, in words.
fn checks(
    all: &BTreeMap<MessageKind, BTreeMap<&'static str, Checked>>,
) -> BTreeMap<String, BTreeMap<&'static str, CheckReport>> {
    let report = |Checked { passed, failed }| CheckReport { passed, failed };
    let of = |checks: &BTreeMap<&'static str, Checked>| {
        checks.iter().map(|(name, checked)| (*name, report(*checked))).collect()
    };
    all.iter().map(|((kind, version), c)| (format!("{kind} v{version}"), of(c))).collect()
}

/// The problems: what could not be read, and what was refused.
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
