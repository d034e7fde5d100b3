//! What became of one input.

use std::collections::BTreeMap;

use airmile_read::{InputReport, OpenError, Outcome, link_type_name};
use airmile_types::{Duration, Instant};
use serde::Serialize;

use super::counts::InputCounts;
use crate::shards::feed::Fate;

/// One input.
#[derive(Clone, Debug, Serialize)]
pub struct Input {
    /// Path, or `-`.
    pub name: String,
    /// How it fared.
    pub status: InputStatus,
    /// Bytes as stored; for a pipe, bytes read.
    pub size_bytes: Option<u64>,
    /// `pcap-us-le`, `pcapng+gzip` and the like.
    pub format: Option<String>,
    /// Interfaces over all sections.
    pub interfaces: Vec<Interface>,
    /// Interfaces beyond those listed.
    pub unlisted_interfaces: u64,
    /// Earliest record.
    pub first_ns: Option<i64>,
    /// Latest record.
    pub last_ns: Option<i64>,
    /// How long was recorded, in ns: odd steps of the clock (back, or by more than a day ahead) are
    /// left out.
    pub recorded_ns: Option<i64>,
    /// Numbers of records and packets.
    pub counts: InputCounts,
    /// Records that gave no packet, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Problems beyond those listed.
    pub unlisted_problems: u64,
    /// What to know about the input before the network is blamed.
    pub warnings: Vec<String>,
    /// SHA-256 of the input as stored, when requested.
    pub sha256: Option<String>,
}

/// How one input fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputStatus {
    /// Read to its end.
    Ok,
    /// A part could not be read; the rest was.
    Partial,
    /// Nothing could be read.
    Failed,
    /// The file is no capture; it was met while walking a directory.
    Skipped,
    /// The run was stopped before its turn.
    Unread,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Bytes from the start of the input, after decompression; null when it did not open.
    pub offset: Option<u64>,
    /// What kind, in a word.
    pub kind: &'static str,
    /// What happened and what was lost.
    pub text: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

impl Problem {
    fn unopened(error: &OpenError) -> Self {
        let (text, hint) = (error.to_string(), error.hint());
        Self { offset: None, kind: "unreadable", text, hint }
    }

    pub(crate) fn read(problem: airmile_read::Problem) -> Self {
        let airmile_read::Problem { offset, kind, text } = problem;
        Self { offset: Some(offset), kind, text, hint: None }
    }
}

/// A link type of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkType {
    /// Number in the LINKTYPE registry.
    pub number: u32,
    /// Its name there.
    pub name: &'static str,
}

/// An interface of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interface {
    /// Name that the capturing system gave it.
    pub name: Option<String>,
    /// Its link type.
    pub link_type: LinkType,
    /// Bytes kept of each frame; null when unlimited or unknown.
    pub snap_length: Option<u32>,
}

impl Input {
    /// What became of a source.
    pub(crate) fn new(name: String, named: bool, fate: Fate) -> Self {
        let blank = Self::blank(name);
        match fate {
            Fate::Unread => blank,
            Fate::Read(report) => Self::read(*report, named),
            Fate::Failed(error) => {
                let junk = error.is_junk() && !named;
                let status = if junk { InputStatus::Skipped } else { InputStatus::Failed };
                Self { status, problems: vec![Problem::unopened(&error)], ..blank }
            }
        }
    }

    /// Its first problem, with its name.
    pub(crate) fn first_problem(&self) -> String {
        let Some(problem) = self.problems.first() else {
            return self.no_ip().unwrap_or_else(|| format!("{}: nothing readable", self.name));
        };
        match problem.offset {
            Some(offset) => format!("{}: at byte {offset}: {}", self.name, problem.text),
            // The text of an input that did not open begins with its name.
            None => problem.text.clone(),
        }
    }

    /// Why it holds no IP packet, when it was read and holds none.
    pub(crate) fn no_ip(&self) -> Option<String> {
        let reasons: Vec<String> =
            self.skipped.iter().map(|(reason, count)| format!("{reason}: {count}")).collect();
        let (name, packets, reasons) = (&self.name, self.counts.packets, reasons.join("; "));
        match (packets, self.counts.ip_packets) {
            (0, _) => Some(format!("{name}: no packets in the capture")),
            (_, 0) => Some(format!("{name}: none of {packets} frames holds IP ({reasons})")),
            _ => None,
        }
    }

    fn blank(name: String) -> Self {
        Self {
            name,
            status: InputStatus::Unread,
            size_bytes: None,
            format: None,
            interfaces: Vec::new(),
            unlisted_interfaces: 0,
            first_ns: None,
            last_ns: None,
            recorded_ns: None,
            counts: InputCounts::default(),
            skipped: BTreeMap::new(),
            problems: Vec::new(),
            unlisted_problems: 0,
            warnings: Vec::new(),
            sha256: None,
        }
    }

    fn read(report: InputReport, named: bool) -> Self {
        let status = match report.outcome() {
            Outcome::Clean => InputStatus::Ok,
            Outcome::Partial => InputStatus::Partial,
            Outcome::Nothing if named => InputStatus::Failed,
            Outcome::Nothing => InputStatus::Skipped,
        };
        Self {
            name: report.name,
            status,
            size_bytes: Some(report.size_bytes),
            format: Some(report.format),
            interfaces: report.interfaces.into_iter().map(interface).collect(),
            unlisted_interfaces: report.unlisted_interfaces,
            first_ns: report.first_time.map(Instant::as_nanos),
            last_ns: report.last_time.map(Instant::as_nanos),
            recorded_ns: report.recorded.map(Duration::as_nanos),
            counts: InputCounts::new(&report.counts),
            skipped: report
                .skipped
                .iter()
                .map(|(skip, count)| (skip.to_string(), *count))
                .collect(),
            problems: report.problems.into_iter().map(Problem::read).collect(),
            unlisted_problems: report.unlisted_problems,
            warnings: report.warnings,
            sha256: None,
        }
    }
}

fn interface(interface: airmile_read::Interface) -> Interface {
    let number = interface.link_type;
    Interface {
        name: interface.name,
        link_type: LinkType { number, name: link_type_name(number) },
        snap_length: Some(interface.snap_length).filter(|length| *length > 0),
    }
}
