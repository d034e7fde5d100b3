//! Defines the manifest of a dataset: inputs, settings, problems and counts.

mod assumption;
mod counts;
mod covered;
mod input;
mod listed;
pub(super) mod log_report;
mod uplink_report;
mod user_report;
mod vantage;

use std::collections::BTreeMap;
use std::path::PathBuf;

use airmile_track::VantageVotes;
use airmile_types::PARAMETERS;
use serde::Serialize;
use serde_json::Value;

use crate::options::Options;
use crate::verdict::VerdictReport;
use crate::write::digest::PartDigest;
use crate::write::recognise::TOOL;
use crate::write::schema::{SCHEMA, json_of};

pub use assumption::AssumptionReport;
pub use counts::InputCounts;
pub use covered::Covered;
pub use input::{Input, InputStatus, Interface, LinkType, Problem};
pub(crate) use listed::Listed;
pub use log_report::{CheckReport, ModemInput, PrbTotal, RrcReport};
pub use uplink_report::UplinkReport;
pub use user_report::{Alignment, UserReport};
pub use vantage::{VantageFinding, Votes};

/// Whether the dataset contains every named input completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The dataset is complete: exit code 0.
    Ok,
    /// Some input, or a part of one, could not be read: exit code 1.
    Partial,
    /// Nothing could be read: exit code 3. Only `info` reports this status; `analyze` fails
    /// instead.
    NothingReadable,
}

/// The inputs, settings, problems and counts of a dataset.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// Where the dataset is: the named place, or beside it if it is a partial one. The file does not
    /// contain this.
    #[serde(skip)]
    pub place: PathBuf,
    /// The number of the schema.
    pub schema: u32,
    /// The name of the tool: `airmile`.
    pub tool: &'static str,
    /// Version of the tool.
    pub version: &'static str,
    /// Whether the dataset contains every named input completely.
    pub status: Status,
    /// Why the dataset is not complete, or why it contains nothing.
    pub reasons: Vec<String>,
    /// Whether the run was stopped; the dataset then contains what was finished.
    pub interrupted: bool,
    /// Every threshold in force, by name.
    pub parameters: BTreeMap<&'static str, Value>,
    /// The profile that the thresholds come from.
    pub profile: Option<String>,
    /// Whether the tables of single samples were written.
    pub samples: bool,
    /// The networks of the phones, as the user gave them.
    pub ue_nets: Vec<String>,
    /// The bandwidths of cells in PRBs, as the user gave them.
    pub cell_prbs: Vec<String>,
    /// The memory that the process was allowed to use, in bytes; null if nobody has set it and it
    /// decided nothing, and without a capture.
    pub memory_bytes: Option<u64>,
    /// The number of flows that were ended early to stay within this memory.
    pub ended_for_memory: u64,
    /// The place where the capture was taken.
    pub vantage: VantageFinding,
    /// The time of the earliest record of all inputs.
    pub first_ns: Option<i64>,
    /// The time of the latest record of all inputs.
    pub last_ns: Option<i64>,
    /// The time that the captures cover; null without one.
    pub covered: Option<Covered>,
    /// Numbers of records and packets of all inputs.
    pub counts: InputCounts,
    /// The number of rows of each table.
    pub rows: BTreeMap<&'static str, u64>,
    /// The size and the digest of each part, by its path in the dataset; the writer fills them in.
    pub parts: BTreeMap<String, PartDigest>,
    /// The captures.
    pub inputs: Vec<Input>,
    /// The number of further inputs that gave no data.
    pub unlisted_inputs: u64,
    /// The modem logs.
    pub modem: Vec<ModemInput>,
    /// The totals for each user of the modem logs.
    pub radio: Vec<UserReport>,
    /// The sums from which the verdict is computed; null without a capture.
    pub verdict: Option<VerdictReport>,
    /// What to know about the inputs before one blames the network.
    pub warnings: Vec<String>,
    /// What was skipped without harm.
    pub notes: Vec<String>,
}

