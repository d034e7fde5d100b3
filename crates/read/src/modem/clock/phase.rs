//! Relates the time of the log to the frame count of one cell.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

/// The number of subframes in 1024 frames, after which the count starts again.
const WRAP: i64 = 10_240;

/// The greatest usual delay of a packet in milliseconds: an idle phone flushes packets every 300
/// ms, and a packet contains up to 25 subframes.
const LATE_MS: i64 = 350;
/// The greatest delay of a packet that collects samples for a second, in milliseconds.
const LATEST_MS: i64 = 1500;
/// After a longer silence the phone may be in another cell; a connection without data is released
/// after about ten seconds (LTE13 section 3.1).
const SILENCE: Duration = Duration::from_secs(10);
/// A packet may have a time before its subframe (by 2 ms in 5001 packets of 0xB130), or have a
/// shorter delay than all packets before. A packet that is earlier by more than this, in
/// milliseconds, belongs to another count.
const EARLY_MS: i64 = 60;
/// The greatest delay of a prompt packet, which shows the phase.
const PROMPT: Duration = Duration::from_millis(5);

/// Delays spread over [`LATE_MS`]. The least delay of `n` packets exceeds `x` ms with probability
/// (1 - x / 350)^n, which is one in a million for n x = 5000 ms.
const SURE_MS: i64 = 5000;
/// The number of recent packets of which the least delay is taken.
const KEPT_PACKETS: u64 = 1000;

/// The greatest drift of clocks, in parts per million. Radio and log have one oscillator each. The
/// phone's radio is within 0.1 ppm of the cell's (TS 36.101 section 6.5.1), and a cheap clock of a
/// log is wrong by 50 ppm.
const DRIFT_PPM: i64 = 100;
/// The number of packets after which a phase counts as known.
const KNOWN_PACKETS: u64 = 250;
/// The greatest number of packets between two early packets that together show a new phase.
const NEAR_PACKETS: u64 = 20;
/// The least step that is followed as a step, in milliseconds; smaller ones are noise of the log
/// times.
const STEP_MS: i64 = 20;
/// How often the phase is adapted to the drift: in time, and in packets, one of which is prompt.
const DRIFT_STEP: Duration = Duration::from_secs(2);
const DRIFT_PACKETS: u64 = 100;

/// How well a phase fits a subframe, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    /// The packet is as late as packets usually are.
    Usual,
    /// The packet is earlier than all before, so the phase was not known well.
    Earlier,
    /// The packet is later than any flush explains.
    Late,
}

/// The number of a subframe according to a phase, and how well it fits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    pub(super) tti: i64,
    pub(super) quality: Quality,
}

/// The smallest number not below `after` that equals `count` except for wraps.
pub(super) const fn next(after: i64, count: i64) -> i64 {
    after + (count - after).rem_euclid(WRAP)
}

/// The phase of a cell.
#[derive(Clone)]
pub(super) struct Phase {
    /// The time at which subframe 0 of the unwrapped numbers was on the air: the earliest that a
    /// packet allows.
    zero: Instant,
    /// The difference between the unwrapped numbers and the count of the cell, except for wraps.
    shift: i64,
    /// The number of this phase in the trace.
    segment: u32,
    last_logged: Instant,
    /// The time of the last prompt packet, after which the drift is unknown.
    pinned: Instant,
    packets: u64,
    recent: Recent,
    /// The last packet that came much too early.
    early: Option<(u64, Instant)>,
    drift: Drift,
}

impl Phase {
    /// A new phase in which subframe `tti` was logged at `logged`.
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

    /// The time of subframe 0 of the unwrapped numbers.
    pub(super) const fn zero(&self) -> Instant {
        self.zero
    }

    /// The time at which subframe `tti` was on the air.
    pub(super) fn time(&self, tti: i64) -> Instant {
        self.zero + ms(tti)
    }

    /// The subframe that is on the air at an instant.
    pub(super) fn tti_at(&self, time: Instant) -> i64 {
        whole_ms(time - self.zero)
    }

    /// The unwrapped number of a counted subframe in a packet logged at `logged`; `None` if the
    /// packet would be too late.
    pub(super) fn fit(&self, logged: Instant, subframe: i64) -> Option<Fit> {
        let drift = whole_ms(drift(logged - self.pinned));
        // A phase that is based on few packets may still change by much.
        let unsure = 3 * SURE_MS / self.packets.max(1) as i64;
        let early = (unsure.max(EARLY_MS) + drift).min(LATEST_MS);
        let now = self.tti_at(logged);
        let latest = now + early;
        let tti = latest - (latest - (subframe + self.shift)).rem_euclid(WRAP);
        let quality = match now - tti {
            late if late < -EARLY_MS => Quality::Earlier,
            late if late <= LATE_MS + drift => Quality::Usual,
            late if late <= LATEST_MS && !self.is_silent(logged) => Quality::Late,
            _ => return None,
        };
        Some(Fit { tti, quality })
    }

    /// Whether so much time has passed that the phone may have another cell: then a packet that is
    /// very late belongs to another count.
    fn is_silent(&self, logged: Instant) -> bool {
        logged - self.last_logged > SILENCE
    }

    /// Learns from a subframe that fits this phase.
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
        // All packets have been later than possible for too long, so the count has stepped back.
        let drift = drift(self.last_logged - self.pinned);
        if let Some(step) = self.recent.step(self.zero + drift) {
            self.shift = (self.shift + step).rem_euclid(WRAP);
            self.recent = Recent::default();
        }
    }

    /// The phase after a packet that is earlier than the phase allows. If the phase is known, one
    /// such packet has an impossible number, but two show a new phase.
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

/// The packets with the least delay, for every stretch of recent packets up to the newest.
#[derive(Clone, Default)]
struct Recent {
    /// The first packet of a stretch, and the phase from the packets of that stretch alone. Among
    /// stretches with the same phase, only the longest is kept.
    stretches: VecDeque<(u64, Instant)>,
    packet: u64,
    /// The phase from the newest packet alone.
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
        // A packet counts once, by its subframe with the least delay.
        if self.newest.is_some_and(|newest| newest <= zero) {
            return;
        }
        self.newest = Some(zero);
        let mut first = self.packet;
        // A resolution of milliseconds is enough.
        while let Some((start, least)) = self.stretches.back().copied() {
            if least + ms(1) <= zero {
                break;
            }
            first = start;
            self.stretches.pop_back();
        }
        self.stretches.push_back((first, zero));
    }

    /// By how much the packets have become later, in milliseconds; `None` if it may be chance.
    fn step(&self, zero: Instant) -> Option<i64> {
        let late = self.stretches.iter().map(|(first, least)| (first, whole_ms(*least - zero)));
        let sure = |(first, late): &(&u64, i64)| {
            *late > STEP_MS && late * (self.packet + 1 - *first) as i64 > SURE_MS
        };
        late.into_iter().find(sure).map(|(_, late)| late)
    }
}

/// Raises the phase slowly; an early packet lowers it at once.
#[derive(Clone)]
struct Drift {
    from: Instant,
    packet: u64,
    /// The phase from the packets since `packet` alone.
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

/// The greatest drift of a clock in a span of time.
pub(super) fn drift(span: Duration) -> Duration {
    span.abs().over(1_000_000).times(DRIFT_PPM)
}

const fn whole_ms(span: Duration) -> i64 {
    span.as_nanos().div_euclid(1_000_000)
}

/// A duration of `count` milliseconds.
pub(super) fn ms(count: i64) -> Duration {
    Duration::from_nanos(1_000_000).times(count)
}
