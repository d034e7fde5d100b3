//! Relates the counter of a cell to the time stamps of the log.

use airmile_read::modem::Tti;

/// The period of LTE's frame numbers in milliseconds: 1024 frames of 10 (TS 36.331 section 6.2.2).
pub(super) const FRAMES_MS: i64 = 10_240;

/// A microsecond is exact enough for stamps, and lets every counter be a time in an `i64`.
pub(super) const MS: i64 = 1000;

/// How far a stamp may be from its counter, in microseconds. Logs stamp a block when it is written,
/// up to 300 ms after it was on the air, and a clock that is corrected steps by less.
const LOOSE: i64 = 350 * MS;
/// The same for stamps that a reader has derived from packets: the first packets of a log may all be
/// late by a second, which shows only later.
const DERIVED: i64 = 1_500 * MS;
/// Two counters that differ by less are in phase, in microseconds: the jitter of a program that
/// stamps each row.
pub(super) const TIGHT: i64 = 20 * MS;
/// The same for rows that are far apart, whose stamps may have jittered twice.
const WRAPPED: i64 = 60 * MS;
/// The longest run of blocks that have one stamp, in milliseconds.
const MOST_GRAIN_MS: i64 = 1_200;
/// The greatest drift of a clock in parts per million, as in methods G9.
const MOST_PPM: i64 = 200;
/// Logs whose stamps are whole seconds are told by two of them.
const SECOND: i64 = 1_000 * MS;
/// After a longer silence, the next stamp shows the phase anew, in microseconds.
const SILENCE: i64 = 10_000 * MS;
/// The part of a difference by which the phase follows the stamps.
const FOLLOWED: i64 = 16;

/// The periods of counters in milliseconds: 1024 frames of LTE or NR (TS 36.331 section 6.2.2), the
/// hyperframes above them (TS 36.300), and the integers of programs.
const PERIODS: [i64; 5] = [10_240, 1 << 16, 10_485_760, 1 << 31, 1 << 32];

/// The stamp of a block in microseconds since 1970.
pub(super) const fn stamp(tti: &Tti) -> i64 {
    tti.time.as_nanos().div_euclid(1000)
}

/// How a block fits a phase.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// The number of the millisecond in the epoch.
    pub(super) ms: i64,
    /// By how much the stamp is later than the counter says, in microseconds.
    pub(super) late: i64,
    /// A period that the fit needs and that was not known.
    pub(super) period: Option<i64>,
}

/// What is known of the counters of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    /// The period; `None` while no wrap was seen.
    pub(super) period: Option<i64>,
    /// Whether the stamps are derived from packets.
    pub(super) derived: bool,
    /// The largest number so far.
    pub(super) largest: i64,
}

/// The counter of one cell, or of cells that count together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    pub(super) cell: Option<u16>,
    /// The number of a millisecond minus its counter, except for wraps.
    shift: i64,
    /// The stamp of millisecond 0, in microseconds.
    zero: i64,
    /// The newest stamp, and the first counter with it.
    stamped: (i64, i64),
    /// The most milliseconds that had one stamp.
    grain_ms: i64,
    /// The greatest difference of a stamp to its counter so far, in microseconds.
    jitter: i64,
    /// What is added to stamps, because the clock was set back, in microseconds.
    pub(super) correction: i64,
}

impl Phase {
    /// The phase in which a block has the number `ms`.
    pub(super) fn new(tti: &Tti, ms: i64) -> Self {
        let stamp = stamp(tti);
        Self {
            cell: tti.cell,
            shift: ms.saturating_sub(tti.tti),
            zero: stamp.saturating_sub(ms.saturating_mul(MS)),
            stamped: (stamp, tti.tti),
            grain_ms: 0,
            jitter: 0,
            correction: 0,
        }
    }

    /// The same counter after the clock was set, so that `tti` is the next block.
    pub(super) fn after_step(&self, tti: &Tti, ms: i64) -> Self {
        let new = Self::new(tti, ms);
        let step = self.zero.saturating_sub(new.zero);
        Self { correction: self.correction.saturating_add(step), cell: self.cell, ..new }
    }

    /// The newest stamp in microseconds.
    pub(super) const fn newest_stamp(&self) -> i64 {
        self.stamped.0
    }

