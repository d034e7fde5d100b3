//! Estimates the round trip from the capture point to a sender and back ("loop" in the code), which
//! shows how late the sender learns what passes the capture point.
//!
//! Samples come from the handshake, from RTTs of data that the sender acknowledged, and from the
//! first data segment that echoes a timestamp which passed in the other direction (RFC 7323 section
//! 4.1; methods T8). An echo may be late, because of the application or of a queue on the way, but
//! never early. Therefore the round trip is the least of all samples, or of the recent ones if
//! these are enough to show that the path has changed. A path that has become longer shows within a
//! third of a second (`step`).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant, Maybe};

use super::least::Least;
use super::step::Step;

/// The least of a period of this length replaces an older, smaller value if the period has at least
/// this number of samples. An ACK-clocked sender gives one or more samples per round trip, an
/// application-limited one hardly any.
const BUCKET: Duration = Duration::from_secs(4);
const BUCKET_SAMPLES: u32 = 40;
/// The greatest number of timestamps that wait for their echo; beyond it the oldest are forgotten.
const PENDING: usize = 2048;

/// The longest echo of a sender that had rested which may still show its round trip; our choice. A
/// sender that writes once a second would else seem to be a second away.
const MOST_RESTED: Duration = Duration::from_millis(200);

/// A packet may come late by a second of a clock whose tick is 1 ms (RFC 7323 section 5.4).
const LATE_TICKS: i32 = 1000;

#[derive(Clone, Debug, Default)]
pub(super) struct Loop {
    pending: VecDeque<(u32, Instant)>,
    /// The newest timestamp in `pending`.
    newest: u32,
    least: Least,
    bucket: Bucket,
    previous: Least,
    step: Step,
    steps: Steps,
    /// Whether the capture point is at this sender, so that the round trip is 0 (methods C4, C6).
    at_tap: bool,
    /// Whether a timestamp has passed, so that `newest` is one.
    marked: bool,
    /// Whether the sender last echoed a later timestamp than any that had passed.
    ahead: bool,
    /// The time of the latest sudden increase.
    changed: Maybe<Instant>,
    /// The current result, stored because each packet needs it several times.
    value: Option<Duration>,
}

airmile_types::held!(Loop { pending, step });

#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    began: Maybe<Instant>,
    samples: u32,
    least: Least,
}

/// Whether to look for a sudden increase of the round trips. They increase suddenly only when the
/// path has changed, unless they include the radio's queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Steps {
    /// The sender is a phone.
    #[default]
    OfPhone,
    /// The sender is a server.
    Followed,
    /// The sender is a server on the other side of the radio.
    AcrossRadio,
}

impl Loop {
    /// Marks the sender as a server, so that a sudden increase is looked for.
    pub(super) const fn follow_steps(&mut self) {
        if matches!(self.steps, Steps::OfPhone) {
            self.steps = Steps::Followed;
        }
    }

    /// Sets whether the radio lies between the capture point and this sender.
    pub(super) const fn stand_across_radio(&mut self, across_radio: bool) {
        if across_radio {
            self.steps = Steps::AcrossRadio;
        } else if matches!(self.steps, Steps::AcrossRadio) {
            self.steps = Steps::Followed;
        }
    }

    /// Sets whether the capture point is at this sender.
    #[inline]
    pub(super) fn stand_at_tap(&mut self, at_tap: bool) {
        if self.at_tap != at_tap {
            self.at_tap = at_tap;
            self.renew();
        }
    }

    /// Notes a packet towards this sender, whose timestamp the sender may echo.
    #[inline(always)]
    pub(super) fn mark(&mut self, tsval: u32, now: Instant) {
        let age = tsval.wrapping_sub(self.newest) as i32;
        // A late packet is not the newest, even where no other waits for its echo; a clock that
        // begins anew goes back much further.
        let is_late = self.marked && (-LATE_TICKS..0).contains(&age);
        if is_late || (!self.pending.is_empty() && age <= 0) {
            return;
        }
        (self.newest, self.marked, self.ahead) = (tsval, true, false);
        if self.pending.len() == PENDING {
            self.pending.pop_front();
        }
        self.pending.push_back((tsval, now));
    }

