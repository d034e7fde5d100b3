#![doc = include_str!("rule.md")]

mod evidence;
mod log;
mod log_evidence;
mod queues;
mod slice;
mod verdict;
mod wait;

pub(crate) use evidence::Evidence;
pub use log::{LogVerdict, judge_log, judge_uplink};
pub use log_evidence::{DemandSource, LogEvidence, UplinkEvidence, Volumes};
pub(crate) use queues::{Queue, queues};
pub(crate) use slice::judge;
pub(crate) use verdict::{LOSSY, SCANT, Verdict};
pub(crate) use wait::{WaitPart, judge_wait};
