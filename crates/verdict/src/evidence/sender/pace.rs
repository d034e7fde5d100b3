//! Finds a sender that spaces its data evenly, as a pacer does (methods T8).

use airmile_track::Segment;
use airmile_types::{Duration, Instant, Maybe};

/// The number of successive intervals that agree with the one before each: three equal intervals and
/// the one that is judged are no chance.
const EVEN: u8 = 2;
/// BBR sends for a round trip at 1.25 and for the next at 0.75 of its rate
/// (draft-cardwell-iccrg-bbr-congestion-control-00 section 4.3.4.2): an interval may be five thirds as
/// long as the one before.
const SLOWER: f64 = 1.25 / 0.75;

/// The bits of the bursts around these intervals.
const BURSTS: u8 = (1 << (EVEN + 1)) - 1;

/// The bursts of a sender, which silences separate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// The time of the first packet of the newest burst, and the offset of its first byte.
    begin: (Maybe<Instant>, i64),
    /// The time that a byte took in the newest interval that agreed with the one before it, in
    /// nanoseconds; in the newest interval until enough agree.
    byte_ns: f32,
    /// The number of intervals that agree with that.
    even: u8,
    /// Which of the newest bursts ended in the middle of what the sender had; the newest is the lowest
    /// bit.
    had_more: u8,
}

impl Pace {
    /// Takes the first data after a silence; `had_more` says that the burst before it ended in the
    /// middle of what the sender had. Returns whether a pacer may have caused the silence: the interval
    /// is no longer than a byte took before.
    pub(super) fn take(&mut self, segment: &Segment<'_>, had_more: bool, clock: Duration) -> bool {
        let (since, start) = self.begin;
        self.begin = (segment.time.into(), segment.start);
        let bytes = segment.start - start;
        let Some(since) = since.get().filter(|_| bytes > 0) else { return false };
        self.had_more = (self.had_more << 1 | u8::from(had_more)) & BURSTS;
        let length = (segment.time - since).as_secs_f64();
        self.follow(length, bytes as f64, clock.as_secs_f64()) && self.had_more != 0
    }

    /// Takes the next interval and its bytes, and returns whether it is as long as the spacing allows
    /// that the intervals before it show. Only intervals that agree move the spacing, because a series
    /// of ever longer ones is no pacer's.
    fn follow(&mut self, length: f64, bytes: f64, clock: f64) -> bool {
        let expected = f64::from(self.byte_ns) * bytes / 1e9;
        let near = (expected / SLOWER - clock..=SLOWER * expected + clock).contains(&length);
        let agrees = near && (length - expected).abs() <= clock;
        let held = near && self.even >= EVEN;
        if agrees || !held {
            self.byte_ns = (length * 1e9 / bytes) as f32;
            self.even = if agrees { self.even.saturating_add(1) } else { 0 };
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(lengths_ms: &[u32]) -> Vec<bool> {
        let mut pace = Pace::default();
        lengths_ms.iter().map(|ms| pace.follow(f64::from(*ms) / 1e3, 1400.0, 0.001)).collect()
    }

    #[test]
    fn a_pacer_changes_its_rate_around_one_spacing() {
        assert_eq!(
            held(&[30, 30, 30, 30, 24, 40, 30]),
            [false, false, false, true, true, true, true]
        );
        assert_eq!(held(&[50, 30, 30, 30, 30]), [false, false, false, false, true]);
    }

    #[test]
    fn ever_longer_intervals_are_no_pacers() {
        let [.., slower, slower_still, slowest] = held(&[30, 30, 30, 30, 50, 83, 138])[..] else {
            panic!("there are seven intervals")
        };
        assert_eq!((slower, slower_still, slowest), (true, false, false));
    }
}
