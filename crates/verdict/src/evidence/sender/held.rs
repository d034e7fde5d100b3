//! Says what else than its application may have held a sender's data back (methods T8).

use airmile_track::Segment;
use airmile_types::Instant;

use super::sent::Sent;
use super::state::Sender;
use crate::evidence::bits::Mask;
use crate::evidence::limits::{FULL_LEAST_BYTES, Limits};

impl Sender {
    /// Whether the sender may have had the data that ends a silence all the time.
    pub(super) fn is_held(
        &mut self,
        segment: &Segment<'_>,
        last: Instant,
        sent: &Sent,
        limits: &Limits,
    ) -> bool {
        let silences = self.silences.get_or_insert_default();
        let is_even = silences.pace.take(segment, self.has_more, sent.clock());
        // A pacer spreads a window over a round trip, so that the burst before is still in flight.
        let paced = is_even && sent.acked < segment.start;
        // After the cut by a mark ACKs allowed nothing until the flight had shrunk as much (RFC 3168
        // section 6.1.2).
        let nagle = self.may_be_nagle(segment, sent);
        if nagle {
            self.note_nagle(segment, last, sent, limits);
        }
        paced || nagle || self.has_reduced(segment)
    }

    /// Whether Nagle's algorithm may have held the data: a short segment leaves with the ACK of all data
    /// before it (RFC 9293 section 3.7.4).
    fn may_be_nagle(&self, segment: &Segment<'_>, sent: &Sent) -> bool {
        let is_short = segment.payload_bytes.checked_rem(full_bytes(segment)) != Some(0);
        is_short && sent.acked >= segment.start && self.answers(segment, sent)
    }

    /// Notes a silence since `last` that waited for an ACK which its receiver delayed: it had nothing
    /// else to say meanwhile, and on the path alone the ACK would have come much sooner.
    fn note_nagle(&mut self, segment: &Segment<'_>, last: Instant, sent: &Sent, limits: &Limits) {
        let Some(path) = segment.own.rtt_min() else { return };
        let least = path + limits.least_delayed_ack;
        let mut acks = self.freed.iter().filter(|ack| ack.at + sent.loop_time > last).peekable();
        let is_late = acks.peek().is_some_and(|ack| ack.at - last >= least);
        if is_late && acks.all(|ack| ack.alone) {
            self.silences.get_or_insert_default().nagle.mark(last, segment.time);
        }
    }

    /// The milliseconds of a bin in which Nagle's algorithm may have held the data that followed.
    pub(crate) fn nagle_at(&self, bin: i64) -> Mask {
        self.silences.as_ref().map_or(0, |silences| silences.nagle.at(bin))
    }

    /// Whether data leaves when its sender hears of an ACK.
    pub(super) fn answers(&self, segment: &Segment<'_>, sent: &Sent) -> bool {
        let mut heard = self.heard(sent.loop_time);
        heard.any(|known| (segment.time - known).abs() <= sent.clock())
    }
}

/// The size of a full segment: the largest seen, unless that is so small that only short ones may have
/// come. Every link carries packets of 1,280 bytes (RFC 8200 section 5).
fn full_bytes(segment: &Segment<'_>) -> u32 {
    let seen = segment.own.mss_bytes();
    if seen >= FULL_LEAST_BYTES { seen } else { segment.own.most_payload().unwrap_or(seen) }
}
