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

/// The bursts of a sender, which silences separate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// The time of the first packet of the newest burst, and the offset of its first byte.
    begin: (Maybe<Instant>, i64),
    /// The time that a byte took in the interval before, in nanoseconds.
    byte_ns: f32,
    /// The number of successive intervals that agree with the one before each.
    even: u8,
    /// Whether one of these bursts ended in the middle of what the sender had.
    had_more: bool,
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
        let (length, clock) = ((segment.time - since).as_secs_f64(), clock.as_secs_f64());
        let expected = f64::from(self.byte_ns) * bytes as f64 / 1e9;
        let (slower, faster) = (SLOWER * expected + clock, expected / SLOWER - clock);
        self.byte_ns = (length * 1e9 / bytes as f64) as f32;
        if !(faster..=slower).contains(&length) {
            (self.even, self.had_more) = (0, false);
            return false;
        }
        self.had_more |= had_more;
        let held = self.even >= EVEN && self.had_more;
        self.even = self.even.saturating_add(u8::from((length - expected).abs() <= clock));
        held
    }
}
