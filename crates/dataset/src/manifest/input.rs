//! Defines the manifest's entry for one input of captures.

use std::collections::BTreeMap;

use airmile_read::{InputReport, OpenError, Outcome, link_type_name};
use airmile_types::{Duration, Instant};
use serde::Serialize;

use super::counts::InputCounts;
use crate::shards::feed::Fate;

/// One input of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Input {
    /// The path, or `-` for standard input.
    pub name: String,
    /// How much of the input was read.
    pub status: InputStatus,
    /// The number of the capture that the input is, or is a file of; null if no packet was read.
    pub capture: Option<u32>,
    /// The size of the input as stored, in bytes; for a pipe, the bytes read.
    pub size_bytes: Option<u64>,
    /// The format of the input, such as `pcap-us-le` or `pcapng+gzip`.
    pub format: Option<String>,
    /// The interfaces of all sections.
    pub interfaces: Vec<Interface>,
    /// The number of interfaces beyond those listed.
    pub unlisted_interfaces: u64,
    /// The time of the earliest record.
    pub first_ns: Option<i64>,
    /// The time of the latest record.
    pub last_ns: Option<i64>,
    /// The recorded time in ns, without odd steps of the clock (back, or ahead by more than a day).
    pub recorded_ns: Option<i64>,
    /// Numbers of records and packets.
    pub counts: InputCounts,
    /// The number of records that contained no usable packet, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// The problems in reading the input.
    pub problems: Vec<Problem>,
    /// The number of problems beyond those listed.
    pub unlisted_problems: u64,
    /// What to know about the input before one blames the network.
    pub warnings: Vec<String>,
    /// SHA-256 of the input as stored, when requested.
    pub sha256: Option<String>,
}

/// How much of an input was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputStatus {
    /// The input was read to its end.
    Ok,
    /// A part could not be read; the rest was read.
    Partial,
    /// Nothing of the input could be read.
    Failed,
    /// The file is not a capture; it was found in a directory that was searched.
    Skipped,
    /// The run was stopped before it came to this input.
    Unread,
}

/// A problem in reading an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The place of the problem, in bytes from the start of the input after decompression; null
    /// when the input did not open.
    pub offset: Option<u64>,
    /// The kind of problem, in one word.
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
    /// The name of the link type in the LINKTYPE registry.
    pub name: &'static str,
}

/// An interface of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interface {
    /// The name that the capturing system gave to the interface.
    pub name: Option<String>,
    /// The link type of the interface.
    pub link_type: LinkType,
    /// The number of bytes kept of each frame; null when unlimited or unknown.
    pub snap_length: Option<u32>,
}

impl Input {
    /// Makes the entry of a source from its result.
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

    /// The first problem of the input, with the name of the input.
    pub(crate) fn first_problem(&self) -> String {
        let Some(problem) = self.problems.first() else {
            return self.no_ip().unwrap_or_else(|| format!("{}: nothing readable", self.name));
        };
        match problem.offset {
            Some(offset) => format!("{}: at byte {offset}: {}", self.name, problem.text),
            // The text for an input that did not open begins with its name.
            None => problem.text.clone(),
        }
    }

    /// Why the input contains no IP packet; `None` when it was not read or contains one.
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
            capture: None,
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
            capture: None,
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
