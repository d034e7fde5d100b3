#![doc = include_str!("rule.md")]

mod evidence;
mod log;
mod queues;
mod slice;
mod verdict;
mod wait;

pub(crate) use evidence::Evidence;
pub use log::{
    DemandSource, LogEvidence, LogVerdict, UplinkEvidence, Volumes, judge_log, judge_uplink,
};
pub(crate) use queues::{Queue, queues};
pub(crate) use slice::judge;
pub(crate) use verdict::{LOSSY, SCANT, Verdict};
pub(crate) use wait::{WaitPart, judge_wait};
