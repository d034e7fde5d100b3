//! What a dataset rests on: inputs, settings, problems, counts.

use std::collections::BTreeMap;

use airmile_analyze::PARAMETERS;
use airmile_read::{InputReport, Outcome, link_type_name};
use airmile_track::VantageVotes;
use airmile_types::Vantage;
use serde::Serialize;

use crate::directory::TOOL;
use crate::feed::Fate;
use crate::options::Options;
use crate::schema::SCHEMA;

/// Whether the whole of every named input is in the dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is: exit code 0.
    Ok,
    /// Some input, or part of one, could not be read: exit code 1.
    Partial,
    /// Nothing could be read: exit code 3. Only `info` says so; `analyze` fails instead.
    NothingReadable,
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
    /// No capture, met while walking a directory.
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
    /// Earliest record.
    pub first_ns: Option<i64>,
    /// Latest record.
    pub last_ns: Option<i64>,
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
    /// SHA-256 of the input as stored, when asked for.
    pub sha256: Option<String>,
}

/// Numbers of records and packets of one input or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputCounts {
    /// Records of the capture file.
    pub packets: u64,
    /// Those that held an IP packet.
    pub ip_packets: u64,
    /// IP packets with a TCP header.
    pub tcp_packets: u64,
    /// IP packets with a UDP header.
    pub udp_packets: u64,
    /// IP packets of which a tunnel was peeled off.
    pub tunnelled_packets: u64,
    /// Later fragments.
    pub later_fragments: u64,
    /// Records that hold several segments, joined by offload.
    pub super_segments: u64,
    /// Transport headers cut by the snap length.
    pub cut_headers: u64,
    /// Packets that the capturing system says it dropped.
    pub dropped_packets: u64,
    /// Records earlier than the one before.
    pub clock_steps_back: u64,
}

impl InputCounts {
    fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.ip_packets += other.ip_packets;
        self.tcp_packets += other.tcp_packets;
        self.udp_packets += other.udp_packets;
        self.tunnelled_packets += other.tunnelled_packets;
        self.later_fragments += other.later_fragments;
        self.super_segments += other.super_segments;
        self.cut_headers += other.cut_headers;
        self.dropped_packets += other.dropped_packets;
        self.clock_steps_back += other.clock_steps_back;
    }
}

/// Where the capture was taken (methods A11), and how that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VantageFinding {
    /// `ue`, `monitor`, `server`; null when the handshakes do not tell.
    pub value: Option<&'static str>,
    /// `given`, `handshakes`, or null.
    pub source: Option<&'static str>,
    /// Flows whose handshake speaks for each.
    pub votes: Votes,
}

/// Flows whose handshake speaks for each vantage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Votes {
    /// The UE's side answers at once.
    pub ue: u64,
    /// Neither side does, or a tunnel.
    pub monitor: u64,
    /// The server's side answers at once.
    pub server: u64,
}

impl VantageFinding {
    /// What was given, else what most handshakes say.
    pub(crate) fn new(given: Option<Vantage>, votes: VantageVotes) -> Self {
        let VantageVotes {
            ue,
            monitor,
            server,
        } = votes;
        let votes = Votes {
            ue,
            monitor,
            server,
        };
        if let Some(vantage) = given {
            return Self {
                value: Some(vantage.as_str()),
                source: Some("given"),
                votes,
            };
        }
        let ballot = [
            (ue, Vantage::Ue),
            (monitor, Vantage::Monitor),
            (server, Vantage::Server),
        ];
        let most = ue.max(monitor).max(server);
        let mut winners = ballot
            .iter()
            .filter(|(count, _)| *count == most && most > 0);
        // A tie is no answer.
        let value = match (winners.next(), winners.next()) {
            (Some((_, vantage)), None) => Some(vantage.as_str()),
            _ => None,
        };
        Self {
            value,
            source: value.map(|_| "handshakes"),
            votes,
        }
    }
}

/// What a dataset rests on (design section 4).
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// Number of the schema.
    pub schema: u32,
    /// `airmile`.
    pub tool: &'static str,
    /// Version of the tool.
    pub version: &'static str,
    /// Whether the whole of every named input is in the dataset.
    pub status: Status,
    /// Why it is not, or why there is nothing in it.
    pub reasons: Vec<String>,
    /// The run was stopped: what was finished is here.
    pub interrupted: bool,
    /// Every threshold in force.
    pub parameters: BTreeMap<&'static str, f64>,
    /// The profile they come from.
    pub profile: Option<String>,
    /// Single samples were written.
    pub samples: bool,
    /// Networks of the phones, as given.
    pub ue_nets: Vec<String>,
    /// PRB totals of cells, as given.
    pub cell_prbs: Vec<String>,
    /// Where the capture was taken.
    pub vantage: VantageFinding,
    /// Earliest record of all inputs.
    pub first_ns: Option<i64>,
    /// Latest record of all inputs.
    pub last_ns: Option<i64>,
    /// Numbers of records and packets of all inputs.
    pub counts: InputCounts,
    /// Rows by table.
    pub rows: BTreeMap<&'static str, u64>,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// What to know about the inputs before the network is blamed.
    pub warnings: Vec<String>,
    /// What was passed over without harm.
    pub notes: Vec<String>,
}

