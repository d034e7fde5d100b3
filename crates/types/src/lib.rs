//! Defines the basic types that all other crates use: instants and durations in nanoseconds,
//! addresses, directions, causes, thresholds, and the descriptions of table columns.
//!
//! This crate imports no other crate of the project and reads neither a clock nor a file.

// Tests may index: a panic is how a test reports a failure.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]

mod address;
mod cause;
mod columns;
mod flow;
mod held;
mod http;
mod maybe;
mod parameters;
mod second;
mod time;

pub use address::Address;
pub use cause::{Cause, CauseSide, CauseSource};
pub use columns::{Cell, Column, EventTable, Kind, RowSink, Table};
pub use flow::{Direction, PerDirection, Protocol, Side, Vantage};
pub use held::Held;
pub use http::http_method;
pub use maybe::{Maybe, Spare};
pub use parameters::{
    PARAMETERS, Parameter, Parameters, Ports, Preset, Range, Refused, Setting, present_name,
};
pub use second::{Certainty, Second};
pub use time::{Duration, Instant};
