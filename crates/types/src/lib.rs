//! The words that every other room speaks: instants and durations in nanoseconds, addresses,
//! directions, causes, and the registry of columns.
//!
//! This crate imports nothing of ours and touches neither clock nor file.

mod address;
mod cause;
mod columns;
mod flow;
mod held;
mod maybe;
mod time;

pub use address::Address;
pub use cause::{Cause, CauseSide, CauseSource};
pub use columns::{Cell, Column, Kind, RowSink, Table};
pub use flow::{Direction, PerDirection, Protocol, Side, Vantage};
pub use held::Held;
pub use maybe::{Maybe, Spare};
pub use time::{Duration, Instant};
