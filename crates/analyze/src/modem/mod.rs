//! What a modem log is made to: rows of tables, and milliseconds that rules read.

mod gathering;
mod milliseconds;
mod rows;

pub use milliseconds::{Milliseconds, Ms, TtiScope, milliseconds};
pub use rows::{BufferStatusRow, BurstRow, CellRow, HandoverRow, TtiRow};