impl Manifest {
    /// The manifest of these inputs; the numbers of rows are filled in later.
    pub(crate) fn new(options: &Options, inputs: Vec<Input>, votes: VantageVotes) -> Self {
        let get = |name| options.parameters.get(name).map(|value| (name, json_of(&value)));
        let mut counts = InputCounts::default();
        inputs.iter().for_each(|input| counts.add(&input.counts));
        let status = status(&inputs);
        let stopped = stopped(&inputs);
        let Listed { inputs, unlisted } = Listed::new(inputs);
        let of = |status| inputs.iter().filter(move |input| input.status == status);
        let more = (unlisted > 0)
            .then(|| format!("{unlisted} more inputs gave no data; `inputs` lists the first"));
        let notes = of(InputStatus::Skipped).map(Input::first_problem).chain(more).collect();
        let reasons = reasons(&inputs, stopped);
        let warnings = inputs.iter().flat_map(|input| {
            input.warnings.iter().map(|warning| format!("{}: {warning}", input.name))
        });
        Self {
            place: PathBuf::new(),
            schema: SCHEMA,
            tool: TOOL,
            version: env!("CARGO_PKG_VERSION"),
            status,
            reasons,
            interrupted: false,
            parameters: PARAMETERS.iter().filter_map(|parameter| get(parameter.name)).collect(),
            profile: options.profile.clone(),
            samples: options.parameters.samples,
            ue_nets: options.ue_nets.clone(),
            cell_prbs: options.cell_prbs.clone(),
            memory_bytes: None,
            ended_for_memory: 0,
            vantage: VantageFinding::new(options.vantage, votes),
            first_ns: inputs.iter().filter_map(|input| input.first_ns).min(),
            last_ns: inputs.iter().filter_map(|input| input.last_ns).max(),
            covered: None,
            counts,
            rows: BTreeMap::new(),
            parts: BTreeMap::new(),
            verdict: None,
            modem: Vec::new(),
            radio: Vec::new(),
            warnings: warnings.collect(),
            notes,
            inputs,
            unlisted_inputs: unlisted,
        }
    }
}

impl Manifest {
    /// Adds the entries of the modem logs; a log that could not be read changes the status as a
    /// capture does.
    pub(crate) fn add_radio(&mut self, inputs: Vec<ModemInput>, users: Vec<UserReport>) {
        self.modem = inputs;
        self.radio = users;
        for log in &self.modem {
            match log.status {
                "ok" => {}
                "skipped" => self.notes.push(log.first_problem()),
                _ => {
                    self.status = Status::Partial;
                    self.reasons.push(log.first_problem());
                }
            }
        }
        let problems = |log: &ModemInput| {
            let name = log.name.clone();
            let lines = log.warnings.iter().chain(&log.not_understood).cloned();
            lines.map(move |line| format!("{name}: {line}")).collect::<Vec<_>>()
        };
        self.warnings.extend(self.modem.iter().flat_map(problems));
    }
}

impl Manifest {
    /// Says that the dataset lacks something that an earlier one in its place has. An input that
    /// was skipped does not say so by itself.
    pub(crate) fn give_way(&mut self) {
        if self.status == Status::Ok && !self.interrupted {
            self.status = Status::Partial;
            self.reasons.push("an input that failed or was skipped gave more before".to_owned());
        }
    }
}

/// The status of all inputs together.
pub(crate) fn status(inputs: &[Input]) -> Status {
    let any = |status| inputs.iter().any(|input| input.status == status);
    if any(InputStatus::Failed) || any(InputStatus::Partial) {
        let some = any(InputStatus::Ok) || any(InputStatus::Partial) || any(InputStatus::Unread);
        return if some { Status::Partial } else { Status::NothingReadable };
    }
    // The directory contains no capture, or there is no input at all.
    if inputs.iter().all(|input| input.status == InputStatus::Skipped) {
        return Status::NothingReadable;
    }
    Status::Ok
}

/// How many inputs were not read, if the run was stopped before.
fn stopped(inputs: &[Input]) -> Option<String> {
    let unread = inputs.iter().filter(|input| input.status == InputStatus::Unread).count();
    (unread > 0).then(|| format!("stopped before {unread} of {} inputs were read", inputs.len()))
}

/// The reasons why the status is not `ok`, or why there is nothing to see.
fn reasons(inputs: &[Input], stopped: Option<String>) -> Vec<String> {
    let of = |status| inputs.iter().filter(move |input| input.status == status);
    let broken = of(InputStatus::Failed).chain(of(InputStatus::Partial));
    let without_ip = of(InputStatus::Ok).filter_map(Input::no_ip);
    broken.map(Input::first_problem).chain(stopped).chain(without_ip).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::feed::Fate;

    #[test]
    fn a_run_that_was_stopped_counts_the_inputs_that_are_not_listed_too() {
        let inputs = (0..500).map(|number| Input::new(number.to_string(), true, Fate::Unread));
        let manifest =
            Manifest::new(&Options::default(), inputs.collect(), VantageVotes::default());
        assert_eq!(manifest.reasons, ["stopped before 500 of 500 inputs were read"]);
        assert_eq!(manifest.inputs.len() as u64 + manifest.unlisted_inputs, 500);
        assert!(manifest.inputs.len() < 500);
    }
}