impl Manifest {
    /// A manifest of these inputs; the rows are to be counted.
    pub(crate) fn new(options: &Options, inputs: Vec<Input>, votes: VantageVotes) -> Self {
        let get = |name| options.parameters.get(name).map(|value| (name, value));
        let mut counts = InputCounts::default();
        inputs.iter().for_each(|input| counts.add(&input.counts));
        let of = |status| inputs.iter().filter(move |input| input.status == status);
        let notes = of(InputStatus::Skipped).map(Input::first_problem).collect();
        let reasons = reasons(&inputs);
        let warnings = inputs.iter().flat_map(|input| {
            input
                .warnings
                .iter()
                .map(|warning| format!("{}: {warning}", input.name))
        });
        Self {
            schema: SCHEMA,
            tool: TOOL,
            version: env!("CARGO_PKG_VERSION"),
            status: status(&inputs),
            reasons,
            interrupted: false,
            parameters: PARAMETERS
                .iter()
                .filter_map(|parameter| get(parameter.name))
                .collect(),
            profile: options.profile.clone(),
            samples: options.parameters.samples,
            ue_nets: options.ue_nets.clone(),
            cell_prbs: options.cell_prbs.clone(),
            vantage: VantageFinding::new(options.vantage, votes),
            first_ns: inputs.iter().filter_map(|input| input.first_ns).min(),
            last_ns: inputs.iter().filter_map(|input| input.last_ns).max(),
            counts,
            rows: BTreeMap::new(),
            warnings: warnings.collect(),
            notes,
            inputs,
        }
    }
}

/// How the inputs fared as a whole.
pub(crate) fn status(inputs: &[Input]) -> Status {
    let any = |status| inputs.iter().any(|input| input.status == status);
    if any(InputStatus::Failed) || any(InputStatus::Partial) {
        let some = any(InputStatus::Ok) || any(InputStatus::Partial) || any(InputStatus::Unread);
        return if some {
            Status::Partial
        } else {
            Status::NothingReadable
        };
    }
    // A directory of nothing but junk, or no input at all.
    if inputs
        .iter()
        .all(|input| input.status == InputStatus::Skipped)
    {
        return Status::NothingReadable;
    }
    Status::Ok
}

/// Why the status is not `ok`, or why there is nothing to see.
fn reasons(inputs: &[Input]) -> Vec<String> {
    let broken =
        |input: &&Input| matches!(input.status, InputStatus::Failed | InputStatus::Partial);
    let mut reasons: Vec<String> = inputs
        .iter()
        .filter(broken)
        .map(Input::first_problem)
        .collect();
    let unread = inputs
        .iter()
        .filter(|input| input.status == InputStatus::Unread)
        .count();
    if unread > 0 {
        reasons.push(format!(
            "stopped before {unread} of {} inputs were read",
            inputs.len()
        ));
    }
    reasons.extend(
        inputs
            .iter()
            .filter(|input| input.status == InputStatus::Ok)
            .filter_map(no_ip),
    );
    reasons
}

fn no_ip(input: &Input) -> Option<String> {
    let InputCounts {
        packets,
        ip_packets,
        ..
    } = input.counts;
    let skipped: Vec<String> = input
        .skipped
        .iter()
        .map(|(reason, count)| format!("{reason}: {count}"))
        .collect();
    match (packets, ip_packets) {
        (0, _) => Some(format!("{}: no packets in the capture", input.name)),
        (_, 0) => Some(format!(
            "{}: none of {packets} frames holds IP ({})",
            input.name,
            skipped.join("; ")
        )),
        _ => None,
    }
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
                let status = if junk {
                    InputStatus::Skipped
                } else {
                    InputStatus::Failed
                };
                let (text, hint) = (error.to_string(), error.hint());
                let problem = Problem {
                    offset: None,
                    kind: "unreadable",
                    text,
                    hint,
                };
                Self {
                    status,
                    problems: vec![problem],
                    ..blank
                }
            }
        }
    }

    /// Its first problem, with its name.
    pub(crate) fn first_problem(&self) -> String {
        let Some(problem) = self.problems.first() else {
            return no_ip(self).unwrap_or_else(|| format!("{}: nothing readable", self.name));
        };
        match problem.offset {
            Some(offset) => format!("{}: at byte {offset}: {}", self.name, problem.text),
            // The text of an input that did not open begins with its name.
            None => problem.text.clone(),
        }
    }

    fn blank(name: String) -> Self {
        Self {
            name,
            status: InputStatus::Unread,
            size_bytes: None,
            format: None,
            interfaces: Vec::new(),
            first_ns: None,
            last_ns: None,
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
        let problem = |p: airmile_read::Problem| Problem {
            offset: Some(p.offset),
            kind: p.kind,
            text: p.text,
            hint: None,
        };
        let counts = counts(&report);
        Self {
            name: report.name,
            status,
            size_bytes: Some(report.size_bytes),
            format: Some(report.format),
            interfaces: report.interfaces.into_iter().map(interface).collect(),
            first_ns: report.first_time.map(airmile_types::Instant::as_nanos),
            last_ns: report.last_time.map(airmile_types::Instant::as_nanos),
            counts,
            skipped: report
                .skipped
                .iter()
                .map(|(skip, count)| (skip.to_string(), *count))
                .collect(),
            problems: report.problems.into_iter().map(problem).collect(),
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
        link_type: LinkType {
            number,
            name: link_type_name(number),
        },
        snap_length: Some(interface.snap_length).filter(|length| *length > 0),
    }
}

fn counts(report: &InputReport) -> InputCounts {
    let counts = &report.counts;
    InputCounts {
        packets: counts.records,
        ip_packets: counts.ip_packets,
        tcp_packets: counts.tcp_packets,
        udp_packets: counts.udp_packets,
        tunnelled_packets: counts.tunnelled,
        later_fragments: counts.later_fragments,
        super_segments: counts.super_segments,
        cut_headers: counts.cut_transport,
        dropped_packets: counts.dropped,
        clock_steps_back: counts.steps_back,
    }
}
