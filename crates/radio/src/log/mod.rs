//! What modem logs contain, as one list of records of each kind, and what is known of each user.
//!
//! Records of every format become a [`RadioLog`] (one row per transport block, whichever messages
//! describe it). With the [`CellBandwidths`] it becomes a [`UserLog`] for each user (milliseconds
//! and bursts).

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
