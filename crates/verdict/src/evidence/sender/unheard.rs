//! Looks for ACKs of a sender's data that the capture missed (methods A10).

use airmile_track::{Segment, SegmentClass};
use airmile_types::{Instant, Maybe};

use super::state::Sender;
use crate::evidence::bits::Mask;

impl Sender {
    /// The milliseconds of a bin in which the capture missed ACKs of this sender's data.
    pub(crate) fn acks_missing_at(&self, bin: i64) -> Mask {
        self.missing.as_ref().map_or(0, |missing| missing.times.at(bin))
    }

    /// Looks for missing ACKs, at the first data of a bin. Their time does not reach back over a
    /// silence of the sender in which its timer would have fired: nothing shows that it waited.
    #[inline(never)]
    pub(super) fn note_missing(&mut self, segment: &Segment<'_>) {
        let (board, now) = (segment.own, segment.time);
        if segment.since_last_data.is_some_and(|silence| silence > board.rto_most()) {
            self.resumed = now;
        }
        if let Some(heard) = self.last_ack.get()
            && segment.class == Some(SegmentClass::New)
            && let Some(since) = board.acks_missing_since(heard, now)
        {
            let missing = self.missing.get_or_insert_default();
            missing.since = since.max(self.resumed).into();
            missing.mark(now);
        }
    }

    /// Ends the time in which ACKs were missing, because a packet of the receiver passes.
    #[inline]
    pub(super) fn end_missing(&mut self, now: Instant) {
        if let Some(missing) = &mut self.missing {
            missing.mark(now);
            missing.since = Maybe::NONE;
        }
    }

    /// Extends the time in which ACKs are missing to the end of the flow.
    pub(super) fn settle_missing(&mut self, end: Instant) {
        if let Some(missing) = &mut self.missing {
            missing.mark(end);
        }
    }
}
