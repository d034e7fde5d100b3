//! Limits the data that the sums of the verdict must keep, because it grows with the capture.

use std::ops::Add;

/// The greatest number of rows of live flows (45 MB). A flow with slices of 100 ms has that many
/// after seven hours.
const MOST_ROWS: usize = 1 << 18;

/// The greatest number of phones that are counted one by one (40 MB).
const MOST_PHONES: usize = 1 << 20;

/// The greatest number of small calls whose lengths are kept for their median (8 MB).
const MOST_CALLS: usize = 1 << 20;

/// The greatest number of stretches of time in which a phone had a transfer (20 MB).
const MOST_STRETCHES: usize = 1 << 19;

/// The memory of one of each, in bytes.
const ROW_BYTES: usize = 180;
const PHONE_BYTES: usize = 40;
const CALL_BYTES: usize = 8;
const STRETCH_BYTES: usize = 40;

/// How much is kept, by one shard or by all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// Slices and transfers of flows that have not ended.
    pub(crate) rows: usize,
    pub(crate) phones: usize,
    pub(crate) calls: usize,
    pub(crate) stretches: usize,
}

impl Held {
    /// The memory of what is kept, in bytes.
    pub(crate) const fn bytes(self) -> u64 {
        let lists = self.rows * ROW_BYTES + self.phones * PHONE_BYTES;
        (lists + self.calls * CALL_BYTES + self.stretches * STRETCH_BYTES) as u64
    }

    /// Why the sums are given up; `None` while everything is within its limits.
    pub(crate) fn too_much(self) -> Option<&'static str> {
        let bounds = [
            (self.rows, MOST_ROWS, "live flows have more slices and transfers than are kept"),
            (self.phones, MOST_PHONES, "there are more phones than are kept"),
            (self.calls, MOST_CALLS, "there are more small calls than are kept"),
            (self.stretches, MOST_STRETCHES, "transfers are apart more often than is kept"),
        ];
        bounds.into_iter().find(|(held, most, _)| held > most).map(|(.., reason)| reason)
    }
}

impl Add for Held {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            rows: self.rows + more.rows,
            phones: self.phones + more.phones,
            calls: self.calls + more.calls,
            stretches: self.stretches + more.stretches,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_that_are_within_bounds_each_may_exceed_them_together() {
        let shard = Held { phones: MOST_PHONES / 2 + 1, ..Held::default() };
        assert_eq!(shard.too_much(), None);
        assert_eq!((shard + shard).too_much(), Some("there are more phones than are kept"));
    }
}
