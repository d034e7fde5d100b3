#![doc = include_str!("rule.md")]

mod certainty;
mod evidence;
mod log;
mod log_evidence;
mod queues;
mod slice;
mod twins;
mod verdict;
mod wait;
mod window;

pub use certainty::{HowSure, NamedTime, how_sure};
pub(crate) use evidence::Evidence;
pub use log::{LogVerdict, judge_log, judge_uplink};
pub use log_evidence::{DemandSource, LogEvidence, UplinkEvidence, Volumes};
pub(crate) use queues::{Queue, queues};
pub(crate) use slice::{judge, judge_scant};
pub(crate) use twins::with_twin;
pub(crate) use verdict::{LOSSY, Verdict, verdict};
pub(crate) use wait::{WaitPart, judge_wait};
