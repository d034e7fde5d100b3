//! Whether a packet may take the plain lane: what is open at this sender.

use super::gate::Gate;
use super::state::Scoreboard;

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
    /// nothing that is open needs more than the plain lane.
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
