//! Lengths of the parts of the message, in bytes.

pub(super) const HEADER: usize = 8;

pub(super) const HYPOTHESIS: usize = 28;

/// Version 43 has so many slots for hypotheses in each of its records.
pub(super) const SLOTS: usize = 11;

/// What stands before the slots: two words, of subframe and hypotheses.
pub(super) const RECORD_HEAD: usize = 4;
