//! Rows of the tables that a modem log gives.

mod rows;

pub use rows::{BufferStatusRow, BurstRow, CellRow, HandoverRow, TtiRow};
