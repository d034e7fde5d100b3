//! From segment facts to rows: one folder per analysis, and the list of them.
//!
//! A [`Segment`](airmile_track::Segment) goes to every analysis of its flow; columns join the
//! table `flows` when the flow ends, events go to tables of their own. A new metric is a new
//! folder (`NAME/mod.rs` and `NAME/NAME.md`) and one line in the list below.

mod bundle;
mod community_id;
pub mod contract;
mod engine;
mod identity;
mod output;
mod schema;
#[cfg(any(test, feature = "test-support"))]
pub mod script;
mod sessions;

pub use bandwidth::BandwidthSampleRow;
pub use bundle::{AnalysisInfo, EventTableInfo};
pub use engine::{Engine, FlowState, UeState};
pub use output::{FlowColumn, FlowRow, Output};
pub use schema::{TableInfo, flow_columns, modem_tables, tables};
pub use sessions::SessionRow;

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

/// The pages of its own that are not an analysis: name and text.
pub const PAGES: &[(&str, &str)] = &[("flows", include_str!("flows.md"))];
