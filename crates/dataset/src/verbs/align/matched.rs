//! Which packets of two captures are the same: the pairs, and what became of the others.

use super::seen::Seen;

/// How a packet of one capture fared in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The other capture does not hold it.
    Alone,
    /// The other capture holds it, and both are the only ones of their kind.
    Paired,
    /// The other capture holds that many of its kind, but nothing shows which is which.
    Repeated,
    /// Its bytes are there, all or some, in segments that are cut in another way.
    Joined,
}

/// Two packets that are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) first: u32,
    pub(super) second: u32,
    /// The same segment; otherwise they only start with the same byte.
    pub(super) whole: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// The pairs, in the order of the second capture.
    pub(super) pairs: Vec<Pair>,
    pub(super) first: Fates,
    pub(super) second: Fates,
}

/// How the packets of a capture fared, and how many of their bytes the other does not have.
#[derive(Debug, Default)]
pub(super) struct Fates {
    pub(super) fates: Vec<Fate>,
    pub(super) missing: Vec<u32>,
}

impl Fates {
    pub(super) fn of(seen: &[Seen]) -> Self {
        Self {
            fates: vec![Fate::Alone; seen.len()],
            missing: seen.iter().map(|packet| packet.bytes).collect(),
        }
    }

    /// Notes a packet of which `missing` bytes are not in the other capture.
    pub(super) fn set(&mut self, index: u32, fate: Fate, missing: u32) {
        if let Some(slot) = self.fates.get_mut(index as usize) {
            *slot = fate;
        }
        if let Some(slot) = self.missing.get_mut(index as usize) {
            *slot = missing;
        }
    }

    /// Packets of `seen` that were not found yet.
    pub(super) fn alone<'a>(&self, seen: &'a [Seen]) -> impl Iterator<Item = (u32, &'a Seen)> {
        let fates = self.fates.iter().zip(0_u32..).zip(seen);
        fates.filter(|((fate, _), _)| **fate == Fate::Alone).map(|((_, index), seen)| (index, seen))
    }
}
