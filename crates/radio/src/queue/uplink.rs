//! Finds when data waited in the phone for the uplink, from the grants that took the data.

use airmile_read::modem::{Tti, User};
use airmile_types::{Duration, Instant};

use crate::spans::TimeSpans;
use crate::tti::TtiScope;

/// The times when the phone's queue for the uplink was not empty, and the times when that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UplinkQueue {
    /// The times when the queue was not empty.
    pub backlogged: TimeSpans,
    /// The times when the state of the queue is known.
    pub known: TimeSpans,
}

/// If no grant comes for this long, the phone has sent another scheduling request (TS 36.331
/// section 6.3.2: the longest common periods of scheduling requests are 80 ms, and four HARQ
/// transmissions take 32 ms more). A log that shows no grant then has a gap, or the phone lost its
/// cell.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// Finds when the queue for the uplink was not empty. A grant without padding leaves data behind
/// until the next grant. A grant with padding took all data (TS 36.321 section 5.4.3.1: padding
/// comes after all data). The wait for the first grant does not count as a queue. Blocks must be in
/// the order of time.
pub fn uplink_queue<'a>(user: User, ttis: impl IntoIterator<Item = &'a Tti>) -> UplinkQueue {
    let mut queue = GrantSpans::default();
    let scope = TtiScope::uplink(user);
    for tti in ttis.into_iter().filter(|tti| scope.holds(tti)) {
        queue.take(tti);
    }
    queue.finish()
}

#[derive(Default)]
struct GrantSpans {
    backlogged: Vec<(Instant, Instant)>,
    known: Vec<(Instant, Instant)>,
    /// The last grant, and whether it had no padding; `None` if that is not known.
    last: Option<(Instant, Option<bool>)>,
}

impl GrantSpans {
    fn take(&mut self, tti: &Tti) {
        // A HARQ retransmission takes no further data out of the queue.
        if tti.retransmission == Some(true) {
            return;
        }
        let filled = tti.padding_bytes.map(|bytes| bytes == 0);
        if let Some((before, was_filled)) = self.last {
            self.between(before, was_filled, tti.time);
        }
        self.last = Some((tti.time, filled));
    }

    fn between(&mut self, from: Instant, filled: Option<bool>, to: Instant) {
        match filled {
            Some(true) if to - from <= LONGEST_WAIT => {
                self.backlogged.push((from, to));
                self.known.push((from, to));
            }
            Some(false) => self.known.push((from, to)),
            _ => {}
        }
    }

    fn finish(self) -> UplinkQueue {
        UplinkQueue {
            backlogged: TimeSpans::union(self.backlogged),
            known: TimeSpans::union(self.known),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airmile_read::modem::Rnti;
    use airmile_types::Direction;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn grant(ms: i64, padding_bytes: Option<u32>) -> Tti {
        Tti {
            rnti: Rnti::C,
            direction: Direction::Uplink,
            prbs: Some(10),
            tbs_bytes: Some(500),
            retransmission: Some(false),
            padding_bytes,
            ..Tti::plain(at(ms), ms, User(0), "test")
        }
    }

    fn spans(spans: &[(i64, i64)]) -> TimeSpans {
        TimeSpans::union(spans.iter().map(|(from, to)| (at(*from), at(*to))).collect())
    }

    #[test]
    fn a_filled_grant_leaves_data_behind_until_one_with_padding() {
        let grants =
            [grant(10, Some(0)), grant(18, Some(0)), grant(26, Some(40)), grant(90, Some(3))];
        let queue = uplink_queue(User(0), &grants);
        assert_eq!(queue.backlogged, spans(&[(10, 26)]));
        assert_eq!(queue.known, spans(&[(10, 90)]));
    }

    #[test]
    fn a_long_silence_after_a_filled_grant_is_unknown() {
        let queue =
            uplink_queue(User(0), &[grant(10, Some(0)), grant(400, Some(0)), grant(404, None)]);
        assert_eq!(queue.backlogged, spans(&[(400, 404)]));
        assert_eq!(queue.known, spans(&[(400, 404)]));
    }

    #[test]
    fn a_retransmission_and_a_grant_of_unknown_padding_show_nothing() {
        let again = Tti { retransmission: Some(true), ..grant(18, Some(0)) };
        let queue =
            uplink_queue(User(0), &[grant(10, Some(5)), again, grant(30, None), grant(40, None)]);
        assert_eq!(queue.backlogged, TimeSpans::default());
        assert_eq!(queue.known, spans(&[(10, 30)]));
    }
}
