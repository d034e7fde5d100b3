//! Turns the facts of segments into rows. Each analysis has one folder; `flows/mod.rs` lists them.
//!
//! Each [`Segment`](airmile_track::Segment) goes to every analysis of its flow. Columns are added
//! to the table `flows` when the flow ends; events go to tables of their own. A new metric needs a
//! new folder (`flows/NAME/mod.rs` and `flows/NAME/NAME.md`) and one line in the list.

mod bundle;
mod community_id;
pub mod contract;
mod coverage;
mod engine;
mod flows;
mod identity;
mod output;
mod schema;
#[cfg(any(test, feature = "test-support"))]
pub mod script;
mod sessions;

pub use bundle::{AnalysisInfo, EventTableInfo};
pub use coverage::CoverageRow;
pub use engine::{Engine, FlowState, UeState};
pub use flows::REGISTRY;
pub use flows::bandwidth::BandwidthSampleRow;
pub use flows::dns::DnsRow;
pub use output::{FlowColumn, FlowRow, Output};
pub use schema::{TableInfo, flow_columns, modem_tables, tables};
pub use sessions::{SessionRow, SilenceRow};

/// The pages that describe no single analysis, each as name and text.
pub const PAGES: &[(&str, &str)] = &[("flows", include_str!("flows/flows.md"))];
