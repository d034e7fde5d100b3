//! How the log's time and a cell's frame count go together.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

/// Subframes of 1024 frames: where the count begins anew.
const WRAP: i64 = 10_240;

/// Packets are flushed every 300 ms when the phone is idle, and hold up to 25 subframes.
const LATE_MS: i64 = 350;
/// Some messages hold samples of a second.
const LATEST_MS: i64 = 1500;
/// A packet may be stamped before the subframe that it tells of (by 2 ms in 5001 of 0xB130), or
/// come less late than all before it: more is another count.
const EARLY_MS: i64 = 60;
/// So late are packets that tell where the phase is.
const PROMPT: Duration = Duration::from_millis(5);

/// Lateness spreads over [`LATE_MS`]. Of `n` packets the least late is then more than `x` ms late
/// with probability (1 - x / 350)^n, one in a million for n x = 5000 ms: more is no chance.
const SURE_MS: i64 = 5000;
/// Packets that the least lateness is taken from.
const KEPT_PACKETS: u64 = 1000;

/// Clocks drift by less. Radio and log have one oscillator each (TS 36.101 section 6.5.1 keeps the
/// phone's radio within 0.1 ppm of the cell's), a log's clock that is cheap is 50 ppm off.
const DRIFT_PPM: i64 = 100;
/// So many packets are enough to know a phase by.
const KNOWN_PACKETS: u64 = 250;
/// So near to each other two packets that are early tell a new phase.
const NEAR_PACKETS: u64 = 20;
/// Steps that are followed as such; smaller ones are within the noise of the stamps.
const STEP_MS: i64 = 20;
/// How often the phase follows the drift: of so many packets one is prompt.
const DRIFT_STEP: Duration = Duration::from_secs(2);
const DRIFT_PACKETS: u64 = 100;

/// How well a phase explains a subframe, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    /// As late as packets are.
    Usual,
    /// Earlier than all before: the phase was not known well.
    Earlier,
    /// Later than packets are flushed.
    Late,
}

/// A subframe as a phase explains it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) tti: i64,
    pub(super) quality: Quality,
}

/// The smallest number not before `after` that is `count` but for wraps.
pub(super) const fn next(after: i64, count: i64) -> i64 {
    after + (count - after).rem_euclid(WRAP)
}

/// A phase.
pub(super) struct Phase {
    /// When subframe 0 was on the air, by the numbers in use: the earliest that a packet allows.
    zero: Instant,
    /// What the numbers in use are more than the cell's count, but for wraps.
    shift: i64,
    /// Its name in the trace.
    segment: u32,
    last_logged: Instant,
    /// The last prompt packet: from then on drift is unknown.
    pinned: Instant,
    packets: u64,
    recent: Recent,
    /// The last packet that came much too early.
    early: Option<(u64, Instant)>,
    drift: Drift,
}

impl Phase {
    /// A phase of which subframe `tti` is known, logged at `logged`.
    pub(super) fn new(logged: Instant, tti: i64, shift: i64, segment: u32) -> Self {
        Self {
            zero: logged - ms(tti),
            shift: shift.rem_euclid(WRAP),
            segment,
            last_logged: logged,
            pinned: logged,
            packets: 1,
            recent: Recent::default(),
            early: None,
            drift: Drift { from: logged, packet: 1, zero: Instant::MAX },
        }
    }

    pub(super) const fn shift(&self) -> i64 {
        self.shift
    }

    pub(super) const fn segment(&self) -> u32 {
        self.segment
    }

    pub(super) const fn last_logged(&self) -> Instant {
        self.last_logged
    }

    pub(super) const fn packets(&self) -> u64 {
        self.packets
    }

    /// The phase.
    pub(super) const fn zero(&self) -> Instant {
        self.zero
    }

    /// When subframe `tti` was on the air.
    pub(super) fn time(&self, tti: i64) -> Instant {
        self.zero + ms(tti)
    }

    /// The subframe that is on the air at an instant.
    pub(super) fn tti_at(&self, time: Instant) -> i64 {
        whole_ms(time - self.zero)
    }

    /// Which subframe the count means in a packet logged at `logged`; `None` where it would be
    /// too late.
    pub(super) fn fit(&self, logged: Instant, subframe: i64) -> Option<Fit> {
        let drift = whole_ms(drift(logged - self.pinned));
        // What few packets told may be mended by much.
        let unsure = 3 * SURE_MS / self.packets.max(1) as i64;
        let early = (unsure.max(EARLY_MS) + drift).min(LATEST_MS);
        let now = self.tti_at(logged);
        let latest = now + early;
        let tti = latest - (latest - (subframe + self.shift)).rem_euclid(WRAP);
        let quality = match now - tti {
            late if late < -EARLY_MS => Quality::Earlier,
            late if late <= LATE_MS + drift => Quality::Usual,
            late if late <= LATEST_MS => Quality::Late,
            _ => return None,
        };
        Some(Fit { tti, quality })
    }

