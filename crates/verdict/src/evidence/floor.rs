//! Distinguishes a path that has become longer from a queue.
//!
//! A packet that comes after a pause longer than its own wait found nothing of the phone in the
//! queue: the packet before it had already passed when it came there. Whatever delayed it is no
//! queue of the phone. When a period has several such packets, and no packet of the period waited
//! less than they did, their wait belongs to the path. On a slow link it may be the time that a
//! packet itself takes; then no two packets of the period come in closer succession.

use airmile_types::{Duration, Instant};

use super::passing::Waited;

/// The length of a period: that of a step of a timestamp clock, whose least delay this corrects.
const PERIOD: Duration = Duration::from_millis(250);
/// The number of packets that must have found the queue empty. A HARQ round or a measurement gap
/// delays one of them, hardly each of three.
const LONE: u32 = 3;
/// A packet waits for its turn of 1 ms, and a clock of 1 ms may misread its wait by as much; the
/// waits here are what is above both.
pub(super) const TURN: Duration = Duration::from_millis(2);

/// How much longer the path is than its base.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floor {
    risen: Duration,
    /// The begin of the period.
    began: Instant,
    /// The time of the newest packet.
    last: Option<Instant>,
    /// The least wait in the period, and the least time between two packets.
    least: Duration,
    least_gap: Duration,
    /// The number of packets of the period that found the queue empty, and their least wait.
    lone: u32,
    least_lone: Duration,
}

impl Default for Floor {
    fn default() -> Self {
        Self {
            risen: Duration::ZERO,
            began: Instant::from_nanos(0),
            last: None,
            least: Duration::MAX,
            least_gap: Duration::MAX,
            lone: 0,
            least_lone: Duration::MAX,
        }
    }
}

/// What a packet waited above the floor, and whether it found nothing of the phone in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Above {
    pub(super) wait: Duration,
    pub(super) lone: bool,
}

impl Floor {
    /// Takes the wait of a packet above the base, less the jitter of the path.
    #[inline(always)]
    pub(super) fn take(&mut self, (now, wait): Waited) -> Above {
        if !(Duration::ZERO..PERIOD).contains(&(now - self.began)) {
            self.settle(now);
        }
        self.risen = self.risen.min(wait.max(Duration::ZERO));
        let above = wait - self.risen;
        let gap = self.last.map_or(Duration::ZERO, |last| now - last);
        let lone = gap > above.max(Duration::ZERO) + TURN;
        if self.last.is_some() {
            self.least_gap = self.least_gap.min(gap);
        }
        self.last = Some(now);
        self.least = self.least.min(above);
        if lone {
            self.lone += 1;
            self.least_lone = self.least_lone.min(above);
        }
        Above { wait: above, lone }
    }

    /// How much longer the path has become.
    pub(super) const fn risen(&self) -> Duration {
        self.risen
    }

    /// The floor of packets that passed before those taken so far, the first of them at `first`.
    pub(super) fn earlier(&self, first: Instant) -> Self {
        Self { last: self.last.filter(|last| *last <= first), ..Self::default() }
    }

    /// Ends the period: raises the floor where the path has become longer.
    #[cold]
    fn settle(&mut self, now: Instant) {
        let none_less = self.least > Duration::ZERO && self.least_lone - self.least <= TURN;
        if self.lone >= LONE && none_less && self.least - TURN > self.least_gap {
            self.risen += self.least;
        }
        let (risen, last) = (self.risen, self.last.filter(|last| *last <= now));
        *self = Self { risen, began: now, last, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The waits above the floor of pairs of packets that come every `gap` and wait for 15 ms.
    fn above(gap: i64, within: i64) -> Vec<i64> {
        let mut floor = Floor::default();
        let mut take = |ms: i64| {
            let now = Instant::from_nanos(ms * 1_000_000);
            floor.take((now, Duration::from_millis(15))).wait.as_nanos() / 1_000_000
        };
        (0..1000 / gap).flat_map(|i| [take(i * gap), take(i * gap + within)]).collect()
    }

    #[test]
    fn what_delays_packets_that_find_the_queue_empty_is_the_path() {
        assert_eq!(above(20, 1).last(), Some(&0));
        assert_eq!(above(20, 1).first(), Some(&15));
        assert_eq!(above(16, 1).last(), Some(&15), "each is behind the one before");
        assert_eq!(above(40, 20).last(), Some(&15), "each may take as long itself");
    }

    #[test]
    fn a_path_that_becomes_shorter_shows_at_once() {
        let mut floor = Floor { risen: Duration::from_millis(15), ..Floor::default() };
        let above = floor.take((Instant::from_nanos(1), Duration::from_millis(2)));
        assert_eq!(above.wait, Duration::ZERO);
        let above = floor.take((Instant::from_nanos(2), Duration::from_millis(9)));
        assert_eq!(above, Above { wait: Duration::from_millis(7), lone: false });
    }
}
