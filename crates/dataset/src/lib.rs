//! From rows to a dataset: Parquet parts per table, and a manifest that says what they rest on.
//!
//! inputs -> [`analyze`] (captures in time order -> shards of subscribers -> analyses -> batches) ->
//! `OUT/TABLE/part-0.parquet` and `OUT/manifest.json` -> [`Manifest`]. The only room that writes
//! files (design section 4).

mod align;
mod batches;
mod columns;
mod debris;
mod digest;
mod directory;
mod encode;
mod error;
mod feed;
mod gather;
mod hash;
mod info;
mod live;
mod log_verdict;
pub mod manifest;
mod memory;
mod modem;
mod options;
mod part;
mod pool;
mod profile;
mod rows;
mod run;
mod schema;
mod shards;
mod trace;
mod verdict;
mod words;
mod writer;

pub use airmile_read::Stop;
pub use airmile_read::modem::rrc::{RrcDecoder, RrcOrder};
pub use airmile_types::present_name;
pub use align::{Aligned, BIN, Columns, Counts, Side, Tally, align};
pub use digest::{PartDigest, digest, digest_file, is_sealed, seal};
pub use directory::{MANIFEST, TOOL};
pub use error::{Error, ErrorKind};
pub use info::info;
pub use live::{Batch, Live, LiveBurst, OpenBurst, State};
pub use log_verdict::{
    LogAnswer, LogQuestion, UplinkAnswer, UplinkQuestion, VolumesQuestion, judge_question,
};
pub use manifest::{InputStatus, Manifest, Status};
pub use modem::{
    Alignment, AssumptionReport, CheckReport, ModemInput, PrbTotal, RrcReport, UplinkReport,
    UserReport, modem_formats,
};
pub use options::Options;
pub use run::{Progress, analyze, radio, radio_batches};
pub use schema::{SCHEMA, arrow_schema, describe};
pub use trace::{Trace, trace};
pub use verdict::{
    CellValue, FlowSums, FlowTotals, KindTotals, LeftOutSums, MovedSums, RateSums, SmallCallSums,
    SpanSums, SumsReport, VerdictReport,
};
