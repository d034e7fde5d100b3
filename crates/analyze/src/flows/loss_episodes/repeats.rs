//! Follows a segment that a sender repeats again and again (methods T10).

use airmile_track::Segment;
use airmile_types::{Duration, Instant};

use super::row::LossEpisodeRow;

/// A sender may limit its timer to this (RFC 6298 section 2.4).
const MOST_RTO: Duration = Duration::from_secs(60);

/// The segment that was repeated most often, and the newest one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Repeats {
    newest: Repeated,
    most: Option<Repeated>,
}

/// A segment that was sent again while the bytes before it were acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Repeated {
    start: i64,
    bytes: u32,
    count: u32,
    at: Instant,
    /// The time between the last two repeats.
    gap: Duration,
    /// Whether each gap was longer than the one before.
    backs_off: bool,
    size_acked: Option<bool>,
    /// Payload of a smaller segment in its place, and whether it was acknowledged.
    smaller: Option<(u32, bool)>,
}

impl Repeats {
    /// Takes data of the sender: the first unacknowledged segment may be sent again.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>) {
        let board = segment.own;
        if segment.start != board.unacked() || !segment.below_highest {
            return;
        }
        let full = board.most_payload().unwrap_or_else(|| board.mss_bytes()).max(1);
        let bytes = segment.payload_bytes.min(full);
        if self.newest.count == 0 || self.newest.start != segment.start {
            self.newest = Repeated::new(segment, bytes);
        } else if bytes < self.newest.bytes {
            self.newest.smaller.get_or_insert((bytes, false));
        } else {
            self.newest.again(segment);
        }
        self.keep();
    }

    /// Takes a packet of the receiver: it may acknowledge the smaller segment.
    pub(super) fn on_receiver(&mut self, segment: &Segment<'_>) {
        let acked = segment.peer.unacked();
        let newest = &mut self.newest;
        if let Some((bytes, passed)) = &mut newest.smaller
            && segment.acked_bytes > 0
            && acked >= newest.start + i64::from(*bytes)
            && acked < newest.start + i64::from(newest.bytes)
        {
            *passed = true;
            self.keep();
        }
    }

    /// Keeps the newest segment if a timer that backs off has repeated it more often than any other.
    fn keep(&mut self) {
        let newest = self.newest;
        if newest.count < 2 || !newest.backs_off {
            return;
        }
        if self.most.is_none_or(|most| most.start == newest.start || most.count < newest.count) {
            self.most = Some(newest);
        }
    }

    pub(super) fn write(&self, row: &mut LossEpisodeRow) {
        let Some(most) = self.most else { return };
        row.repeated_bytes = Some(most.bytes);
        row.repeats = Some(most.count);
        row.size_acked = most.size_acked;
        row.smaller_bytes = most.smaller.filter(|(_, passed)| *passed).map(|(bytes, _)| bytes);
    }
}

impl Repeated {
    fn new(segment: &Segment<'_>, bytes: u32) -> Self {
        Self {
            start: segment.start,
            bytes,
            count: 1,
            at: segment.time,
            gap: Duration::ZERO,
            backs_off: false,
            size_acked: segment.own.is_size_acked(bytes),
            smaller: None,
        }
    }

    /// Counts a repeat. A timer that backs off doubles the gap each time (RFC 6298 section 5.5), up to
    /// a greatest value; as it may tick, half as much more counts as doubled.
    fn again(&mut self, segment: &Segment<'_>) {
        let gap = segment.time - self.at;
        let grows = gap >= self.gap + self.gap.over(2);
        let first = self.count == 1 && segment.timeout;
        self.backs_off = first || self.backs_off && (grows || gap >= MOST_RTO);
        (self.count, self.at, self.gap) = (self.count.saturating_add(1), segment.time, gap);
    }
}
