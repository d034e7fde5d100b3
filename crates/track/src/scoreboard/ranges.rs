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
    /// For a hole: when an ACK first reported it.
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
    /// Passed in later IP fragments, which tell no numbers: not among the bytes that were counted.
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

    pub(super) fn tsval(&self) -> Option<u32> {
        self.stamped.then_some(self.tsval)
    }

    /// It is sent again with a packet of this TSval.
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

#[derive(Clone, Debug, Default)]
pub(super) struct Ranges {
    queue: VecDeque<Range>,
    /// End of the highest interval that was dropped for want of room.
    forgotten: i64,
    /// End of the highest hole ever opened: below it there may be one.
    holes_end: i64,
}

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

    pub(super) fn held_bytes(&self) -> usize {
        self.queue.capacity() * size_of::<Range>()
    }

    /// Below this nothing is remembered but that it was sent.
    pub(super) const fn forgotten(&self) -> i64 {
        self.forgotten
    }

    /// Drops everything below `ack` and tells what it was.
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

    /// The holes that end at or below `edge`.
    pub(super) fn holes(&mut self, edge: i64) -> impl Iterator<Item = &mut Range> {
        let edge = edge.min(self.holes_end);
        let holes = self.queue.iter_mut().take_while(move |r| r.end <= edge);
        holes.filter(|r| r.kind == RangeKind::Hole)
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
    /// there is no more room to split are left out.
    pub(super) fn isolate(&mut self, start: i64, end: i64) -> impl Iterator<Item = &mut Range> {
        let end = if start < end { end } else { i64::MIN };
        if start < end {
            self.split_at(start);
            self.split_at(end);
        }
        let first = self.index_of(start);
        let overlapping = self.queue.range_mut(first..).take_while(move |r| r.start < end);
        overlapping.filter(move |r| r.start >= start && r.end <= end)
    }

    /// The intervals that overlap `[start, end)`.
    pub(super) fn overlapping(&self, start: i64, end: i64) -> impl Iterator<Item = &Range> {
        let end = if start < end { end } else { i64::MIN };
        self.queue.range(self.index_of(start)..).take_while(move |r| r.start < end)
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

    fn split_at(&mut self, offset: i64) {
        let (index, room) = (self.index_of(offset), self.queue.len() < MOST);
        let Some(range) = self.queue.get_mut(index) else { return };
        if range.start < offset && room {
            let mut tail = *range;
            tail.start = offset;
            range.end = offset;
            self.queue.insert(index + 1, tail);
        }
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
