//! Windows and ACKs as the sender knew them: one loop after they passed the tap (methods C6).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant, Maybe};

/// Edges remembered; beyond it the oldest are forgotten. An ACK for every second segment of 1 Gbps
/// over a loop of 300 ms needs 26,000.
const MOST: usize = 1 << 15;

#[derive(Clone, Copy, Debug)]
struct Edge {
    passed: Instant,
    /// The receiver's timestamp of the packet that announced it.
    tsval: u32,
    stamped: bool,
    closed: bool,
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

/// What a packet announces of its sender's receive window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announced {
    /// `None`: its scale is unknown.
    pub(super) bytes: Option<u32>,
    /// 0, which it is at any scale.
    pub(super) closed: bool,
}

/// The right edge of the receiver's window, never moving back (RFC 9293 section 3.8.6.2.1), and
/// its recent history.
#[derive(Clone, Debug)]
pub(super) struct Window {
    history: VecDeque<Edge>,
    /// Index of what the sender knew at its newest data: where to begin looking.
    hint: usize,
    /// ACK, right edge and closedness of the newest edge.
    ack: i64,
    right: Option<i64>,
    closed: bool,
    newest_bytes: Option<u32>,
    /// The time at which the second edge passed: once that is old, the first is forgotten. The last
    /// instant where there is no second.
    second: Instant,
}

airmile_types::held!(Window { history });

impl Default for Window {
    fn default() -> Self {
        Self {
            history: VecDeque::new(),
            hint: 0,
            ack: 0,
            right: None,
            closed: false,
            newest_bytes: None,
            second: Instant::MAX,
        }
    }
}

impl Window {
    /// An ACK with its window passes the tap; `None`: the window holds nobody any more.
    #[inline(always)]
    pub(super) fn announce(
        &mut self,
        ack: i64,
        announced: Option<Announced>,
        tsval: Option<u32>,
        now: Instant,
        loop_time: Duration,
    ) {
        let (mut right, mut closed) = (self.right, false);
        if let Some(announced) = announced {
            let bytes = announced.bytes;
            // An unknown scale makes the edge unknown, whatever a SYN's plain window said before.
            right = bytes.map(|bytes| {
                let edge = ack + i64::from(bytes);
                self.right.map_or(edge, |before| edge.max(before))
            });
            (self.newest_bytes, closed) = (bytes, announced.closed);
        }
        // What the sender knew to be old already; one loop more, for a path that grows.
        let horizon = now - (loop_time + loop_time) - Duration::from_millis(50);
        if self.second < horizon {
            self.forget(horizon);
        }
        let newest = (self.ack, self.right, self.closed);
        if newest != (ack, right, closed) || self.history.is_empty() {
            (self.ack, self.right, self.closed) = (ack, right, closed);
            let (value, stamped) = (tsval.unwrap_or(0), tsval.is_some());
            let right = right.into();
            self.push(Edge { passed: now, tsval: value, stamped, closed, ack, right });
        }
    }

    #[inline(always)]
    fn push(&mut self, edge: Edge) {
        if self.history.len() >= MOST {
            self.history.pop_front();
            self.note_second();
        }
        if self.history.len() == 1 {
            self.second = edge.passed;
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
    }

    #[inline]
    fn note_second(&mut self) {
        self.second = self.history.get(1).map_or(Instant::MAX, |second| second.passed);
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

    pub(super) fn ack_known(&self, at: Instant) -> Option<i64> {
        Some(self.known(at)?.ack)
    }

    /// The ACK that a sender knew at `at`, and its edge: no newer than the packet whose timestamp it
    /// echoes, for what was stamped later it had not heard of (RFC 7323 section 4.3).
    #[inline(always)]
    pub(super) fn heard(&mut self, at: Instant, tsecr: Option<u32>) -> Option<(i64, Option<i64>)> {
        self.hint = self.index_known(at);
        let edge = self.history.get(self.hint)?;
        let (ack, right) = (edge.ack, edge.right.get());
        match (right, tsecr) {
            (Some(right), Some(tsecr)) if edge.is_later(tsecr) => {
                let heard = self.right_before(tsecr, self.hint);
                Some((ack, Some(heard.map_or(right, |heard| heard.min(right)))))
            }
            _ => Some((ack, right)),
        }
    }

    /// The newest edge below `index` that was not stamped later than `tsecr`, else the oldest.
    #[cold]
    fn right_before(&self, tsecr: u32, index: usize) -> Option<i64> {
        let older = self.history.range(..index).rev();
        let heard = older.clone().find(|edge| !edge.is_later(tsecr));
        heard.or_else(|| self.history.front())?.right.get()
    }

    fn known(&self, at: Instant) -> Option<&Edge> {
        self.history.get(self.index_known(at))
    }

    /// Index of the newest edge that had passed at `at`; of the oldest when none had. Packets ask
    /// for nearly the same instant one after the other, so this looks around the last answer.
    #[inline(always)]
    fn index_known(&self, at: Instant) -> usize {
        let passed = |index: usize| self.history.get(index).is_some_and(|e| e.passed <= at);
        let mut index = self.hint.min(self.history.len().saturating_sub(1));
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

    /// Every edge that was ever announced, less those that two loops and 50 ms have made old.
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
                let announced = Announced { bytes, closed: bytes == Some(0) };
                if holds {
                    right = bytes.map(|bytes| (ack + i64::from(bytes)).max(right.unwrap_or(0)));
                }
                window.announce(ack, holds.then_some(announced), None, now, loop_time);
                naive.announce((ack, right, holds && announced.closed), now, loop_time);
                let at = now - loop_time;
                prop_assert_eq!(window.heard(at, None), naive.known(at));
                prop_assert_eq!(window.right(), right);
            }
        }
    }

    #[test]
    fn an_echo_tells_which_edge_was_heard_of() {
        let mut window = Window::default();
        let loop_time = Duration::from_millis(10);
        for (ms, ack, tsval) in [(0, 1, u32::MAX - 1), (20, 2001, 18), (25, 4001, 23)] {
            let announced = Announced { bytes: Some(4000), closed: false };
            let now = Instant::from_nanos(ms * 1_000_000);
            window.announce(ack, Some(announced), Some(tsval), now, loop_time);
        }
        let late = Instant::from_nanos(60_000_000);
        let mut right = |tsecr| window.heard(late, tsecr).and_then(|(_, right)| right);
        assert_eq!(right(None), Some(8001));
        assert_eq!(right(Some(23)), Some(8001));
        assert_eq!(right(Some(22)), Some(6001));
        // Timestamps wrap; what is older than all that is remembered counts as the oldest.
        assert_eq!(right(Some(3)), Some(4001));
        assert_eq!(right(Some(u32::MAX - 9)), Some(4001));
    }
}
