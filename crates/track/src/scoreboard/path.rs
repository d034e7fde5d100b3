//! The loop from the tap to a sender and back: how late the sender learns what passes the tap.
//!
//! Samples come from the handshake, from RTTs of data that the sender acknowledged, and from the
//! first data segment that echoes a timestamp which passed the other way (RFC 7323 section 4.1;
//! methods T8). An echo may be late, because the application was late or there is a queue on the way;
//! never early: so the loop is a least value, over recent samples where there are enough of them to
//! see that the path has changed. A path that has become longer shows within a third of a second
//! (`step`).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant, Maybe};

use super::least::Least;
use super::step::Step;

/// A bucket this long with this many samples may replace an older, smaller loop: an ACK-clocked
/// sender gives one per round or more, an application-limited one rarely any.
const BUCKET: Duration = Duration::from_secs(4);
const BUCKET_SAMPLES: u32 = 40;
/// Timestamps awaiting their echo; beyond it the oldest are forgotten.
const PENDING: usize = 2048;

#[derive(Clone, Debug, Default)]
pub(super) struct Loop {
    pending: VecDeque<(u32, Instant)>,
    /// The timestamp that came last into `pending`.
    newest: u32,
    least: Least,
    bucket: Bucket,
    previous: Least,
    step: Step,
    /// It is a server's, whose round trips step up only where the path has changed: those of a phone
    /// hold the radio's queue both ways.
    steps: bool,
    /// The tap is at this sender: the loop is nothing (methods C4, C6).
    at_tap: bool,
    /// The time at which the path was last seen to have become longer.
    changed: Maybe<Instant>,
    /// The answer, which is needed many times for each packet.
    value: Option<Duration>,
}

airmile_types::held!(Loop { pending, step });

#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    began: Maybe<Instant>,
    samples: u32,
    least: Least,
}

impl Loop {
    /// The loop of a server.
    pub(super) const fn follow_steps(&mut self) {
        self.steps = true;
    }

    /// Whether the tap is at this sender.
    #[inline]
    pub(super) fn stand_at_tap(&mut self, at_tap: bool) {
        if self.at_tap != at_tap {
            self.at_tap = at_tap;
            self.renew();
        }
    }

    /// A packet that this sender may echo passes towards it.
    #[inline(always)]
    pub(super) fn mark(&mut self, tsval: u32, now: Instant) {
        if !self.pending.is_empty() && (tsval.wrapping_sub(self.newest) as i32) <= 0 {
            return;
        }
        self.newest = tsval;
        if self.pending.len() == PENDING {
            self.pending.pop_front();
        }
        self.pending.push_back((tsval, now));
    }

    /// The sender echoes a timestamp in a segment with payload.
    #[inline(always)]
    pub(super) fn echo(&mut self, tsecr: u32, now: Instant) {
        while let Some(&(tsval, passed)) = self.pending.front() {
            let age = tsecr.wrapping_sub(tsval) as i32;
            if age < 0 {
                return;
            }
            self.pending.pop_front();
            if age == 0 {
                self.sample(now - passed, now);
                return;
            }
        }
    }

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
        if self.steps
            && let Some(least) = self.least_recent().get()
            && let Some(longer) = self.step.take(rtt, now, least)
        {
            self.begin_anew(longer, now);
        }
    }

    /// The path has changed: what was measured before says nothing of it.
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

    /// What [`Self::get`] answers, after a sample.
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
    fn only_the_first_echo_counts() {
        let mut path = Loop::default();
        path.mark(10, at(0));
        path.mark(10, at(1));
        path.echo(10, at(40));
        path.echo(10, at(90));
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
