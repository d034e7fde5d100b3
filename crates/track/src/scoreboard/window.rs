//! Finds the windows and ACKs that the sender knew: those that passed the capture point at least
//! one round trip between capture point and sender ago (methods C6).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant, Maybe};

/// The greatest number of edges remembered; beyond it the oldest are forgotten. ACKs of every
/// second segment at 1 Gbps with a round trip of 300 ms need 26,000.
const MOST: usize = 1 << 15;

#[derive(Clone, Copy, Debug)]
struct Edge {
    passed: Instant,
    /// The receiver's timestamp in the packet that announced the edge.
    tsval: u32,
    stamped: bool,
    closed: bool,
    /// The window as it was announced, without its scale.
    field: u16,
    ack: i64,
    right: Maybe<i64>,
}

const _: () = assert!(size_of::<Edge>() <= 32, "a sender has one for each ACK of a round trip");

impl Edge {
    #[inline]
    fn is_later(&self, tsecr: u32) -> bool {
        self.stamped && self.tsval.wrapping_sub(tsecr) as i32 > 0
    }
}

/// What the sender had heard of its receiver at some instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) ack: i64,
    /// The right edge; none if the scale is unknown.
    pub(super) right: Maybe<i64>,
    /// The ACK and the window field of the packet that announced the edge.
    pub(super) announced: (i64, u16),
}

/// The receive window that a packet announces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announced {
    /// The size in bytes; `None` if the scale is unknown.
    pub(super) bytes: Option<u32>,
    /// Whether the window is 0, which needs no scale.
    pub(super) closed: bool,
    /// The window without its scale.
    pub(super) field: u16,
}

/// The right edge of the receiver's window, which never moves back (RFC 9293 section 3.8.6.2.1),
/// and its recent history.
#[derive(Clone, Debug)]
pub(super) struct Window {
    history: VecDeque<Edge>,
    /// The index of the edge that the sender knew at its newest data, where the next search begins.
    hint: u32,
    /// The time at which the edge after that one passed; the last instant if there is none.
    next: Instant,
    /// ACK and right edge of the newest edge, and whether its window is closed.
    ack: i64,
    right: Option<i64>,
    closed: bool,
    /// The newest window without its scale.
    field: u16,
    newest_bytes: Option<u32>,
    /// The time at which the second edge of the history passed; once that is old, the first edge is
    /// forgotten. The last instant if there is no second edge.
    second: Instant,
}

airmile_types::held!(Window { history });

impl Default for Window {
    fn default() -> Self {
        Self {
            history: VecDeque::new(),
            hint: 0,
            next: Instant::MAX,
            ack: 0,
            right: None,
            closed: false,
            field: 0,
            newest_bytes: None,
            second: Instant::MAX,
        }
    }
}

impl Window {
    /// Notes an ACK and its window. `None` means that the window no longer limits the sender.
    #[inline(always)]
    pub(super) fn announce(
        &mut self,
        ack: i64,
        announced: Option<Announced>,
        tsval: Option<u32>,
        now: Instant,
        loop_time: Duration,
    ) {
        let (mut right, mut closed, mut field) = (self.right, false, self.field);
        if let Some(announced) = announced {
            let bytes = announced.bytes;
            // If the scale is unknown the edge is unknown too, even if the unscaled window of a SYN
            // gave an edge before.
            right = bytes.map(|bytes| {
                let edge = ack + i64::from(bytes);
                self.right.map_or(edge, |before| edge.max(before))
            });
            (self.newest_bytes, closed, field) = (bytes, announced.closed, announced.field);
        }
        // Edges that passed before this time are out of date for the sender. One more round trip is
        // added in case the path becomes longer.
        let horizon = now - (loop_time + loop_time) - Duration::from_millis(50);
        if self.second < horizon {
            self.forget(horizon);
        }
        let newest = (self.ack, self.right, self.closed);
        // The field matters only where no scale gives the edge.
        let same = newest == (ack, right, closed) && (right.is_some() || self.field == field);
        self.field = field;
        if !same || self.history.is_empty() {
            (self.ack, self.right, self.closed) = (ack, right, closed);
            let (value, stamped) = (tsval.unwrap_or(0), tsval.is_some());
            let right = right.into();
            self.push(Edge { passed: now, tsval: value, stamped, closed, field, ack, right });
        }
    }

