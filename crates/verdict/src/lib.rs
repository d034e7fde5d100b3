//! Decides what limited a transfer, for captures, for modem logs alone, and live. Only this crate
//! names a cause.
//!
//! Segments become evidence for each 100 ms ([`UeQueues`], and what each sender was doing). The
//! evidence becomes slices of transfers ([`Transfers`]), and the rule names the cause of each
//! slice. [`how_sure`] says how sure the verdict over several slices is. [`judge_log`] and [`judge_uplink`] judge a modem log without a capture.

mod evidence;
mod rule;
mod slices;
mod transfers;

pub use evidence::{Flights, FullTime, GapSeen, Limits, Restart, UeQueues, WindowSeen};
pub use rule::{
    DemandSource, HowSure, LogEvidence, LogVerdict, NamedTime, UplinkEvidence, Volumes, how_sure,
    judge_log, judge_uplink,
};
pub use slices::SliceRow;
pub use transfers::{
    HttpProgress, LimitRow, TlsPart, TlsProgress, TransferEvents, TransferRow, TransferSummary,
    Transfers,
};

/// The documentation pages of this crate, each as its name and its text.
pub const PAGES: &[(&str, &str)] = &[
    ("transfers", include_str!("transfers/transfers.md")),
    ("slices", include_str!("slices/slices.md")),
    ("rule", include_str!("rule/rule.md")),
    ("missing", include_str!("evidence/missing.md")),
];
