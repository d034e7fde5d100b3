//! From segment facts to rows: one folder per analysis, and the list of them.
//!
//! A [`Segment`](airmile_track::Segment) goes to every analysis of its flow; columns join the
//! table `flows` when the flow ends, events go to tables of their own. A new metric is a new
//! folder (`NAME/mod.rs` and `NAME/NAME.md`) and one line in the list below.

mod bundle;
mod community_id;
pub mod contract;
mod engine;
mod evidence;
mod identity;
mod output;
mod radio;
mod schema;
#[cfg(any(test, feature = "test-support"))]
pub mod script;
mod session;
mod slices;
mod transfers;
mod verdict;

pub use bandwidth::BandwidthSampleRow;
pub use bundle::{AnalysisInfo, EventTableInfo};
pub use engine::{Engine, FlowState, UeState};
pub use output::{FlowColumn, FlowRow, Output};
pub use schema::{TableInfo, flow_columns, modem_tables, tables};
pub use session::SessionRow;
pub use slices::SliceRow;
pub use transfers::{LimitRow, TransferFacts, TransferRow};
pub use verdict::{
    DemandSource, Evidence, LogEvidence, LogVerdict, UplinkEvidence, Verdict, Volumes, WaitPart,
    judge, judge_log, judge_uplink, judge_wait,
};

bundle::analyses! {
    volume::Volume,
    quality::Quality,
    service::Service,
    ending::Ending,
    handshake::Handshake,
    tick::TickClock,
    promotion::Promotion,
    first_reply::FirstReply,
    options::Options,
    rtt::Rtt,
    self_inflicted::SelfInflicted,
    on_device::OnDevice,
    in_flight::InFlight,
    segment_classes::SegmentClasses,
    duplicate_acks::DuplicateAcks,
    ecn::Ecn,
    dns::Dns,
    tls::Tls,
    pings::Pings,
    throughput::Throughput,
    receive_window::ReceiveWindow,
    loss_episodes::LossEpisodes,
    rto::Rto,
    idle_gaps::IdleGaps,
    bandwidth::Bandwidth,
}

/// The pages that are not an analysis of the list: name and text.
pub const PAGES: &[(&str, &str)] = &[
    ("flows", include_str!("flows.md")),
    ("transfers", include_str!("transfers/transfers.md")),
    ("slices", include_str!("slices/slices.md")),
    ("verdict", include_str!("verdict/verdict.md")),
];
