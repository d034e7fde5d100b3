//! Keeps the bytes between the highest cumulative ACK and the highest byte sent, as a queue of
//! adjacent intervals. The bytes of an interval were sent once or more, or they are a hole that was
//! never seen at the capture point.

use std::collections::VecDeque;

use airmile_types::{Instant, Maybe};

/// One interval of sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: i64,
    pub(super) end: i64,
    /// The time of the last transmission; for a hole, the time at which it was opened.
    pub(super) time: Instant,
    /// The time at which an ACK first reported the hole.
    pub(super) reported: Maybe<Instant>,
    /// The TSval of the last transmission; for a hole, of the packet that opened it.
    tsval: u32,
    stamped: bool,
    pub(super) kind: RangeKind,
    /// Whether the bytes passed the capture point more than once.
    pub(super) repeated: bool,
    /// Whether a SACK block has reported the bytes.
    pub(super) sacked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeKind {
    Data,
    /// The bytes never passed the capture point.
    Hole,
    /// The bytes passed in later IP fragments, which have no sequence numbers, so they are not
    /// among the bytes that were counted.
    Rest,
    /// The sequence number of a FIN.
    Fin,
}

const _: () = assert!(size_of::<Range>() <= 40, "a sender has one for each segment in flight");

impl Range {
    /// An interval of bytes that were sent once, or of a hole. `time` and `tsval` are those of the
    /// packet that carried the bytes or opened the hole.
    #[inline(always)]
    pub(super) fn new(
        start: i64,
        end: i64,
        (time, tsval): (Instant, Option<u32>),
        kind: RangeKind,
    ) -> Self {
        let (value, stamped) = (tsval.unwrap_or(0), tsval.is_some());
        let reported = Maybe::NONE;
        Self {
            start,
            end,
            time,
            reported,
            tsval: value,
            stamped,
            kind,
            repeated: false,
            sacked: false,
        }
    }

    /// Whether `next` follows this interval and differs from it only in its position.
    fn goes_on_as(&self, next: &Self) -> bool {
        self.end == next.start && Self { start: self.start, end: self.end, ..*next } == *self
    }

    pub(super) fn tsval(&self) -> Option<u32> {
        self.stamped.then_some(self.tsval)
    }

    /// Notes that a packet with this TSval retransmitted the bytes.
    pub(super) fn stamp(&mut self, tsval: Option<u32>) {
        (self.tsval, self.stamped) = (tsval.unwrap_or(0), tsval.is_some());
    }
}

/// The intervals that an advancing ACK covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acked {
    /// The interval that contains the last byte covered.
    pub(super) last: Option<Last>,
    /// The number of intervals covered, completely or in part.
    pub(super) ranges: u32,
    /// Whether one of the intervals had been retransmitted.
    pub(super) any_repeated: bool,
    /// Number of covered bytes that never passed the capture point.
    pub(super) hole_bytes: u64,
    /// Number of covered bytes that no SACK block had reported before.
    pub(super) fresh_bytes: u64,
    /// The time of the latest transmission of a covered interval; [`Instant::MIN`] if all were
    /// holes.
    pub(super) newest: Instant,
}

/// The interval that contains the last byte that an ACK covered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) end: i64,
    pub(super) time: Instant,
    pub(super) kind: RangeKind,
    pub(super) sacked: bool,
}

/// The greatest number of intervals remembered for a direction. Beyond it the lowest intervals only
/// count as sent. With full segments the limit corresponds to 47 MB in flight, which is more than a
/// cellular path holds (methods C6). It matters for a capture without the receiver's ACKs, in which
/// no interval is ever acknowledged.
pub(super) const MOST: usize = 1 << 15;

/// The number of intervals that one packet may visit without using saved visits. The limit protects
/// against a flow crafted so that each packet visits every segment of a large window.
const EARNED: u32 = 256;
/// The greatest number of visits that a direction can save: two visits of a full queue.
#[expect(clippy::cast_possible_truncation, reason = "bounded by constants")]
const SAVED: u32 = 2 * MOST as u32;
/// Moving this number of intervals to make room for another costs as much as one visit.
const MOVED_PER_VISIT: usize = 8;
/// If a packet retransmits more intervals than this, the intervals are joined into one.
const JOINED: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    queue: VecDeque<Range>,
    /// The number of saved visits, out of [`SAVED`], that have been used.
    spent: u32,
    /// The end of the highest interval that was dropped because the queue was full.
    forgotten: i64,
    /// The end of the highest hole ever opened; no hole lies above it.
    holes_end: i64,
}

