//! Keeps the round trips in which a queue marked a sender's data as having met congestion (RFC 3168).

use airmile_read::TcpFlags;
use airmile_track::Segment;
use airmile_types::{Duration, Instant, Maybe};

use crate::evidence::bits::Mask;
use crate::evidence::timeline::{BIN, Timeline};

/// The two ECN bits of an IP header whose packet met congestion (RFC 3168 section 5).
const CE: u8 = 3;
/// Each round trip with marks is one millisecond on the timelines, however many marks it has.
const ONCE: Duration = Duration::from_millis(1);

/// The marks of one sender's data; made for the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// The round trips in which a queue before the capture point has marked data.
    before: Timeline,
    /// The round trips in which a queue behind it has.
    behind: Timeline,
    /// The time of the newest of the former.
    arrived: Maybe<Instant>,
    /// The offset of the data with which the sender last said that it has reduced its window. Echoes
    /// in ACKs that do not cover it belong to marks before (RFC 3168 section 6.1.3).
    reduced: Maybe<i64>,
    /// Whether data has come marked, or an echo was counted, since then.
    known: bool,
    /// Whether the flags count marks (RFC 9768), although no SYN has said so.
    pub(super) accurate: bool,
}

airmile_types::held!(Marks { before, behind });

/// Whether data came marked.
#[inline]
pub(super) fn is_marked(segment: &Segment<'_>) -> bool {
    segment.ecn == CE
}

impl Marks {
    /// Notes that data came marked.
    pub(super) fn note_marked(&mut self, now: Instant, round_trip: Duration) {
        self.known = true;
        // Where the round trip is not known, a bin is longer than most are.
        let round_trip = round_trip.max(BIN);
        if self.arrived.get().is_none_or(|last| now - last >= round_trip) {
            self.arrived = now.into();
            self.before.mark(now, now + ONCE);
        }
    }

    /// Notes that the sender has reduced its window after a mark.
    pub(super) fn note_reduced(&mut self, segment: &Segment<'_>) {
        self.reduced = segment.start.into();
        self.known = is_marked(segment);
    }

    /// Notes an echo, of which the sender knows at `heard`. The data was marked behind the capture
    /// point, unless it came marked.
    pub(super) fn note_echo(&mut self, segment: &Segment<'_>, heard: Instant) {
        self.accurate |= segment.flags.has(TcpFlags::AE);
        let is_count = self.accurate || segment.flow.counts_marks();
        let reduced = self.reduced.get().unwrap_or(i64::MIN);
        if is_count || self.known || segment.ack.is_none_or(|ack| ack <= reduced) {
            return;
        }
        self.known = true;
        self.behind.mark(heard, heard + ONCE);
    }

    /// The round trips with marks in a bin, one millisecond each: of a queue before the capture point,
    /// and of one behind it.
    pub(super) fn at(&self, bin: i64) -> (Mask, Mask) {
        (self.before.at(bin), self.behind.at(bin))
    }
}
