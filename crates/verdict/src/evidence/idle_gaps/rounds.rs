//! Counts the bytes per round trip of one sender.

use airmile_track::Segment;

/// The number of rounds that are remembered. The last round before a gap is mostly cut short by the
/// end of its transfer.
const REMEMBERED: usize = 4;

/// Splits a sender's data into rounds. A round ends when the sender sends after it has received the
/// ACK of the round's first byte. So no estimate of the RTT is needed, and a growing queue does no
/// harm.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rounds {
    /// Offset of the first byte of the round.
    began_at: Option<i64>,
    bytes: u64,
    recent: [u64; REMEMBERED],
    /// Bytes of the very first round.
    first: Option<u64>,
}

impl Rounds {
    /// Takes a packet with payload of this sender; returns the bytes of the round that it ended.
    pub(super) fn on_data(&mut self, segment: &Segment<'_>) -> Option<u64> {
        let over = self.began_at.is_some_and(|began| segment.own.ack_known(segment.time) > began);
        let ended = over.then(|| self.end());
        self.began_at.get_or_insert(segment.start);
        if ended.is_some() {
            // A retransmission that opens a round must not end the round with its own old ACK.
            self.began_at =
                Some(segment.start.max(segment.own.next() - i64::from(segment.payload_bytes)));
        }
        self.bytes += u64::from(segment.payload_bytes);
        ended
    }

    /// Ends the round in progress, as a silence does; returns its bytes.
    pub(super) fn end(&mut self) -> u64 {
        let bytes = std::mem::take(&mut self.bytes);
        self.began_at = None;
        if bytes > 0 {
            self.first.get_or_insert(bytes);
            self.recent.rotate_left(1);
            if let Some(newest) = self.recent.last_mut() {
                *newest = bytes;
            }
        }
        bytes
    }

    /// The largest of the last rounds.
    pub(super) fn largest(&self) -> u64 {
        self.recent.into_iter().max().unwrap_or(0)
    }

    /// Forgets the rounds before a gap.
    pub(super) const fn forget(&mut self) {
        self.recent = [0; REMEMBERED];
    }

    /// The bytes of the round in progress.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a round is in progress.
    pub(super) const fn is_running(&self) -> bool {
        self.began_at.is_some()
    }

    /// Bytes of the flow's first round.
    pub(super) const fn first(&self) -> Option<u64> {
        self.first
    }
}
