//! Measures the round trip from the capture point to a sender beyond the radio and back, for each
//! packet: how long the packet waited, as the timestamp that it echoes shows (RFC 7323 section 4.1).
//!
//! A packet left its sender after the timestamp that it echoes had passed the capture point, and
//! before the sender heard the next timestamp. The times beyond the least round trip therefore bound
//! the packet's wait from above and from below. This works from the first round trip on, whatever
//! the sender's clock shows.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

/// The greatest number of timestamps that may still be echoed; beyond it the oldest are forgotten.
const AWAITED: usize = 512;

/// The timestamps that passed towards the sender and that the sender may still echo.
#[derive(Clone, Debug, Default)]
pub(super) struct FarLoop {
    heard: VecDeque<Heard>,
    /// Whether the sender has echoed an ACK without payload.
    hears_acks: bool,
}

airmile_types::held!(FarLoop { heard });

#[derive(Clone, Copy, Debug)]
struct Heard {
    tsval: u32,
    /// The time of the first packet with this timestamp.
    passed: Instant,
    /// The time of the first packet with this timestamp that took sequence numbers.
    carried: Option<Instant>,
    echoed: bool,
}

/// What the echo in an uplink packet shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Echo {
    /// The time since the echoed timestamp passed, which is an upper bound of the packet's delay.
    pub(super) longest: Duration,
    /// How late the echoed timestamp may have come to the sender.
    pub(super) late: Duration,
    /// The time since the next timestamp passed, which the sender had not heard when it sent the
    /// packet.
    pub(super) unheard: Option<Duration>,
    /// Whether the next timestamp came with an ACK without payload. Hosts that follow RFC 1323
    /// never echo it (section 3.4; RFC 7323 appendix H).
    pub(super) unheard_ack: bool,
    /// Whether this is the first packet to echo the timestamp, so that the sender may have sent it
    /// at once.
    pub(super) first: bool,
}

impl FarLoop {
    /// Notes a packet towards the sender, whose timestamp the sender may echo from then on. `carries`
    /// is true when the packet takes sequence numbers, and false for an ACK alone.
    pub(super) fn hear(&mut self, tsval: u32, now: Instant, carries: bool) {
        let carried = carries.then_some(now);
        if let Some(newest) = self.heard.back_mut() {
            if tsval == newest.tsval {
                newest.carried = newest.carried.or(carried);
            }
            if is_before_or_at(tsval, newest.tsval) {
                return;
            }
        }
        if self.heard.len() == AWAITED {
            self.heard.pop_front();
        }
        self.heard.push_back(Heard { tsval, passed: now, carried, echoed: false });
    }

    /// Takes a packet of the sender; returns `None` when the timestamp that it echoes is not known here.
    pub(super) fn echo(&mut self, tsecr: u32, now: Instant) -> Option<Echo> {
        let gone = tsecr.wrapping_sub(1);
        while self.heard.front().is_some_and(|old| is_before_or_at(old.tsval, gone)) {
            self.heard.pop_front();
        }
        let next = self.heard.get(1).copied();
        let heard = self.heard.front_mut().filter(|heard| heard.tsval == tsecr)?;
        let first = !std::mem::replace(&mut heard.echoed, true);
        self.hears_acks |= heard.carried.is_none();
        let longest = now - heard.passed;
        let unheard = next.map(|next| now - next.carried.unwrap_or(next.passed));
        let unheard_ack = next.is_some_and(|next| next.carried.is_none());
        (longest >= Duration::ZERO).then_some(Echo {
            longest,
            late: Duration::ZERO,
            unheard,
            unheard_ack,
            first,
        })
    }

    /// Whether the sender is known to echo ACKs without payload.
    pub(super) const fn hears_acks(&self) -> bool {
        self.hears_acks
    }
}

impl Echo {
    /// Returns the same echo without ACKs that the sender need not have heard, when it does
    /// not echo ACKs.
    pub(super) fn of_far(self, hears_acks: bool) -> Self {
        Self { unheard: self.unheard.filter(|_| hears_acks || !self.unheard_ack), ..self }
    }

    /// Returns the same echo where whatever the sender has heard came to it this much late.
    pub(super) fn heard_late(self, late: Duration) -> Self {
        Self { late, unheard: self.unheard.map(|unheard| unheard - late), ..self }
    }

    /// The least time that the packet waited, when the least round trip to the sender is `base`.
    /// `clocked` tests whether the first packet to echo a timestamp was sent at once, because
    /// nothing else delayed it.
    pub(super) fn wait(&self, base: Duration, clocked: impl Fn(Duration) -> bool) -> Duration {
        let most = self.longest - self.late - base;
        if self.first && clocked(most) {
            return most.max(Duration::ZERO);
        }
        self.unheard.map_or(Duration::ZERO, |unheard| (unheard - base).max(Duration::ZERO))
    }
}

/// Whether `tsval` is equal to `other` or older (RFC 7323 section 5.2).
const fn is_before_or_at(tsval: u32, other: u32) -> bool {
    (tsval.wrapping_sub(other) as i32) <= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn ms(ms: i64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn an_echo_bounds_the_wait_from_both_sides() {
        let mut sender = FarLoop::default();
        sender.hear(10, at(0), true);
        sender.hear(10, at(1), true);
        sender.hear(30, at(20), true);
        let first = sender.echo(10, at(90)).unwrap();
        assert_eq!(
            first,
            Echo {
                longest: ms(90),
                late: ms(0),
                unheard: Some(ms(70)),
                unheard_ack: false,
                first: true
            }
        );
        assert_eq!((first.wait(ms(30), |_| true), first.wait(ms(30), |_| false)), (ms(60), ms(40)));
        let second = sender.echo(10, at(95)).unwrap();
        assert_eq!(second.wait(ms(30), |_| true), ms(45));
        let newest = sender.echo(30, at(96)).unwrap();
        assert_eq!(newest.unheard, None);
        assert_eq!(sender.echo(10, at(97)), None, "out of order");
        assert_eq!(sender.echo(40, at(98)), None, "never heard");
    }

    #[test]
    fn timestamps_wrap_around_and_are_forgotten() {
        let mut sender = FarLoop::default();
        for i in 0..2000u32 {
            sender.hear(u32::MAX.wrapping_add(i), at(i64::from(i)), true);
            assert!(sender.heard.len() <= AWAITED);
        }
        assert_eq!(sender.echo(u32::MAX, at(2000)), None);
        assert_eq!(sender.echo(1998, at(2010)).unwrap().longest, ms(11));
    }
}
