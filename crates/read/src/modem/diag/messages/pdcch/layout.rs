//! Gives the lengths and numbers of the parts of 0xB130; lengths are in bytes.

pub(super) const HEADER: usize = 8;

pub(super) const HYPOTHESIS: usize = 28;

/// The number of slots for hypotheses in a record of version 43.
pub(super) const SLOTS: usize = 11;

/// The number of bytes before the slots: two words, for the subframe and the number of hypotheses.
pub(super) const RECORD_HEAD: usize = 4;
