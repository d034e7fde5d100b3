//! The words that every other room speaks: instants and durations in nanoseconds, addresses,
//! directions, causes, thresholds, and the registry of columns.
//!
//! This crate imports nothing of ours and touches neither clock nor file.

// Tests may index: their panic is their finding.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]

mod address;
mod cause;
mod columns;
mod flow;
mod held;
mod maybe;
mod parameters;
mod time;

pub use address::Address;
pub use cause::{Cause, CauseSide, CauseSource};
pub use columns::{Cell, Column, EventTable, Kind, RowSink, Table};
pub use flow::{Direction, PerDirection, Protocol, Side, Vantage};
pub use held::Held;
pub use maybe::{Maybe, Spare};
pub use parameters::{
    PARAMETERS, Parameter, Parameters, Ports, Preset, Range, Refused, Setting, present_name,
};
pub use time::{Duration, Instant};