    /// Learns from a subframe that it explained.
    pub(super) fn saw(&mut self, logged: Instant, tti: i64) {
        if logged != self.last_logged {
            self.packets += 1;
            self.recent.next_packet(self.packets);
        }
        self.last_logged = self.last_logged.max(logged);
        let zero = logged - ms(tti);
        self.zero = self.lowered(zero);
        if zero < self.zero {
            return;
        }
        if zero <= self.zero + PROMPT {
            self.pinned = self.pinned.max(logged);
        }
        self.recent.saw(zero);
        self.zero = self.drift.raised(self.zero, zero, logged, self.packets);
        // All packets have been late for longer than can be: the count has stepped back.
        let drift = drift(self.last_logged - self.pinned);
        if let Some(step) = self.recent.step(self.zero + drift) {
            self.shift = (self.shift + step).rem_euclid(WRAP);
            self.recent = Recent::default();
        }
    }

    /// The phase that a packet pulls down. Where much is known already one packet alone is a
    /// number that cannot be; two are a phase.
    fn lowered(&mut self, zero: Instant) -> Instant {
        if zero + PROMPT >= self.zero || self.packets < KNOWN_PACKETS {
            return self.zero.min(zero);
        }
        let (packet, before) = self.early.replace((self.packets, zero)).unwrap_or((0, zero));
        if packet == self.packets {
            self.early = Some((packet, before.min(zero)));
        }
        let near = packet != self.packets && packet + NEAR_PACKETS >= self.packets;
        if near { before.max(zero).min(self.zero) } else { self.zero }
    }
}

/// The least late of the recent packets, for every stretch up to the newest.
#[derive(Default)]
struct Recent {
    /// First packet of a stretch, and the phase that the stretch alone would have. Where several
    /// stretches have the same, the longest.
    stretches: VecDeque<(u64, Instant)>,
    packet: u64,
    /// That of the newest packet alone.
    newest: Option<Instant>,
}

impl Recent {
    fn next_packet(&mut self, packet: u64) {
        (self.packet, self.newest) = (packet, None);
        if self.stretches.front().is_some_and(|(first, _)| first + KEPT_PACKETS < packet) {
            self.stretches.pop_front();
        }
    }

    fn saw(&mut self, zero: Instant) {
        // A packet counts once, by the least late of its subframes.
        if self.newest.is_some_and(|newest| newest <= zero) {
            return;
        }
        self.newest = Some(zero);
        let mut first = self.packet;
        // Milliseconds are fine enough.
        while let Some((start, least)) = self.stretches.back().copied() {
            if least + ms(1) <= zero {
                break;
            }
            first = start;
            self.stretches.pop_back();
        }
        self.stretches.push_back((first, zero));
    }

    /// By how much the packets are late that cannot be so by chance.
    fn step(&self, zero: Instant) -> Option<i64> {
        let late = self.stretches.iter().map(|(first, least)| (first, whole_ms(*least - zero)));
        let sure = |(first, late): &(&u64, i64)| {
            *late > STEP_MS && late * (self.packet + 1 - *first) as i64 > SURE_MS
        };
        late.into_iter().find(sure).map(|(_, late)| late)
    }
}

/// Raises the phase, slowly: packets that come early pull it down at once.
struct Drift {
    from: Instant,
    packet: u64,
    /// The phase that the packets since then alone would have.
    zero: Instant,
}

impl Drift {
    fn raised(&mut self, now: Instant, zero: Instant, logged: Instant, packet: u64) -> Instant {
        self.zero = self.zero.min(zero);
        let since = logged - self.from;
        if since < DRIFT_STEP || packet - self.packet < DRIFT_PACKETS {
            return now;
        }
        let raised = self.zero.min(now + drift(since));
        *self = Self { from: logged, packet, zero: Instant::MAX };
        raised
    }
}

/// What a clock drifts at most in a span.
pub(super) fn drift(span: Duration) -> Duration {
    span.abs().over(1_000_000).times(DRIFT_PPM)
}

const fn whole_ms(span: Duration) -> i64 {
    span.as_nanos().div_euclid(1_000_000)
}

/// `count` milliseconds.
pub(super) fn ms(count: i64) -> Duration {
    Duration::from_nanos(1_000_000).times(count)
}
