//! Decides whether a packet may take the plain lane, a fast path (docs/design/hot-path.md). It may
//! if no loss, probe or closed window is in progress at the sender.

use super::gate::Gate;
use super::state::Scoreboard;

impl Scoreboard {
    /// Finds out which packets may take the plain lane from now on. Called after a packet that did
    /// not take it; a plain packet changes nothing that matters here.
    pub(crate) fn settle(&mut self) {
        // After the sender's FIN no window limits the sender.
        let acks = self.is_open_to_acks() && !self.finished;
        self.gate = Gate::default()
            .with(Gate::SENDS, self.acked_once)
            .with(Gate::DATA, self.acked_once && self.is_open_to_data())
            .with(Gate::ACKS, acks);
    }

    /// Whether this sender's packet (`data`, or else a bare ACK) lies directly behind the highest
    /// byte sent, and may take the plain lane.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    pub(crate) fn goes_on_at(&self, sequence: u32, data: bool) -> bool {
        let needs = if data { Gate::DATA } else { Gate::SENDS };
        self.gate.takes(needs) && self.origin == Some(sequence.wrapping_sub(self.next as u32))
    }

    /// The offset of an acknowledgement that covers bytes in flight, or nothing new; `None` if the
    /// ACK may not take the plain lane.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    pub(crate) fn plain_ack(&self, acknowledgement: u32) -> Option<i64> {
        let origin = self.origin.filter(|_| self.gate.takes(Gate::ACKS))?;
        let behind = origin.wrapping_add(self.next as u32).wrapping_sub(acknowledgement);
        let plain =
            behind <= super::LARGEST_WINDOW && i64::from(behind) <= self.next - self.unacked;
        plain.then(|| self.next - i64::from(behind))
    }
}
