//! How the uplink packets of a phone pass: one after the other, or after a pause.

use airmile_types::{Duration, Instant};

/// How long a scheduling request, its grant and a HARQ round take (TS 36.213 table 10.1.5-1: every
/// 5 to 80 ms, 10 to 20 in use). What passes within this time after a pause waited for the grant.
pub(super) const GRANT: Duration = Duration::from_millis(20);

/// Packets that pass one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passing {
    began: Option<Instant>,
    last: Option<Instant>,
    /// What waited for the first grant; it is a queue if packets go on passing after it.
    held: Option<QueueSpan>,
}

/// A packet, and how long it had waited.
pub(super) type Waited = (Instant, Duration);

/// The time span in which there was a queue: its begin and its end.
pub(super) type QueueSpan = (Instant, Instant);

impl Passing {
    /// Takes a packet that passes. Gives the time span of the queue in which it waited, if it waited for
    /// `least`.
    ///
    /// A packet follows another when it was there before that one had passed, or no later than a
    /// grant. A lone packet that waits for its grant is not a queue, nor are those that pass within
    /// `least` after it.
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
