//! Finds short queues of uplink data from the waits of all packets of a series (methods B8).
//!
//! The first packet after a pause waits for its grant, and so do those that come with it. In a
//! series that goes on, the grants go on too, and a wait beyond the path's jitter is a queue. A
//! series ends with a packet that found the queue empty after a pause: nothing of the phone passed
//! while it waited.

use airmile_types::{Duration, Instant};

use super::bits::Mask;
use super::floor::TURN;
use super::passing::{PAUSE, Waited};
use super::standing::Standing;
use super::timeline::Timeline;

/// A series that has lasted for less than most of a slice may be a burst that waits for a grant.
const LASTS: Duration = Duration::from_millis(80);

/// The times at which the uplink packets of a series waited, and those at which all of them did.
#[derive(Clone, Debug, Default)]
pub(super) struct FineUplink {
    began: Option<Instant>,
    last: Option<Instant>,
    spans: Timeline,
    standing: Standing,
}

airmile_types::held!(FineUplink { spans, standing });

impl FineUplink {
    /// Takes a packet that passed the queue, with its wait beyond the jitter of the path. It came
    /// to the queue at `sent` by the clock of the capture point.
    pub(super) fn take(&mut self, (passed, wait): Waited, sent: Instant) {
        let gap = self.last.map_or(Duration::MAX, |last| passed - last);
        let lone = gap > wait.max(Duration::ZERO) + TURN;
        if lone && gap > PAUSE {
            self.began = Some(passed);
        }
        // What found the queue empty waited for a grant.
        let wait = if lone { Duration::ZERO } else { wait.max(Duration::ZERO) };
        self.last = Some(passed);
        if self.began.is_some_and(|began| passed - began >= LASTS) {
            self.standing.note(sent, wait);
            self.spans.mark(sent, sent + wait);
        }
    }

    /// The times at which a packet waited.
    pub(super) fn at(&self, bin: i64) -> Mask {
        self.spans.at(bin)
    }

    /// The times at which even the quickest packets waited.
    pub(super) fn standing_at(&self, bin: i64) -> Mask {
        self.standing.at(bin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The milliseconds of the first second in which packets waited that come every `gap`, of which
    /// each `rest`th comes after a rest of 30 ms.
    fn waited(gap: i64, wait: i64, rest: i64) -> u32 {
        let mut fine = FineUplink::default();
        let at = |ms: i64| Instant::from_nanos(ms * 1_000_000);
        for i in 0..1000 / gap {
            let now = i * gap + i / rest * 30;
            fine.take((at(now), Duration::from_millis(wait)), at(now - wait));
        }
        (0..10).map(|bin| fine.at(bin).count_ones()).sum()
    }

    #[test]
    fn a_series_without_a_pause_shows_a_short_queue() {
        assert!(waited(2, 3, 1000) > 850);
        assert_eq!(waited(2, 0, 1000), 0);
    }

    #[test]
    fn a_burst_that_waits_for_its_grant_shows_none() {
        assert_eq!(waited(2, 12, 20), 0);
        assert_eq!(waited(30, 12, 1000), 0);
    }
}
