//! Provides the operations that a caller can run: one module for each subcommand, and what they
//! share.

pub(crate) mod align;
pub(crate) mod analyze;
mod coverage;
pub(crate) mod finish;
pub(crate) mod info;
pub(crate) mod live;
mod notes;
pub(crate) mod progress;
pub(crate) mod radio;
pub(crate) mod sources;
pub(crate) mod trace;
