//! Says what else than its application may have held a sender's data back (methods T8).

use airmile_track::Segment;

use super::sent::Sent;
use super::state::Sender;

impl Sender {
    /// Whether the sender may have had the data that ends a silence all the time.
    pub(super) fn is_held(&mut self, segment: &Segment<'_>, sent: &Sent) -> bool {
        let silences = self.silences.get_or_insert_default();
        let is_even = silences.pace.take(segment, self.has_more, sent.clock());
        // A pacer spreads a window over a round trip, so that the burst before is still in flight.
        let paced = is_even && sent.acked < segment.start;
        // After the cut by a mark ACKs allowed nothing until the flight had shrunk as much (RFC 3168
        // section 6.1.2).
        paced || self.has_reduced(segment) || self.may_be_nagle(segment, sent)
    }

    /// Whether Nagle's algorithm may have held the data: a short segment leaves with the ACK of all data
    /// before it (RFC 9293 section 3.7.4).
    fn may_be_nagle(&self, segment: &Segment<'_>, sent: &Sent) -> bool {
        let is_short = i64::from(segment.payload_bytes).checked_rem(sent.mss) != Some(0);
        is_short && sent.acked >= segment.start && self.answers(segment, sent)
    }

    /// Whether data leaves when its sender hears of an ACK.
    pub(super) fn answers(&self, segment: &Segment<'_>, sent: &Sent) -> bool {
        let mut heard = self.heard(sent.loop_time);
        heard.any(|known| (segment.time - known).abs() <= sent.clock())
    }
}
