//! Follows the growth of a flight from round trip to round trip (methods T8).

use airmile_track::{Segment, SegmentClass};
use airmile_types::{Duration, Instant};

use super::sent::Sent;
use super::state::Sender;
use crate::evidence::limits::Limits;
use crate::evidence::timeline::{BIN, begin_of};

impl Sender {
    /// Ends a round trip when the sender sends after it has received the ACK of the first byte.
    #[inline]
    pub(super) fn follow_growth(&mut self, segment: &Segment<'_>, sent: &Sent, limits: &Limits) {
        if sent.acked > self.growth.start {
            self.end_round(segment, sent, limits);
        }
    }

    /// Notes how long a round trip lasted that carried more than each one before, in the bins that it
    /// touches. Longer ones show their growth from bin to bin.
    #[inline(never)]
    fn end_round(&mut self, segment: &Segment<'_>, sent: &Sent, limits: &Limits) {
        if segment.class != Some(SegmentClass::New) {
            return;
        }
        let round = self.growth;
        self.growth.start = segment.start;
        self.growth.began = segment.time;
        if round.start == i64::MIN {
            return;
        }
        let bytes = segment.start - round.start;
        self.growth.most = round.most.max(bytes);
        if sent.loop_known && segment.time - round.began < BIN {
            let ratio = limits.growth_ratio * round.most as f64;
            // Without slow start, a window grows by one segment at most (RFC 5681 section 3.1).
            let grows = round.most > 0 && bytes as f64 > ratio && bytes > round.most + sent.mss;
            if grows {
                self.note_growth(round.began, segment.time);
            }
        }
    }

    fn note_growth(&mut self, began: Instant, ended: Instant) {
        let border = begin_of(ended.bin(BIN)).max(began);
        for (from, to) in [(began, border), (border, ended)] {
            let lasted = hundredths(to - from);
            if lasted > 0 {
                let counters = self.bins.of(from);
                counters.grown = counters.grown.saturating_add(lasted);
            }
        }
    }
}

/// The hundredths of a millisecond of a part of a bin.
fn hundredths(time: Duration) -> u16 {
    u16::try_from(time.as_nanos() / 10_000).unwrap_or(0)
}
