//! From rows to a dataset: Parquet parts per table, and a manifest that says what they rest on.
//!
//! inputs -> [`analyze`] (captures in time order -> tracker -> analyses -> [`DatasetWriter`]) ->
//! `OUT/TABLE/part-0.parquet` and `OUT/manifest.json` -> [`Manifest`]. The only room that writes
//! files (design section 4).

mod directory;
mod error;
mod feed;
mod hash;
mod info;
pub mod manifest;
mod options;
mod part;
mod profile;
mod rows;
mod run;
mod schema;
mod writer;

pub use directory::{MANIFEST, TOOL};
pub use error::{Error, ErrorKind};
pub use info::info;
pub use manifest::{InputStatus, Manifest, Status};
pub use options::Options;
pub use rows::Rows;
pub use run::{Progress, analyze};
pub use schema::{SCHEMA, arrow_schema, describe};
pub use writer::DatasetWriter;
