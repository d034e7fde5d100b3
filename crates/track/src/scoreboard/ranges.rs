//! The bytes between the highest cumulative ACK and the highest byte sent, as a queue of
//! intervals without gaps: each was sent (once or more), or is a hole never seen at the tap.

use std::collections::VecDeque;

use airmile_types::{Instant, Maybe};

/// One interval of sequence space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: i64,
    pub(super) end: i64,
    /// Its last transmission; for a hole, when it was opened.
    pub(super) time: Instant,
    /// The time at which an ACK first reported a hole.
    pub(super) reported: Maybe<Instant>,
    /// TSval of its last transmission; for a hole, of the packet that opened it.
    tsval: u32,
    stamped: bool,
    pub(super) kind: RangeKind,
    /// Transmitted more than once past the tap.
    pub(super) repeated: bool,
    /// Reported by a SACK block.
    pub(super) sacked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeKind {
    Data,
    /// Never seen at the tap.
    Hole,
    /// Passed in later IP fragments, which have no sequence numbers: not among the bytes that were counted.
    Rest,
    /// The sequence number of a FIN.
    Fin,
}

const _: () = assert!(size_of::<Range>() <= 40, "a sender has one for each segment in flight");

impl Range {
    /// One that was sent once, or not at all, with a packet that passed at a time with a TSval.
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

    /// `next` follows it and is like it in all but its place.
    fn goes_on_as(&self, next: &Self) -> bool {
        self.end == next.start && Self { start: self.start, end: self.end, ..*next } == *self
    }

    pub(super) fn tsval(&self) -> Option<u32> {
        self.stamped.then_some(self.tsval)
    }

    /// Notes a retransmission by a packet of this TSval.
    pub(super) fn stamp(&mut self, tsval: Option<u32>) {
        (self.tsval, self.stamped) = (tsval.unwrap_or(0), tsval.is_some());
    }
}

/// What an advancing ACK covered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acked {
    /// The interval that holds the last byte covered.
    pub(super) last: Option<Last>,
    /// How many intervals were covered, whole or in part.
    pub(super) ranges: u32,
    /// One of them had been repeated.
    pub(super) any_repeated: bool,
    /// Bytes never seen at the tap.
    pub(super) hole_bytes: u64,
    /// Bytes that no SACK block had reported before.
    pub(super) fresh_bytes: u64,
    /// The latest transmission among them; [`Instant::MIN`] where all were holes.
    pub(super) newest: Instant,
}

/// The interval that holds the last byte that an ACK covered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) end: i64,
    pub(super) time: Instant,
    pub(super) kind: RangeKind,
    pub(super) sacked: bool,
}

/// Intervals remembered for a direction; beyond it the lowest count as sent and nothing more. Of
/// full segments that is 47 MB in flight: more than a cellular path holds (methods C6), but a
/// capture without the receiver's ACKs never gives any of them up.
pub(super) const MOST: usize = 1 << 15;

/// Intervals that one packet may visit and has not saved up; a window in which every segment is
/// looked at anew with each packet is made to cost time.
const EARNED: u32 = 256;
/// What a direction may have saved up: a whole queue, twice.
#[expect(clippy::cast_possible_truncation, reason = "bounded by constants")]
const SAVED: u32 = 2 * MOST as u32;
/// Moving this number of intervals, to make room for one, costs as much as visiting one.
const MOVED_PER_VISIT: usize = 8;
/// One packet that carries more intervals than this again makes one of them.
const JOINED: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    queue: VecDeque<Range>,
    /// Visits of what was [`SAVED`] that are used up.
    spent: u32,
    /// End of the highest interval that was dropped for want of room.
    forgotten: i64,
    /// End of the highest hole ever opened: below it there may be one.
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

    /// Below this nothing is remembered but that it was sent.
    pub(super) const fn forgotten(&self) -> i64 {
        self.forgotten
    }

    /// Drops everything below `ack` and returns what it was.
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

    /// The interval that holds `offset`.
    pub(super) fn at(&self, offset: i64) -> Option<&Range> {
        self.queue.get(self.index_of(offset)).filter(|r| r.start <= offset)
    }

    /// The first data interval that starts at or above `offset`.
    pub(super) fn next_data(&self, offset: i64) -> Option<&Range> {
        let from = self.queue.partition_point(|r| r.start < offset);
        self.queue.range(from..).find(|r| r.kind == RangeKind::Data)
    }

    /// The holes that begin below `edge`.
    pub(super) fn holes_below(&self, edge: i64) -> impl Iterator<Item = &Range> {
        let below = self.queue.iter().take_while(move |r| r.start < edge);
        below.filter(|r| r.kind == RangeKind::Hole)
    }

    /// The holes that end above `from`, and at or below `edge`.
    pub(super) fn holes(&mut self, from: i64, edge: i64) -> impl Iterator<Item = &mut Range> {
        let (first, edge) = (self.index_of(from), edge.min(self.holes_end));
        let holes = self.queue.range_mut(first..).take_while(move |r| r.end <= edge);
        holes.filter(|r| r.kind == RangeKind::Hole)
    }

    /// A packet with SACK blocks or with bytes sent before passes: it may visit some intervals.
    pub(super) const fn earn(&mut self) {
        self.spent = self.spent.saturating_sub(EARNED);
    }

    /// Takes `visits`, or as many of them as are left.
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

    /// The interval at the front.
    pub(super) fn lowest(&self) -> Option<&Range> {
        self.queue.front()
    }

    /// The hole at the front, if there is one.
    pub(super) fn first_hole(&mut self) -> Option<&mut Range> {
        self.queue.front_mut().filter(|r| r.kind == RangeKind::Hole)
    }

    /// The intervals that overlap `[start, end)`, split so that they lie inside it; those that
    /// there is no more room, or time, to split are left out.
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

    /// The intervals that overlap `[start, end)`, and from where on there is no time to visit them.
    pub(super) fn overlapping(
        &mut self,
        start: i64,
        end: i64,
    ) -> (impl Iterator<Item = &Range>, Option<i64>) {
        let (visited, to) = (self.visit(start, end), self.between(start, end).1);
        let rest = self.queue.range(visited.end..to).next().map(|range| range.start);
        (self.queue.range(visited), rest)
    }

    /// Those within `[start, end)` that are alike become one, where they are many: so what is
    /// carried again time after time is not as many to visit each time. Where there is no time for
    /// all, those that there is time for.
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

    /// Indices of the first interval that overlaps `[start, end)` and of the first after those.
    fn between(&self, start: i64, end: i64) -> (usize, usize) {
        let from = self.index_of(start);
        let to = if start < end { self.queue.partition_point(|r| r.start < end) } else { from };
        (from, to.max(from))
    }

    fn visit(&mut self, start: i64, end: i64) -> std::ops::Range<usize> {
        let (from, to) = self.between(start, end);
        from..from + self.spend(to - from)
    }

    /// Every interval, from the lowest on.
    #[cfg(any(debug_assertions, test))]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Range> {
        self.queue.iter()
    }

    /// Index of the first interval that ends above `offset`.
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

    /// Makes intervals of one byte, all alike.
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