airmile_types::held!(Ranges { queue });

impl Ranges {
    #[inline(always)]
    pub(super) fn push(&mut self, range: Range) {
        if range.kind == RangeKind::Hole {
            self.holes_end = range.end;
        }
        if self.queue.len() >= MOST {
            self.forget();
        }
        self.queue.push_back(range);
    }

    #[cold]
    fn forget(&mut self) {
        if let Some(lowest) = self.queue.pop_front() {
            self.forgotten = lowest.end;
        }
    }

    /// The offset below which all intervals have been dropped; bytes below it only count as sent.
    pub(super) const fn forgotten(&self) -> i64 {
        self.forgotten
    }

    /// Removes everything below `ack` and returns a summary of it.
    #[inline(always)]
    pub(super) fn acknowledge(&mut self, ack: i64) -> Acked {
        let mut acked = Acked::nothing();
        while let Some(front) = self.queue.front_mut() {
            if front.start >= ack {
                break;
            }
            acked.take(front, ack);
            if front.end > ack {
                front.start = ack;
                break;
            }
            self.queue.pop_front();
        }
        acked
    }

    /// The interval that contains `offset`.
    pub(super) fn at(&self, offset: i64) -> Option<&Range> {
        self.queue.get(self.index_of(offset)).filter(|r| r.start <= offset)
    }

    /// The first interval with data that starts at or above `offset`.
    pub(super) fn next_data(&self, offset: i64) -> Option<&Range> {
        let from = self.queue.partition_point(|r| r.start < offset);
        self.queue.range(from..).find(|r| r.kind == RangeKind::Data)
    }

    /// The holes that start below `edge`.
    pub(super) fn holes_below(&self, edge: i64) -> impl Iterator<Item = &Range> {
        let below = self.queue.iter().take_while(move |r| r.start < edge);
        below.filter(|r| r.kind == RangeKind::Hole)
    }

    /// The holes that end above `from` and at or below `edge`.
    pub(super) fn holes(&mut self, from: i64, edge: i64) -> impl Iterator<Item = &mut Range> {
        let (first, edge) = (self.index_of(from), edge.min(self.holes_end));
        let holes = self.queue.range_mut(first..).take_while(move |r| r.end <= edge);
        holes.filter(|r| r.kind == RangeKind::Hole)
    }

    /// The start of the hole that ends at this offset.
    pub(super) fn hole_to(&self, edge: i64) -> Option<i64> {
        if self.holes_end < edge {
            return None;
        }
        let below = self.queue.iter().rev().find(|range| range.end <= edge);
        below.filter(|hole| hole.kind == RangeKind::Hole && hole.end == edge).map(|hole| hole.start)
    }

    /// A packet with SACK blocks or with retransmitted bytes passes, so that more visits are
    /// allowed.
    pub(super) const fn earn(&mut self) {
        self.spent = self.spent.saturating_sub(EARNED);
    }

    /// Uses up to `visits` visits; returns how many of them were left to use.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by constants")]
    fn spend(&mut self, visits: usize) -> usize {
        let visits = visits.min((SAVED - self.spent) as usize);
        self.spent += visits as u32;
        visits
    }

    /// Whether a hole may lie above `offset`.
    pub(super) const fn may_have_hole_above(&self, offset: i64) -> bool {
        self.holes_end > offset
    }

    /// The lowest interval.
    pub(super) fn lowest(&self) -> Option<&Range> {
        self.queue.front()
    }

    /// The lowest interval, if it is a hole.
    pub(super) fn first_hole(&mut self) -> Option<&mut Range> {
        self.queue.front_mut().filter(|r| r.kind == RangeKind::Hole)
    }

    /// The intervals that overlap `[start, end)`, split so that they lie inside it. Intervals that
    /// cannot be split, because the queue is full or no visits are left, are omitted.
    pub(super) fn isolate(&mut self, start: i64, end: i64) -> impl Iterator<Item = &mut Range> {
        let (from, to) = self.between(start, end);
        if from < to {
            self.split_at(start);
            self.split_at(end);
        }
        let visited = self.visit(start, end);
        let overlapping = self.queue.range_mut(visited);
        overlapping.filter(move |r| r.start >= start && r.end <= end)
    }

