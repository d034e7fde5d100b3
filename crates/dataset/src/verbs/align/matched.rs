//! Keeps the packets that two captures share, as pairs, and the result for every other packet.

use super::seen::Seen;

/// What the other capture contains of a packet of one capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The other capture does not contain the packet.
    Alone,
    /// Both captures contain the packet exactly once.
    Paired,
    /// Both captures contain the same number of identical packets, and nothing shows which is
    /// which.
    Repeated,
    /// The other capture contains some or all of the packet's bytes, in segments that are cut in
    /// another way.
    Joined,
}

/// A packet of the first and a packet of the second capture that are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) first: u32,
    pub(super) second: u32,
    /// Whether both are the same segment; otherwise they only begin with the same byte.
    pub(super) whole: bool,
}

/// The result of matching two captures.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// The pairs, in the order of the second capture.
    pub(super) pairs: Vec<Pair>,
    pub(super) first: Fates,
    pub(super) second: Fates,
}

/// For each packet of a capture, the result, and the number of its bytes that the other capture
/// lacks.
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

    /// Notes the result for a packet, of which the other capture lacks `missing` bytes.
    pub(super) fn set(&mut self, index: u32, fate: Fate, missing: u32) {
        if let Some(slot) = self.fates.get_mut(index as usize) {
            *slot = fate;
        }
        if let Some(slot) = self.missing.get_mut(index as usize) {
            *slot = missing;
        }
    }

    /// The packets of `seen` that were not found yet.
    pub(super) fn alone<'a>(&self, seen: &'a [Seen]) -> impl Iterator<Item = (u32, &'a Seen)> {
        let fates = self.fates.iter().zip(0_u32..).zip(seen);
        fates.filter(|((fate, _), _)| **fate == Fate::Alone).map(|((_, index), seen)| (index, seen))
    }
}
