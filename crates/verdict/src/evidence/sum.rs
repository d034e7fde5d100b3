//! Finds a full link from the arrivals of all flows of a phone together, without timestamps: their
//! sum stays while what each server has of it changes.
//!
//! Servers seldom know anything of one another. Where one server's share falls by as much as another's
//! rises, again and again, both share something that carries no more, most likely the link. Even
//! arrivals of one server alone prove nothing: it may send at that rate.

use airmile_track::Segment;
use airmile_types::{Address, Duration, Instant};

use super::bits::Mask;
use super::timeline::{BIN, Timeline, window};

/// The number of servers whose shares are followed. With more, a period shows nothing.
const SERVERS: usize = 4;
/// A period lasts at least this long, and has at least this number of packets. Both are our choice:
/// clumps and single packets must weigh little in its rate.
const PERIOD: Duration = Duration::from_millis(500);
const PACKETS: u32 = 32;
/// A period that needs longer is a trickle, and so are packets further apart than a bin: messages that
/// come by the clock stay at one rate without a link.
const LONGEST: Duration = Duration::from_secs(1);
/// The share of a period within which each server that takes part must send again and again: one
/// that begins, ends or hands over to another has no share that could change.
const MOST_GAP: f64 = 0.25;
/// One change may be a coincidence.
const CHANGES: u8 = 2;
/// The least headers of a segment: IPv4 and TCP without options.
const HEADERS: u32 = 40;

/// The arrivals of one direction of a phone.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    period: Option<Period>,
    level: Option<Level>,
    /// How often shares changed and the sum with them: senders of their own rates do that, and so
    /// does a link that changes, but what stands once is then more likely a coincidence.
    breaks: u8,
    full: Timeline,
    /// The times at which packets without timestamps came without a pause.
    unseen: Timeline,
    /// Whether the newest complete period was such a time.
    goes_on: bool,
}

airmile_types::held!(Sum { full, unseen });

/// What has arrived since the newest packet of the period before.
#[derive(Clone, Copy, Debug)]
struct Period {
    began: Instant,
    /// The time of the newest packet, and the longest time without one: as much may be missing at
    /// either end, because packets come in clumps.
    last: Instant,
    longest_gap: Duration,
    packets: u32,
    /// How many of these have no timestamps that would show their delay.
    unstamped: u32,
    shares: [Option<Share>; SERVERS],
    /// Whether more servers took part than are followed.
    crowded: bool,
}

/// What one server sent in a period.
#[derive(Clone, Copy, Debug)]
struct Share {
    server: Address,
    bytes: u32,
    last: Instant,
    longest_gap: Duration,
}

/// The rate at which the sum has stood since its first period began.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// All others are compared with it: a rate that creeps does not stand.
    first: Period,
    /// The newest period in which each server had a share.
    settled: Option<Period>,
    changes: u8,
}

impl Sum {
    /// Takes a packet that arrives with payload.
    pub(super) fn take(&mut self, segment: &Segment<'_>) {
        let now = segment.time;
        if self.period.is_some_and(|period| period.is_broken_by(now)) {
            (self.period, self.level, self.goes_on) = (None, None, false);
        }
        let period = self.period.get_or_insert_with(|| Period::new(now));
        period.take(segment);
        if period.packets >= PACKETS && now - period.began >= PERIOD {
            let complete = *period;
            *period = Period::new(now);
            self.settle(complete);
        }
    }

    /// The milliseconds of a bin in which the sum stood at a rate that several servers shared.
    pub(super) fn at(&self, bin: i64) -> Mask {
        self.full.at(bin)
    }

    /// The milliseconds of a bin in which data came without a pause, most of it without timestamps: the
    /// link may have been full.
    pub(super) fn unseen_at(&self, bin: i64) -> Mask {
        let running = self.period.filter(|_| self.goes_on).filter(Period::may_fill);
        self.unseen.at(bin) | running.map_or(0, |it| window(bin, it.began, it.last))
    }

    /// Compares a complete period with those before.
    #[cold]
    fn settle(&mut self, mut period: Period) {
        period.close();
        self.goes_on = period.may_fill();
        if self.goes_on {
            self.unseen.mark(period.began, period.last);
        }
        let before = self.level.and_then(|level| level.settled);
        let changed = period.is_settled() && before.is_some_and(|it| it.changes_to(&period));
        let kept = self.level.filter(|level| period.stays_at(&level.first));
        if kept.is_none() {
            self.breaks = self.breaks.saturating_add(changed.into());
        }
        let mut level = kept.map_or(Level::new(period), |level| level.with(changed));
        if period.is_settled() {
            level.settled = Some(period);
        }
        if level.changes >= CHANGES.saturating_add(self.breaks) {
            self.full.mark(level.first.began, period.last);
        }
        self.level = Some(level);
    }
}

impl Level {
    const fn new(first: Period) -> Self {
        Self { first, settled: None, changes: 0 }
    }

    /// The level after another period at it.
    fn with(self, changed: bool) -> Self {
        Self { changes: self.changes.saturating_add(changed.into()), ..self }
    }
}

impl Period {
    const fn new(began: Instant) -> Self {
        Self {
            began,
            last: began,
            longest_gap: Duration::ZERO,
            packets: 0,
            unstamped: 0,
            shares: [None; SERVERS],
            crowded: false,
        }
    }