    #[inline(always)]
    fn push(&mut self, edge: Edge) {
        if self.history.len() >= MOST {
            self.history.pop_front();
            self.note_second();
            self.next = self.passed(self.after_hint());
        }
        if self.history.len() == 1 {
            self.second = edge.passed;
        }
        if self.history.len() == self.after_hint() {
            self.next = edge.passed;
        }
        self.history.push_back(edge);
    }

    #[inline(never)]
    fn forget(&mut self, horizon: Instant) {
        while self.second < horizon {
            self.history.pop_front();
            self.hint = self.hint.saturating_sub(1);
            self.note_second();
        }
        self.next = self.passed(self.after_hint());
    }

    #[inline]
    fn note_second(&mut self) {
        self.second = self.passed(1);
    }

    #[inline]
    const fn after_hint(&self) -> usize {
        self.hint as usize + 1
    }

    /// The time at which an edge of the history passed; the last instant if there is no such edge.
    #[inline]
    fn passed(&self, index: usize) -> Instant {
        self.history.get(index).map_or(Instant::MAX, |edge| edge.passed)
    }

    pub(super) const fn right(&self) -> Option<i64> {
        self.right
    }

    pub(super) const fn newest_bytes(&self) -> Option<u32> {
        self.newest_bytes
    }

    pub(super) const fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn closed_known(&self, at: Instant) -> bool {
        self.known(at).is_some_and(|edge| edge.closed)
    }

    pub(super) fn right_known(&self, at: Instant) -> Option<i64> {
        self.known(at)?.right.get()
    }

    /// The time at which the first edge at `wanted` or above passed, among those of the history.
    pub(super) fn passed_with(&self, wanted: i64) -> Option<Instant> {
        let below = |edge: &Edge| edge.right.get().is_none_or(|right| right < wanted);
        self.history.get(self.history.partition_point(below)).map(|edge| edge.passed)
    }

    /// The ACK and the window field that the sender knew at `at`.
    pub(super) fn announced_known(&self, at: Instant) -> Option<(i64, u16)> {
        self.known(at).map(|edge| (edge.ack, edge.field))
    }

    /// The newest ACK and its window field; `None` before the first ACK.
    pub(super) fn announced(&self) -> Option<(i64, u16)> {
        (!self.history.is_empty()).then_some((self.ack, self.field))
    }

    pub(super) fn ack_known(&self, at: Instant) -> Option<i64> {
        Some(self.known(at)?.ack)
    }

    /// The ACK and the edge that the sender knew at `at`. They are not newer than the packet whose
    /// timestamp the sender echoes, because the sender had not received packets with later
    /// timestamps (RFC 7323 section 4.3).
    #[inline(always)]
    pub(super) fn heard(&mut self, at: Instant, tsecr: Option<u32>) -> Option<Heard> {
        self.seek(at);
        let edge = self.history.get(self.hint as usize)?;
        let heard = Heard { ack: edge.ack, right: edge.right, announced: (edge.ack, edge.field) };
        match tsecr {
            Some(tsecr) if edge.is_later(tsecr) => Some(self.limited(heard, tsecr)),
            _ => Some(heard),
        }
    }

    /// The same with the edge of the newest packet whose timestamp is not later than `tsecr`; with
    /// the oldest edge if there is none.
    #[cold]
    fn limited(&self, heard: Heard, tsecr: u32) -> Heard {
        let older = self.history.range(..self.hint as usize).rev();
        let before = older.clone().find(|edge| !edge.is_later(tsecr));
        let Some(before) = before.or_else(|| self.history.front()) else { return heard };
        // None is less than any edge, and stays none.
        let right =
            if before.right.is_some() { heard.right.min(before.right) } else { heard.right };
        Heard { right, announced: (before.ack, before.field), ..heard }
    }

    fn known(&self, at: Instant) -> Option<&Edge> {
        self.history.get(self.index_known(at))
    }

    /// Moves the hint to the newest edge that had passed at `at`. That is mostly the edge that it
    /// already shows, or the next one.
    #[inline(always)]
    fn seek(&mut self, at: Instant) {
        if at < self.next {
            if self.history.get(self.hint as usize).is_some_and(|edge| at < edge.passed) {
                self.seek_back(at);
            }
            return;
        }
        while self.next <= at && self.after_hint() < self.history.len() {
            self.hint += 1;
            self.next = self.passed(self.after_hint());
        }
    }

