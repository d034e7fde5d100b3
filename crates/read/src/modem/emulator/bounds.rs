//! Bounds that the files of the emulator share.

/// TS 38.211 section 7.4.2.1: 1008 physical cell identities (LTE: 504).
pub(super) const MOST_CELL: u64 = 1007;
