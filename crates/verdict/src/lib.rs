//! What limited a transfer, for captures, modem logs alone and live: the only room that names a
//! cause.
//!
//! Segments -> evidence of each 100 ms ([`UeQueues`], and what a sender was doing) -> slices of
//! transfers ([`Transfers`]) -> the rule. A modem log by itself is judged by [`judge_log`] and
//! [`judge_uplink`].

mod evidence;
mod rule;
mod slices;
mod transfers;

pub use evidence::{Limits, UeQueues};
pub use rule::{
    DemandSource, LogEvidence, LogVerdict, UplinkEvidence, Volumes, judge_log, judge_uplink,
};
pub use slices::SliceRow;
pub use transfers::{
    LimitRow, TlsPart, TlsProgress, TransferEvents, TransferRow, TransferSummary, Transfers,
};

/// The pages of its rooms: name and text.
pub const PAGES: &[(&str, &str)] = &[
    ("transfers", include_str!("transfers/transfers.md")),
    ("slices", include_str!("slices/slices.md")),
    ("rule", include_str!("rule/rule.md")),
];
