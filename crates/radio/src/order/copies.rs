//! Recognises blocks that were logged twice, because logs overlap or a piece was written again.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};

use airmile_read::modem::Tti;

/// The blocks so far.
#[derive(Debug, Default)]
pub(super) struct Copies {
    known: HashMap<u64, Known>,
    /// The millisecond of the newest block, and how many times the millisecond has changed.
    visit: (Option<(usize, i64)>, u32),
}

/// Blocks that are alike in one millisecond.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The last visit to the millisecond that had such a block, and how many it had.
    visit: u32,
    count: u32,
    /// The most that an earlier visit had.
    before: u32,
}

impl Copies {
    /// Whether a block of an epoch and a millisecond is a copy of one that an earlier part of the log
    /// had. Two equal blocks one
    /// after the other are two blocks, as with MIMO.
    pub(super) fn is_copy(&mut self, tti: &Tti, at: (usize, i64)) -> bool {
        if self.visit.0 != Some(at) {
            self.visit = (Some(at), self.visit.1.wrapping_add(1));
        }
        let visit = self.visit.1;
        match self.known.entry(digest(tti, at)) {
            Entry::Vacant(place) => {
                place.insert(Known { visit, count: 1, before: 0 });
                false
            }
            Entry::Occupied(place) => place.into_mut().again(visit),
        }
    }

    /// The number of blocks that are known.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}

impl Known {
    /// Notes another such block; returns whether it is a copy.
    fn again(&mut self, visit: u32) -> bool {
        if self.visit != visit {
            *self = Self { visit, count: 0, before: self.before.max(self.count) };
        }
        self.count += 1;
        self.count <= self.before
    }
}

/// A digest of what a log says of a block, except for its stamp, which another log may have derived
/// from other packets.
fn digest(tti: &Tti, at: (usize, i64)) -> u64 {
    let mut hasher = DefaultHasher::new();
    (at, tti.user, tti.direction, tti.cell, tti.carrier).hash(&mut hasher);
    (tti.prbs, tti.prb_total, tti.tbs_bytes, tti.block, tti.mcs, tti.layers).hash(&mut hasher);
    (tti.harq, tti.retransmission, tti.crc_ok, tti.padding_bytes, tti.source).hash(&mut hasher);
    hasher.finish()
}
