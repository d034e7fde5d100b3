//! Turns rows into a dataset: Parquet parts for each table, and a manifest that lists inputs,
//! settings and problems.
//!
//! inputs -> [`analyze`] (captures in time order -> shards of subscribers -> analyses -> batches)
//! -> `OUT/TABLE/part-0.parquet` and `OUT/manifest.json` -> [`Manifest`]. Only this crate writes
//! the files of a dataset.

mod check;
mod error;
mod how_sure;
mod log_verdict;
pub mod manifest;
mod modem;
mod options;
mod profile;
mod shards;
mod verbs;
mod verdict;
mod write;

pub use airmile_read::Stop;
pub use airmile_read::modem::rrc::{RrcDecoder, RrcOrder};
pub use airmile_types::present_name;
pub use check::Check;
pub use error::{Error, ErrorKind};
pub use how_sure::{HowSureAnswer, how_sure_of};
pub use log_verdict::{
    LogAnswer, LogQuestion, UplinkAnswer, UplinkQuestion, VolumesQuestion, judge_question,
};
pub use manifest::{
    Alignment, AssumptionReport, CheckReport, InputStatus, Manifest, ModemInput, PrbTotal,
    RrcReport, Status, UplinkReport, UserReport,
};
pub use modem::modem_formats;
pub use options::Options;
pub use verbs::align::{Aligned, BIN, Columns, Counts, Side, Tally, align};
pub use verbs::analyze::analyze;
pub use verbs::info::info;
pub use verbs::live::{Batch, Live, State};
pub use verbs::progress::Progress;
pub use verbs::radio::{radio, radio_batches};
pub use verbs::trace::{Trace, trace};
pub use verdict::{
    CellValue, ClassSums, FailedCase, FailedSums, FlowSums, FlowTotals, KindTotals, MovedSums,
    RateSums, SmallCallSums, SpanSums, SumsReport, VerdictReport,
};
pub use write::debris::recover;
pub use write::digest::{PartDigest, digest, digest_file, is_sealed, seal};
pub use write::locks::free_locks_prove;
pub use write::place::put;
pub use write::schema::{SCHEMA, arrow_schema, describe};
