//! Whether a scoreboard may take a plain packet: asked with every packet, answered after every other.

use super::Scoreboard;

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

    const fn with(self, other: Self, holds: bool) -> Self {
        if holds { self.and(other) } else { self }
    }
}

impl Scoreboard {
    /// A packet was judged by the definitions alone: what of it is open from now on? A plain packet
    /// opens and closes nothing.
    pub(crate) fn settle(&mut self) {
        // After its FIN no window holds it.
        let acks = self.is_open_to_acks() && !self.finished;
        self.gate = Gate::default()
            .with(Gate::SENDS, self.acked_once)
            .with(Gate::DATA, self.acked_once && self.is_open_to_data())
            .with(Gate::ACKS, acks);
    }

    /// Whether this sender's packet, `data` or a bare ACK, lies right behind the highest byte sent, and
    /// nothing that is open asks for more than the plain lane.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    pub(crate) fn goes_on_at(&self, sequence: u32, data: bool) -> bool {
        let needs = if data { Gate::DATA } else { Gate::SENDS };
        self.gate.takes(needs) && self.origin == Some(sequence.wrapping_sub(self.next as u32))
    }

    /// The offset of an acknowledgement of what is in flight, or of nothing new, where the plain lane
    /// may take it.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    pub(crate) fn plain_ack(&self, acknowledgement: u32) -> Option<i64> {
        let origin = self.origin.filter(|_| self.gate.takes(Gate::ACKS))?;
        let behind = origin.wrapping_add(self.next as u32).wrapping_sub(acknowledgement);
        let plain =
            behind <= super::LARGEST_WINDOW && i64::from(behind) <= self.next - self.unacked;
        plain.then(|| self.next - i64::from(behind))
    }
}