    /// Whether a packet at this time cannot belong to the period: the clock stepped back, nothing came
    /// for long, or the period would last too long.
    fn is_broken_by(&self, now: Instant) -> bool {
        now < self.last || now - self.last > BIN || now - self.began > LONGEST
    }

    fn take(&mut self, segment: &Segment<'_>) {
        let (now, server) = (segment.time, segment.flow.server);
        self.longest_gap = self.longest_gap.max(now - self.last);
        (self.last, self.packets) = (now, self.packets.saturating_add(1));
        self.unstamped = self.unstamped.saturating_add(segment.timestamps.is_none().into());
        let is_its = |share: &&mut Option<Share>| share.is_none_or(|share| share.server == server);
        let Some(share) = self.shares.iter_mut().find(is_its) else {
            self.crowded = true;
            return;
        };
        let fresh = Share { server, bytes: 0, last: self.began, longest_gap: Duration::ZERO };
        share.get_or_insert(fresh).take(now, segment.payload_bytes.saturating_add(HEADERS));
    }

    /// Ends the period: a server that sends no more has a gap at its end.
    fn close(&mut self) {
        let last = self.last;
        self.shares.iter_mut().flatten().for_each(|share| share.take(last, 0));
    }

    fn length_s(&self) -> f64 {
        (self.last - self.began).as_secs_f64()
    }

    /// Whether every server that took part sent all the time.
    fn is_settled(&self) -> bool {
        let most = MOST_GAP * self.length_s();
        let steady = |share: &Share| share.longest_gap.as_secs_f64() <= most;
        !self.crowded && self.shares.iter().flatten().all(steady)
    }

    /// The bytes per second of one server, or of all.
    fn rate(&self, of: impl Fn(&Share) -> bool) -> f64 {
        let bytes: f64 =
            self.shares.iter().flatten().filter(|s| of(s)).map(|s| f64::from(s.bytes)).sum();
        bytes / self.length_s()
    }

    /// Whether the sum is the same as in another period, and packets came all the time.
    fn stays_at(&self, other: &Self) -> bool {
        let differs = (self.rate(|_| true) - other.rate(|_| true)).abs();
        !self.pauses() && differs <= self.doubt(other)
    }

    /// Whether packets without timestamps may have filled the link.
    fn may_fill(&self) -> bool {
        !self.pauses() && self.unstamped >= self.packets / 2
    }

    /// Whether nothing came for much of the period.
    fn pauses(&self) -> bool {
        self.longest_gap.as_secs_f64() > MOST_GAP * self.length_s()
    }

    /// How far the rates of two periods may differ because their packets come in clumps.
    fn doubt(&self, other: &Self) -> f64 {
        let of = |period: &Self| {
            period.rate(|_| true) * period.longest_gap.as_secs_f64() / period.length_s()
        };
        of(self) + of(other)
    }

    /// Whether the shares of the sum changed by more than clumps explain. A server that takes over
    /// all that another sent may be the same application.
    fn changes_to(&self, later: &Self) -> bool {
        let servers = |period: &Self| period.shares.iter().flatten().count();
        let all = self.shares.iter().chain(&later.shares).flatten();
        let change = |share: &Share| {
            let own = |other: &Share| other.server == share.server;
            (later.rate(own) - self.rate(own)).abs()
        };
        let most = all.map(change).fold(0.0, f64::max);
        servers(self).max(servers(later)) > 1 && most > 2.0 * self.doubt(later)
    }
}

impl Share {
    fn take(&mut self, now: Instant, bytes: u32) {
        self.longest_gap = self.longest_gap.max(now - self.last);
        self.last = now;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A period of two servers with gaps of a twentieth, so that two periods may differ by a tenth.
    fn period(index: i64, bytes: [f64; 2]) -> Period {
        let gap = PERIOD.over(20);
        let began = Instant::from_nanos(0) + PERIOD.times(index);
        let last = began + PERIOD;
        let share = |host: u8, bytes: f64| {
            let server = Address::v4([10, 0, 0, host]);
            Some(Share { server, bytes: bytes as u32, last, longest_gap: gap })
        };
        let shares = [share(1, bytes[0]), share(2, bytes[1]), None, None];
        Period { last, longest_gap: gap, packets: PACKETS, shares, ..Period::new(began) }
    }

    /// Whether the link is taken for full in ten periods whose sum grows by a factor each.
    fn is_full(factor: f64) -> bool {
        let mut sum = Sum::default();
        for index in 0..10 {
            let whole = 100_000.0 * factor.powi(index);
            let part = if index % 2 == 0 { 0.7 } else { 0.3 };
            sum.settle(period(index.into(), [whole * part, whole * (1.0 - part)]));
        }
        (0..50).any(|bin| sum.at(bin) != 0)
    }

    #[test]
    fn a_sum_that_creeps_is_not_one_rate() {
        assert!(is_full(1.0));
        assert!(!is_full(1.08));
    }

    #[test]
    fn a_pause_a_step_back_and_a_trickle_end_a_period() {
        let at = |ms| Instant::from_nanos(0) + Duration::from_millis(ms);
        let running = Period { last: at(950), ..Period::new(at(0)) };
        assert!(!running.is_broken_by(at(1000)));
        assert!(running.is_broken_by(at(949)));
        assert!(running.is_broken_by(at(1001)));
        assert!(Period { last: at(100), ..running }.is_broken_by(at(201)));
    }
}
