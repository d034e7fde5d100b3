//! What a dataset rests on: inputs, settings, problems, counts.

mod assumption;
mod counts;
mod input;
pub(super) mod log_report;
mod uplink_report;
mod user_report;
mod vantage;

use std::collections::BTreeMap;

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
pub use input::{Input, InputStatus, Interface, LinkType, Problem};
pub use log_report::{CheckReport, ModemInput, PrbTotal, RrcReport};
pub use uplink_report::UplinkReport;
pub use user_report::{Alignment, UserReport};
pub use vantage::{VantageFinding, Votes};

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

/// What a dataset rests on.
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
    pub parameters: BTreeMap<&'static str, Value>,
    /// The profile they come from.
    pub profile: Option<String>,
    /// Single samples were written.
    pub samples: bool,
    /// Networks of the phones, as given.
    pub ue_nets: Vec<String>,
    /// PRB totals of cells, as given.
    pub cell_prbs: Vec<String>,
    /// What live flows and phones were allowed to hold; null without a capture.
    pub memory_bytes: Option<u64>,
    /// Flows that were ended before their time to keep within it.
    pub ended_for_memory: u64,
    /// The place where the capture was taken.
    pub vantage: VantageFinding,
    /// Earliest record of all inputs.
    pub first_ns: Option<i64>,
    /// Latest record of all inputs.
    pub last_ns: Option<i64>,
    /// Numbers of records and packets of all inputs.
    pub counts: InputCounts,
    /// Rows by table.
    pub rows: BTreeMap<&'static str, u64>,
    /// Size and digest of each part, by its place in the dataset; the writer fills them in.
    pub parts: BTreeMap<String, PartDigest>,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The modem logs.
    pub modem: Vec<ModemInput>,
    /// What the downlink of each user of the modem logs adds up to.
    pub radio: Vec<UserReport>,
    /// The sums from which the verdict is computed; null without a capture.
    pub verdict: Option<VerdictReport>,
    /// What to know about the inputs before the network is blamed.
    pub warnings: Vec<String>,
    /// What was passed over without harm.
    pub notes: Vec<String>,
}

impl Manifest {
    /// A manifest of these inputs; the rows are to be counted.
    pub(crate) fn new(options: &Options, inputs: Vec<Input>, votes: VantageVotes) -> Self {
        let get = |name| options.parameters.get(name).map(|value| (name, json_of(&value)));
        let mut counts = InputCounts::default();
        inputs.iter().for_each(|input| counts.add(&input.counts));
        let of = |status| inputs.iter().filter(move |input| input.status == status);
        let notes = of(InputStatus::Skipped).map(Input::first_problem).collect();
        let reasons = reasons(&inputs);
        let warnings = inputs.iter().flat_map(|input| {
            input.warnings.iter().map(|warning| format!("{}: {warning}", input.name))
        });
        Self {
            schema: SCHEMA,
            tool: TOOL,
            version: env!("CARGO_PKG_VERSION"),
            status: status(&inputs),
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
            counts,
            rows: BTreeMap::new(),
            parts: BTreeMap::new(),
            verdict: None,
            modem: Vec::new(),
            radio: Vec::new(),
            warnings: warnings.collect(),
            notes,
            inputs,
        }
    }
}

impl Manifest {
    /// Adds what the modem logs say; what of them could not be read counts as for captures.
    pub(crate) fn add_radio(&mut self, inputs: Vec<ModemInput>, users: Vec<UserReport>) {
        self.modem = inputs;
        self.radio = users;
        for log in self.modem.iter().filter(|log| log.status != "ok") {
            self.status = Status::Partial;
            self.reasons.push(log.first_problem());
        }
        let problems = |log: &ModemInput| {
            let name = log.name.clone();
            let lines = log.warnings.iter().chain(&log.not_understood).cloned();
            lines.map(move |line| format!("{name}: {line}")).collect::<Vec<_>>()
        };
        self.warnings.extend(self.modem.iter().flat_map(problems));
    }
}

/// How the inputs fared as a whole.
pub(crate) fn status(inputs: &[Input]) -> Status {
    let any = |status| inputs.iter().any(|input| input.status == status);
    if any(InputStatus::Failed) || any(InputStatus::Partial) {
        let some = any(InputStatus::Ok) || any(InputStatus::Partial) || any(InputStatus::Unread);
        return if some { Status::Partial } else { Status::NothingReadable };
    }
    // A directory of nothing but junk, or no input at all.
    if inputs.iter().all(|input| input.status == InputStatus::Skipped) {
        return Status::NothingReadable;
    }
    Status::Ok
}

/// Why the status is not `ok`, or why there is nothing to see.
fn reasons(inputs: &[Input]) -> Vec<String> {
    let of = |status| inputs.iter().filter(move |input| input.status == status);
    let broken = of(InputStatus::Failed).chain(of(InputStatus::Partial));
    let unread = of(InputStatus::Unread).count();
    let unread = (unread > 0)
        .then(|| format!("stopped before {unread} of {} inputs were read", inputs.len()));
    let without_ip = of(InputStatus::Ok).filter_map(Input::no_ip);
    broken.map(Input::first_problem).chain(unread).chain(without_ip).collect()
}