    /// Takes a segment with payload in which the sender echoes a timestamp. `rested` is true if
    /// nothing was in flight: then the echo came when the application had something to send.
    #[inline(always)]
    pub(super) fn echo(&mut self, tsecr: u32, now: Instant, rested: bool) {
        while let Some(&(tsval, passed)) = self.pending.front() {
            let age = tsecr.wrapping_sub(tsval) as i32;
            if age < 0 {
                return;
            }
            self.pending.pop_front();
            if age == 0 {
                let rtt = now - passed;
                if !rested || rtt <= MOST_RESTED {
                    self.sample(rtt, now);
                }
                return;
            }
        }
        self.ahead = self.marked && tsecr.wrapping_sub(self.newest) as i32 > 0;
    }

    /// Whether the sender has echoed a later timestamp than any that passed here.
    pub(super) const fn echoes_ahead(&self) -> bool {
        self.ahead
    }

    #[inline(always)]
    pub(super) fn sample(&mut self, rtt: Duration, now: Instant) {
        if rtt < Duration::ZERO {
            return;
        }
        self.least.take(rtt);
        self.bucket.began.get_or_insert(now);
        if self.bucket.began.get().is_some_and(|began| now - began >= BUCKET) {
            self.roll(now);
        }
        self.bucket.samples += 1;
        self.bucket.least.take(rtt);
        self.renew();
        if self.steps == Steps::Followed
            && let Some(least) = self.least_recent().get()
            && let Some(longer) = self.step.take(rtt, now, least)
        {
            self.begin_anew(longer, now);
        }
    }

    /// Starts again from `least` because the path has changed, so that older samples no longer
    /// apply.
    #[cold]
    fn begin_anew(&mut self, least: Duration, now: Instant) {
        let least = Least::of(least);
        self.bucket = Bucket { began: now.into(), samples: 1, least };
        (self.least, self.previous) = (least, Least::default());
        self.changed = now.into();
        self.renew();
    }

    #[inline]
    pub(super) const fn get(&self) -> Option<Duration> {
        self.value
    }

    pub(super) fn changed(&self) -> Option<Instant> {
        self.changed.get()
    }

    /// Computes the result of [`Self::get`] again, after a sample.
    #[inline]
    fn renew(&mut self) {
        let value = self.least_recent().get();
        self.value = if self.at_tap { Some(Duration::ZERO) } else { value };
    }

    #[inline]
    fn least_recent(&self) -> Least {
        if self.previous.is_some() { self.previous.or_less(self.bucket.least) } else { self.least }
    }

    #[cold]
    fn roll(&mut self, now: Instant) {
        self.previous = if self.bucket.samples >= BUCKET_SAMPLES {
            self.bucket.least
        } else {
            self.least_recent().or_less(self.least)
        };
        self.bucket = Bucket { began: now.into(), ..Bucket::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn across_the_radio_a_longer_round_trip_is_a_queue_and_no_other_path() {
        for across_radio in [false, true] {
            let mut path = Loop::default();
            path.follow_steps();
            path.stand_across_radio(across_radio);
            path.sample(Duration::from_millis(60), at(0));
            for i in 0..40 {
                path.sample(Duration::from_millis(400), at(400 + i * 25));
            }
            assert_eq!(path.changed().is_some(), !across_radio);
        }
    }

    #[test]
    fn only_the_first_echo_counts() {
        let mut path = Loop::default();
        path.mark(10, at(0));
        path.mark(10, at(1));
        path.echo(10, at(40), false);
        path.echo(10, at(90), false);
        assert_eq!(path.get(), Some(Duration::from_millis(40)));
    }

    #[test]
    fn a_longer_path_is_seen_by_an_ack_clocked_flow_and_not_by_a_pausing_one() {
        let mut busy = Loop::default();
        busy.sample(Duration::from_millis(20), at(0));
        for i in 0..400 {
            busy.sample(Duration::from_millis(60), at(4000 + i * 25));
        }
        assert_eq!(busy.get(), Some(Duration::from_millis(60)));
        let mut pausing = Loop::default();
        pausing.sample(Duration::from_millis(20), at(0));
        for i in 0..10 {
            pausing.sample(Duration::from_millis(900), at(4000 + i * 2000));
        }
        assert_eq!(pausing.get(), Some(Duration::from_millis(20)));
    }
}
