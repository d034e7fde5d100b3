//! Gives the limits that the readers of the emulator's files share.

/// The greatest physical cell identity: there are 1008 (TS 38.211 section 7.4.2.1; LTE: 504).
pub(super) const MOST_CELL: u64 = 1007;
