//! Finds a short queue before the capture point that never empties: all packets wait in it without
//! a pause, for longer than a grant and a HARQ round take.
//!
//! A HARQ round delays only the packets of its 8 ms, and a grant only the first packet after a
//! pause, but a queue delays all packets. So the least wait of a period is the wait in the queue.
//! When a window or an application sends in rounds, there are pauses, or some packet comes on time.

use airmile_types::Duration;

use super::passing::QueueSpan;
use super::passing::Waited;
use super::stretch::Stretch;

/// A HARQ round and a wait for its slot (TS 36.213 section 8: 8 ms).
const STRETCH: Duration = Duration::from_millis(10);
/// A wait shorter than a HARQ round is jitter.
pub(super) const SHORTEST_QUEUE: Duration = Duration::from_millis(8);
/// A queue that lasts for less than most of a slice may be a burst.
const LASTS: Duration = Duration::from_millis(80);

/// The newest stretches of time in which packets passed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ShortQueue {
    /// The newest complete stretches, the newest last.
    over: [Option<Stretch>; 3],
    current: Option<Stretch>,
    lasting: Option<QueueSpan>,
}

impl ShortQueue {
    /// Takes a packet that passes; returns the begin and the end of the queue once it has lasted
    /// long enough.
    #[inline(always)]
    pub(super) fn take(&mut self, (now, wait): Waited) -> Option<QueueSpan> {
        match &mut self.current {
            Some(current) if current.holds(now, STRETCH) => {
                current.take(now, wait);
                None
            }
            _ => self.begin((now, wait)),
        }
    }

    /// Takes the first packet of a stretch.
    #[inline(never)]
    fn begin(&mut self, (now, wait): Waited) -> Option<QueueSpan> {
        let [_, middle, newest] = self.over;
        self.over = [middle, newest, self.current];
        self.current = Some(Stretch::new(now, wait, STRETCH));
        self.settle()
    }

    /// Returns the queue if all packets of the middle stretch and of its two neighbours waited.
    fn settle(&mut self) -> Option<QueueSpan> {
        let [Some(before), Some(middle), Some(after)] = self.over else { return None };
        let adjoin = after.begin - before.begin == STRETCH.times(2);
        let least = before.least.min(middle.least).min(after.least);
        if !adjoin || least < SHORTEST_QUEUE {
            return None;
        }
        let from = middle.first - least;
        let joined = self.lasting.filter(|(_, to)| from <= *to).map_or(from, |(from, _)| from);
        self.lasting = Some((joined, middle.last));
        (middle.last - joined >= LASTS).then_some((joined, middle.last))
    }
}

#[cfg(test)]
mod tests {
    use airmile_types::Instant;

    use super::*;

    fn lasting(packets: impl Iterator<Item = (i64, i64)>) -> Option<(i64, i64)> {
        let mut queue = ShortQueue::default();
        let at = |ms: i64| Instant::from_nanos(ms * 1_000_000);
        let ms = |at: Instant| at.as_nanos() / 1_000_000;
        let spans =
            packets.filter_map(|(now, wait)| queue.take((at(now), Duration::from_millis(wait))));
        spans.last().map(|(from, to)| (ms(from), ms(to)))
    }

    #[test]
    fn what_all_packets_wait_in_for_long_enough_is_a_queue() {
        assert_eq!(lasting((0..60).map(|i| (5 * i, 12))), Some((-2, 275)));
        assert_eq!(lasting((0..12).map(|i| (5 * i, 12))), None, "too short");
        assert_eq!(lasting((0..60).map(|i| (5 * i, 7))), None, "a HARQ round");
        assert_eq!(lasting((0..60).map(|i| (5 * i, if i % 4 == 0 { 0 } else { 25 }))), None);
        assert_eq!(lasting((0..60).map(|i| (5 * i + i / 6 * 20, 25))), None, "in rounds");
    }
}
