//! Decides whether the uplink packets of a phone pass in close succession or after a pause.

use airmile_types::{Duration, Instant};

/// A HARQ round and a wait for its slot (TS 36.213 section 8: 8 ms) are no pause.
pub(super) const PAUSE: Duration = Duration::from_millis(10);

/// The time that a scheduling request, its grant and a HARQ round take together (TS 36.213 table
/// 10.1.5-1: a request is possible every 5 to 80 ms; 10 to 20 ms are in use). A packet that passes
/// within this time after a pause waited for its grant.
pub(super) const GRANT: Duration = Duration::from_millis(20);

/// A series of packets that pass in close succession.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passing {
    began: Option<Instant>,
    last: Option<Instant>,
    /// The wait of the packets that waited for the first grant. It becomes a queue if packets
    /// continue to pass after it.
    held: Option<QueueSpan>,
}

/// The time at which a packet passed, and how long it had waited.
pub(super) type Waited = (Instant, Duration);

/// The begin and the end of a time span in which there was a queue.
pub(super) type QueueSpan = (Instant, Instant);

impl Passing {
    /// Takes a packet that passes. Returns the time span of the queue if the packet waited in one
    /// for at least `least`.
    ///
    /// A packet continues the series when it was ready to send before the previous packet had
    /// passed, or at most a grant later. A single packet that waits for its grant is not in a
    /// queue, and neither are the packets that pass within `least` after it.
    pub(super) fn take(&mut self, (now, wait): Waited, least: Duration) -> Option<QueueSpan> {
        let follows = self.last.is_some_and(|last| now - wait <= last || now - last <= GRANT);
        let began = self.began.filter(|_| follows).unwrap_or(now);
        self.held = self.held.filter(|_| follows);
        (self.began, self.last) = (Some(began), Some(now));
        if wait < least {
            return None;
        }
        let from = self.held.map_or(now - wait, |(from, _)| from.min(now - wait));
        self.held = (now - began <= least.max(GRANT)).then_some((from, now));
        self.held.is_none().then_some((from, now))
    }

    /// The time at which the newest packet passed.
    pub(super) const fn last(&self) -> Option<Instant> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn spans(packets: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let mut passing = Passing::default();
        let least = Duration::from_millis(30);
        let ms = |at: Instant| at.as_nanos() / 1_000_000;
        let span = |(now, wait)| passing.take((at(now), Duration::from_millis(wait)), least);
        packets.iter().copied().filter_map(span).map(|(from, to)| (ms(from), ms(to))).collect()
    }

    #[test]
    fn a_lone_packet_is_no_queue_and_a_burst_only_if_it_lasts() {
        assert_eq!(spans(&[(0, 0), (300, 150), (600, 60)]), []);
        assert_eq!(spans(&[(0, 0), (300, 60), (310, 65), (320, 70)]), []);
        assert_eq!(spans(&[(0, 0), (300, 60), (310, 65), (320, 70), (331, 70)]), [(240, 331)]);
    }

    #[test]
    fn what_was_there_before_the_last_one_passed_is_behind_it() {
        assert_eq!(spans(&[(0, 0), (300, 40), (500, 230), (700, 420)]), [(260, 500), (280, 700)]);
    }
}
