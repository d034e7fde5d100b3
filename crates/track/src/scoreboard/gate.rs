//! Stores which packets may take the plain lane, a fast path for packets that change little
//! (docs/design/hot-path.md). The answer is read with every packet, and computed only after packets
//! that did not take this path.

/// The kinds of packets that a scoreboard takes by the plain lane, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gate(u8);

impl Gate {
    /// Data of the scoreboard's sender.
    pub(super) const DATA: Self = Self(1);
    /// ACKs of the sender's data.
    pub(super) const ACKS: Self = Self(2);
    /// The sender's own ACKs of the peer's data; allowed once the sender is known to take part.
    pub(super) const SENDS: Self = Self(4);

    #[inline]
    pub(super) const fn takes(self, all: Self) -> bool {
        self.0 & all.0 == all.0
    }

    #[inline]
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn with(self, other: Self, holds: bool) -> Self {
        if holds { self.and(other) } else { self }
    }
}
