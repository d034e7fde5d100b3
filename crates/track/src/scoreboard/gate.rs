//! Whether a scoreboard may take a plain packet: asked with every packet, answered after every other.

/// What a scoreboard takes by the plain lane, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gate(u8);

impl Gate {
    /// Data of its sender.
    pub(super) const DATA: Self = Self(1);
    /// ACKs of its data.
    pub(super) const ACKS: Self = Self(2);
    /// Its sender's ACKs of the other's data: the sender takes part.
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