    /// The number of the millisecond that has this stamp.
    pub(super) fn at(&self, stamp: i64) -> i64 {
        let since = stamp.saturating_sub(self.zero);
        since.saturating_add(MS / 2).div_euclid(MS)
    }

    /// The counter of another cell, in which a block has the number `ms`.
    pub(super) fn beside(&self, tti: &Tti, ms: i64) -> Self {
        Self { correction: self.correction, ..Self::new(tti, ms) }
    }

    /// How a block fits; `None` if its stamp and its counter disagree.
    pub(super) fn fit(&self, tti: &Tti, counter: &Counter, tight: bool) -> Option<Fit> {
        let drift = self.drift(stamp(tti));
        let most = if tight { TIGHT } else { self.tolerance(counter, stamp(tti)) };
        let plain = self.fit_period(tti, counter.period);
        // After a drift of half a period, everything would fit a counter that wraps.
        let drifted = if counter.period.is_some() { drift.min(WRAPPED) } else { drift };
        if plain.late.saturating_abs() <= most.saturating_add(drifted) {
            return Some(plain);
        }
        let unknown = counter.period.is_none();
        let known = PERIODS.iter().filter(|period| counter.largest.max(tti.tti) < **period);
        known
            .filter(|_| unknown && !tight)
            .map(|period| Fit { period: Some(*period), ..self.fit_period(tti, Some(*period)) })
            .find(|fit| fit.late.saturating_abs() <= WRAPPED + drift.min(WRAPPED))
    }

    /// The number of the millisecond with this period that is nearest to its stamp.
    fn fit_period(&self, tti: &Tti, period: Option<i64>) -> Fit {
        let counted = self.counted(tti);
        let ms = period.map_or(counted, |period| {
            let ahead = self.at(stamp(tti)).saturating_sub(counted);
            let wraps = ahead.saturating_add(period / 2).div_euclid(period);
            counted.saturating_add(wraps.saturating_mul(period))
        });
        let aired = self.zero.saturating_add(ms.saturating_mul(MS));
        Fit { ms, late: stamp(tti).saturating_sub(aired), period: None }
    }

    /// The number of a block's millisecond if the counter has not wrapped.
    pub(super) const fn counted(&self, tti: &Tti) -> i64 {
        tti.tti.saturating_add(self.shift)
    }

    /// Learns from a block that fits.
    pub(super) fn saw(&mut self, tti: &Tti, fit: Fit) {
        let stamp = stamp(tti);
        // After a long silence the clocks have drifted, and nothing else shows by how much.
        let followed = if self.is_silent(stamp) { fit.late } else { fit.late / FOLLOWED };
        self.zero = self.zero.saturating_add(followed);
        self.jitter = self.jitter.max(fit.late.saturating_abs());
        if stamp == self.stamped.0 {
            let grain = tti.tti.saturating_sub(self.stamped.1);
            let possible = 0..=MOST_GRAIN_MS;
            self.grain_ms = self.grain_ms.max(if possible.contains(&grain) { grain } else { 0 });
        } else {
            self.stamped = (stamp, tti.tti);
        }
    }

    /// How far a stamp may be from its counter. After a silence, another counter that wraps would
    /// fit too easily, and an epoch costs little there, so that no more is granted than was seen.
    fn tolerance(&self, counter: &Counter, stamp: i64) -> i64 {
        let most = if counter.derived { DERIVED } else { LOOSE };
        let least = if counter.period.is_some() && self.is_silent(stamp) {
            most.min(self.jitter.saturating_mul(2).saturating_add(WRAPPED))
        } else {
            most
        };
        let whole_seconds = self.stamped.0 % SECOND == 0 && stamp % SECOND == 0;
        least + if whole_seconds { SECOND } else { self.grain_ms * MS }
    }

    /// Whether a block shows the phase anew, otherwise than before.
    pub(super) fn is_anew(&self, tti: &Tti, fit: Fit) -> bool {
        self.is_silent(stamp(tti)) && fit.late.saturating_abs() > TIGHT
    }

    const fn is_silent(&self, stamp: i64) -> bool {
        stamp.saturating_sub(self.stamped.0).saturating_abs() > SILENCE
    }

    /// By how much clocks may have drifted since the last block.
    const fn drift(&self, stamp: i64) -> i64 {
        let apart = stamp.saturating_sub(self.stamped.0).saturating_abs();
        apart / 1_000_000 * MOST_PPM
    }
}
