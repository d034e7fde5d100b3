//! What a modem log is made to: rows of tables, and milliseconds that rules read.

mod gathering;
mod milliseconds;
mod rows;
mod uplink;

pub use milliseconds::{Milliseconds, Ms, TtiScope, milliseconds};
pub use rows::{BufferStatusRow, BurstRow, CellRow, HandoverRow, TtiRow};
pub use uplink::{UplinkQueue, uplink_queue};