    #[inline(never)]
    #[expect(clippy::cast_possible_truncation, reason = "an index of at most `MOST` edges")]
    fn seek_back(&mut self, at: Instant) {
        self.hint = self.index_known(at) as u32;
        self.next = self.passed(self.after_hint());
    }

    /// The index of the newest edge that had passed at `at`; of the oldest edge if none had.
    /// Successive packets ask for nearly the same instant, so the search begins at the last result.
    #[inline(always)]
    fn index_known(&self, at: Instant) -> usize {
        let passed = |index: usize| self.history.get(index).is_some_and(|e| e.passed <= at);
        let mut index = (self.hint as usize).min(self.history.len().saturating_sub(1));
        if passed(index + 1) {
            index += 1;
            while passed(index + 1) {
                index += 1;
            }
            return index;
        }
        while index > 0 && !passed(index) {
            index -= 1;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All edges that were ever announced, except those older than two round trips and 50 ms.
    #[derive(Default)]
    struct Naive(Vec<(Instant, i64, Option<i64>, bool)>);

    impl Naive {
        fn announce(
            &mut self,
            announced: (i64, Option<i64>, bool),
            now: Instant,
            loop_time: Duration,
        ) {
            let horizon = now - loop_time.times(2) - Duration::from_millis(50);
            while self.0.len() > 1 && self.0[1].0 < horizon {
                self.0.remove(0);
            }
            if self.0.last().is_none_or(|edge| (edge.1, edge.2, edge.3) != announced) {
                self.0.push((now, announced.0, announced.1, announced.2));
            }
        }

        fn known(&self, at: Instant) -> Option<(i64, Option<i64>)> {
            let passed = self.0.iter().rev().find(|edge| edge.0 <= at);
            passed.or(self.0.first()).map(|edge| (edge.1, edge.2))
        }
    }

    proptest! {
        #[test]
        fn a_window_remembers_what_a_list_of_all_edges_does(
            packets in prop::collection::vec(
                (0i64..40_000, 0i64..3, prop::option::of(0u32..3), 0i64..60, any::<bool>()),
                1..200,
            ),
        ) {
            let (mut window, mut naive) = (Window::default(), Naive::default());
            let (mut now, mut ack, mut right) = (Instant::default(), 1, None);
            for (after_us, step, bytes, loop_ms, holds) in packets {
                now = now + Duration::from_micros(after_us);
                ack += step;
                let loop_time = Duration::from_millis(loop_ms);
                let announced = Announced { bytes, closed: bytes == Some(0), field: 0 };
                if holds {
                    right = bytes.map(|bytes| (ack + i64::from(bytes)).max(right.unwrap_or(0)));
                }
                window.announce(ack, holds.then_some(announced), None, now, loop_time);
                naive.announce((ack, right, holds && announced.closed), now, loop_time);
                let at = now - loop_time;
                let heard = window.heard(at, None).map(|heard| (heard.ack, heard.right.get()));
                prop_assert_eq!(heard, naive.known(at));
                prop_assert_eq!(window.right(), right);
            }
        }
    }

    #[test]
    fn an_echo_shows_which_edge_was_heard_of() {
        let mut window = Window::default();
        let loop_time = Duration::from_millis(10);
        for (ms, ack, tsval) in [(0, 1, u32::MAX - 1), (20, 2001, 18), (25, 4001, 23)] {
            let announced = Announced { bytes: Some(4000), closed: false, field: 0 };
            let now = Instant::from_nanos(ms * 1_000_000);
            window.announce(ack, Some(announced), Some(tsval), now, loop_time);
        }
        let late = Instant::from_nanos(60_000_000);
        let mut right = |tsecr| window.heard(late, tsecr).and_then(|heard| heard.right.get());
        assert_eq!(right(None), Some(8001));
        assert_eq!(right(Some(23)), Some(8001));
        assert_eq!(right(Some(22)), Some(6001));
        // Timestamps wrap around; a timestamp older than all those remembered counts as the oldest.
        assert_eq!(right(Some(3)), Some(4001));
        assert_eq!(right(Some(u32::MAX - 9)), Some(4001));
    }
}
