//! Measures by how much the round trips of a path differ where no packet of it waits behind another.
//!
//! Over a radio they differ by a HARQ round and the wait for a grant; over a wire by far less, and then a
//! shorter queue shows.

use airmile_types::{Duration, Instant, Maybe};

/// The number of packets alone on the path that show its jitter. A HARQ round delays every tenth of
/// them (TS 36.213 section 7: the target for first transmissions), so it is hardly missed by all.
const ALONE: u8 = 32;
/// The time that they span at the least. At walking pace a channel keeps its state for a tenth of a second
/// (TS 36.101 annex B.2: 5 Hz of Doppler), so that packets in fewer than twenty such states may all
/// have met a good one.
const SPAN: Duration = Duration::from_secs(2);
/// A path whose jitter is a HARQ round or more (TS 36.213 section 8: 8 ms) may have a radio.
const HARQ_ROUND: Duration = Duration::from_millis(8);

/// The least and the greatest round trip of packets alone on their path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jitter {
    packets: u8,
    /// The times of the first packet and of the newest.
    since: Maybe<Instant>,
    until: Instant,
    least: Duration,
    most: Duration,
}

impl Default for Jitter {
    fn default() -> Self {
        Self {
            packets: 0,
            since: Maybe::default(),
            until: Instant::MIN,
            least: Duration::MAX,
            most: Duration::ZERO,
        }
    }
}

impl Jitter {
    /// Takes the round trip of a packet that had nothing before it.
    pub(super) fn take(&mut self, now: Instant, round_trip: Duration) {
        self.since.get_or_insert(now);
        self.until = now;
        self.packets = self.packets.saturating_add(1);
        self.least = self.least.min(round_trip);
        self.most = self.most.max(round_trip);
    }

    /// By how much round trips differ without a queue; `None` while too few show it, and where it is no
    /// less than a radio's.
    pub(super) fn known(&self) -> Option<Duration> {
        let since = self.since.get().filter(|_| self.packets >= ALONE)?;
        let jitter = self.most - self.least;
        (self.until - since >= SPAN && jitter < HARQ_ROUND).then_some(jitter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(every_ms: i64, round_trips: impl Iterator<Item = i64>) -> Option<i64> {
        let mut jitter = Jitter::default();
        for (us, number) in round_trips.zip(0..) {
            let now = Instant::from_nanos(number * every_ms * 1_000_000);
            jitter.take(now, Duration::from_nanos(us * 1_000));
        }
        jitter.known().map(|jitter| jitter.as_nanos() / 1_000)
    }

    #[test]
    fn a_wire_is_distinguished_from_a_radio() {
        assert_eq!(known(100, (0..32).map(|i| 30_000 + i % 3 * 100)), Some(200));
        assert_eq!(known(100, (0..31).map(|_| 30_000)), None, "too few");
        assert_eq!(known(50, (0..32).map(|_| 30_000)), None, "too soon");
        assert_eq!(known(100, (0..32).map(|i| 30_000 + i % 10 / 9 * 8_000)), None, "HARQ rounds");
    }
}
