//! What limited a transfer, for captures, modem logs alone and live: the only room that names a
//! cause.
//!
//! Segments -> evidence of each 100 ms ([`UeQueues`], and what a sender was doing) -> slices of
//! transfers ([`Transfers`]) -> the rule ([`judge`]).

mod evidence;
mod rule;
mod slices;
mod transfers;

pub use evidence::{Limits, UeQueues};
pub use rule::{
    DemandSource, Evidence, LogEvidence, LogVerdict, UplinkEvidence, Verdict, Volumes, WaitPart,
    judge, judge_log, judge_uplink, judge_wait,
};
pub use slices::SliceRow;
pub use transfers::{
    LimitRow, TlsPart, TlsProgress, TransferEvents, TransferFacts, TransferRow, Transfers,
};

/// The pages of its rooms: name and text.
pub const PAGES: &[(&str, &str)] = &[
    ("transfers", include_str!("transfers/transfers.md")),
    ("slices", include_str!("slices/slices.md")),
    ("rule", include_str!("rule/rule.md")),
];
