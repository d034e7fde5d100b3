//! Finds out whether a sender whose packets carry no timestamps is at the capture point (methods
//! A11).

use airmile_types::{Duration, Instant, Maybe};

/// A side that answers within this time is at the capture point (methods A11).
pub(super) const AT_THE_TAP: Duration = Duration::from_millis(1);
/// After a silence of this length, an ACK that passed within [`AT_THE_TAP`] before did so by chance
/// in one of four cases at the most, if ACKs are no more frequent than silences.
const SILENCE: Duration = Duration::from_millis(4);
/// The number of silences that show where the sender is.
const SILENCES: u8 = 16;

/// How a sender ends its silences. At the capture point, an ACK releases data at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answers {
    last: Maybe<Instant>,
    /// The length of the last silence that counted.
    counted: Duration,
    silences: u8,
    at_once: u8,
}

impl Answers {
    /// Takes the time of new data, and of the newest ACK before it that released some.
    #[inline]
    pub(super) fn take(&mut self, now: Instant, ack: Option<Instant>) {
        let before = std::mem::replace(&mut self.last, now.into()).get();
        let silence = before.map_or(Duration::ZERO, |before| now - before);
        if silence >= SILENCE && self.silences < u8::MAX && self.is_another(silence) {
            self.counted = silence;
            self.silences += 1;
            self.at_once += u8::from(
                ack.is_some_and(|ack| (Duration::ZERO..=AT_THE_TAP).contains(&(now - ack))),
            );
        }
    }

    /// Whether a silence tells anything that the last one did not. A sender and a receiver of the
    /// same period, such as writes every 10 ms and ACKs of a timer, keep their distance in time by
    /// chance: silences of one length are one sample.
    fn is_another(&self, silence: Duration) -> bool {
        (silence - self.counted).abs() > AT_THE_TAP
    }

    /// Whether ACKs release data at once: nine of ten silences end so.
    pub(super) fn come_at_once(&self) -> bool {
        self.silences >= SILENCES && u16::from(self.at_once) * 10 >= u16::from(self.silences) * 9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether ACKs seem to release data at once where each silence is `length(i)` ms long and ends
    /// half a millisecond after an ACK.
    fn seems_at_once(length: impl Fn(i64) -> i64) -> bool {
        let (mut answers, mut now) = (Answers::default(), Instant::default());
        for i in 0..40 {
            now = now + Duration::from_millis(length(i));
            answers.take(now, Some(now - Duration::from_micros(500)));
        }
        answers.come_at_once()
    }

    #[test]
    fn silences_of_one_length_are_one_sample() {
        assert!(seems_at_once(|i| 20 + 5 * (i % 3)));
        assert!(!seems_at_once(|_| 20));
    }
}
