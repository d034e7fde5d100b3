//! Keeps the records of modem logs, in one list for each kind, and what they show about each user.
//!
//! Records of every format become a [`RadioLog`], which has one row per transport block, whichever
//! messages describe the block. Together with the [`CellBandwidths`], it becomes a [`UserLog`] for
//! each user, which holds milliseconds and bursts.

mod bandwidths;
mod cells;
mod given;
mod merge;
mod records;
mod rows;
mod user;

pub use bandwidths::{BandwidthInUse, CellBandwidths};
pub use cells::ServingCells;
pub use given::{BadBandwidth, GivenBandwidths};
pub use merge::rank;
pub use records::RadioLog;
pub use rows::{BufferStatusRow, BurstRow, CellRow, HandoverRow, TtiRow};
pub use user::UserLog;
