//! What limited a transfer, for captures, for modem logs alone and live. This is the only crate
//! that names a cause.
//!
//! Segments become evidence of each 100 ms ([`UeQueues`], and what a sender was doing), this
//! becomes slices of transfers ([`Transfers`]), and the rule names their causes. [`judge_log`] and
//! [`judge_uplink`] judge a modem log without a capture.

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
    HttpProgress, LimitRow, TlsPart, TlsProgress, TransferEvents, TransferRow, TransferSummary,
    Transfers,
};

/// The pages of this crate: name and text.
pub const PAGES: &[(&str, &str)] = &[
    ("transfers", include_str!("transfers/transfers.md")),
    ("slices", include_str!("slices/slices.md")),
    ("rule", include_str!("rule/rule.md")),
];