    /// The intervals that overlap `[start, end)`, and the offset from which on no visits are left.
    pub(super) fn overlapping(
        &mut self,
        start: i64,
        end: i64,
    ) -> (impl Iterator<Item = &Range>, Option<i64>) {
        let (visited, to) = (self.visit(start, end), self.between(start, end).1);
        let rest = self.queue.range(visited.end..to).next().map(|range| range.start);
        (self.queue.range(visited), rest)
    }

    /// Joins adjacent intervals within `[start, end)` that are alike, if they are many, so that
    /// data retransmitted again and again does not cost as many visits each time. If no visits are
    /// left for all of them, only the first are joined.
    pub(super) fn join(&mut self, start: i64, end: i64) {
        let (from, to) = self.between(start, end);
        if to - from <= JOINED {
            return;
        }
        let to = from + self.spend(to - from);
        let mut joined: Vec<Range> = Vec::new();
        for range in self.queue.range(from..to) {
            match joined.last_mut() {
                Some(last) if last.goes_on_as(range) => last.end = range.end,
                _ => joined.push(*range),
            }
        }
        let kept = from + joined.len();
        if kept < to {
            self.queue.range_mut(from..kept).zip(joined).for_each(|(place, range)| *place = range);
            self.queue.drain(kept..to);
        }
    }

    /// The indices of the first interval that overlaps `[start, end)` and of the first interval
    /// behind it.
    fn between(&self, start: i64, end: i64) -> (usize, usize) {
        let from = self.index_of(start);
        let to = if start < end { self.queue.partition_point(|r| r.start < end) } else { from };
        (from, to.max(from))
    }

    fn visit(&mut self, start: i64, end: i64) -> std::ops::Range<usize> {
        let (from, to) = self.between(start, end);
        from..from + self.spend(to - from)
    }

    /// All intervals, in ascending order.
    #[cfg(any(debug_assertions, test))]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Range> {
        self.queue.iter()
    }

    /// The index of the first interval that ends above `offset`.
    fn index_of(&self, offset: i64) -> usize {
        self.queue.partition_point(|r| r.end <= offset)
    }

    #[expect(clippy::indexing_slicing, reason = "the place was found just before")]
    fn split_at(&mut self, offset: i64) {
        let index = self.index_of(offset);
        let Some(range) = self.queue.get(index).filter(|range| range.start < offset) else {
            return;
        };
        let mut tail = *range;
        let visits = 1 + index.min(self.queue.len() - index) / MOVED_PER_VISIT;
        if self.queue.len() >= MOST || self.spend(visits) < visits {
            return;
        }
        tail.start = offset;
        self.queue[index].end = offset;
        self.queue.insert(index + 1, tail);
    }
}

impl Acked {
    const fn nothing() -> Self {
        Self {
            last: None,
            ranges: 0,
            any_repeated: false,
            hole_bytes: 0,
            fresh_bytes: 0,
            newest: Instant::MIN,
        }
    }

    #[inline]
    fn take(&mut self, range: &Range, ack: i64) {
        let &Range { start, end, time, kind, repeated, sacked, .. } = range;
        self.ranges += 1;
        let bytes = (end.min(ack) - start) as u64;
        if !sacked {
            self.fresh_bytes += bytes;
        }
        if kind == RangeKind::Hole {
            self.hole_bytes += bytes;
        } else {
            self.newest = self.newest.max(time);
        }
        self.any_repeated |= repeated;
        self.last = Some(Last { end, time, kind, sacked });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes `count` intervals of one byte each that are alike.
    fn alike(count: i64) -> Ranges {
        let mut ranges = Ranges::default();
        let sent = (Instant::from_nanos(1), None);
        (0..count).for_each(|at| ranges.push(Range::new(at, at + 1, sent, RangeKind::Data)));
        ranges
    }

    #[test]
    fn joining_costs_visits_as_looking_does() {
        let mut ranges = alike(1000);
        ranges.spent = SAVED;
        ranges.join(0, 1000);
        assert_eq!(ranges.iter().count(), 1000);
        ranges.earn();
        ranges.join(0, 1000);
        assert_eq!(ranges.iter().count(), 1000 - EARNED as usize + 1);
        assert_eq!(ranges.spent, SAVED);
        ranges.spent = 0;
        ranges.join(0, 1000);
        assert_eq!(ranges.iter().count(), 1);
    }

    #[test]
    fn what_is_empty_overlaps_nothing() {
        let mut ranges = alike(10);
        assert_eq!(ranges.isolate(4, 4).count(), 0);
        assert_eq!(ranges.isolate(7, 3).count(), 0);
        assert_eq!(ranges.iter().count(), 10);
    }
}
