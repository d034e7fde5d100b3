//! An epoch: a stretch of a log in which the counters go on.

use airmile_read::modem::Tti;
use airmile_types::Duration;

use super::phase::{Counter, Fit, Phase, TIGHT, stamp};

/// How far beyond the known blocks of an epoch another block is placed at once, in milliseconds.
/// Further away, one block is no proof.
const NEAR_MS: i64 = 10_000;
/// The same for an epoch whose file has ended: blocks of an overlapping file.
const BESIDE_MS: i64 = 350;
/// The greatest number of epochs that may be the beginning of one: files that were given in the
/// wrong order.
const MOST_BEGINNINGS: usize = 64;
/// The greatest number of phases of an epoch that are kept; a phone sees few cells.
const MOST_PHASES: usize = 16;

/// A stretch of a log in which the counters go on.
#[derive(Clone, Debug)]
pub(super) struct Epoch {
    /// The counters, the one that was used last at the end.
    phases: Vec<Phase>,
    /// The first and the last millisecond.
    first: i64,
    last: i64,
    /// The earliest and the latest corrected stamp, in microseconds.
    pub(super) begin: i64,
    pub(super) end: i64,
    /// Whether the file of the epoch has ended.
    pub(super) is_over: bool,
    /// The stamp by which the lane finds the epoch.
    pub(super) listed: i64,
    /// The epoch of another file that this one turned out to be the beginning of, and what is added
    /// to the numbers here to have those there.
    pub(super) united: Option<(usize, i64)>,
    /// The epochs that are the beginning of this one.
    beginnings: Vec<usize>,
}

/// Where a block is in an epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    phase: usize,
    pub(super) fit: Fit,
}

impl Epoch {
    /// An epoch that begins with a block.
    pub(super) fn new(tti: &Tti) -> Self {
        let (ms, stamp) = (tti.tti, stamp(tti));
        Self {
            phases: vec![Phase::new(tti, ms)],
            first: ms,
            last: ms,
            begin: stamp,
            end: stamp,
            is_over: false,
            listed: stamp,
            united: None,
            beginnings: Vec::new(),
        }
    }

    /// The first and the last millisecond.
    pub(super) const fn span(&self) -> (i64, i64) {
        (self.first, self.last)
    }

    /// The stamp of the newest block, as the log gives it, in microseconds.
    pub(super) fn newest_stamp(&self) -> i64 {
        self.phases.last().map_or(self.end, Phase::newest_stamp)
    }

    /// Whether the epoch has blocks before and after a stamp.
    pub(super) const fn holds(&self, stamp: i64) -> bool {
        self.begin <= stamp && stamp <= self.end
    }

    /// Where a block is; `None` if its stamp and its counter disagree. `moved` says that the phone
    /// has changed its cell before the block.
    pub(super) fn find(&self, tti: &Tti, counter: &Counter, moved: bool) -> Option<Place> {
        let newest = self.phases.len().saturating_sub(1);
        let own = |phase: &Phase| tti.carrier == 0 && tti.cell.is_some() && phase.cell == tti.cell;
        let fits = self.phases.iter().enumerate().rev().filter_map(|(at, phase)| {
            let tight = !own(phase) && (moved || at != newest);
            let fit = phase.fit(tti, counter, tight)?;
            // A wrap shows by a block that comes next.
            let next = fit.ms > self.last.saturating_sub(BESIDE_MS);
            (fit.period.is_none() || next).then_some(())?;
            let late = fit.late.saturating_abs() > TIGHT;
            Some(((fit.period.is_some(), !own(phase), late), Place { phase: at, fit }))
        });
        fits.min_by_key(|(worse, _)| *worse).map(|(_, place)| place)
    }

    /// Whether a place is so near the known blocks that the block needs no other proof.
    pub(super) const fn is_near(&self, place: &Place) -> bool {
        let far = if self.is_over { BESIDE_MS } else { NEAR_MS };
        let ms = place.fit.ms;
        ms >= self.first.saturating_sub(far) && ms <= self.last.saturating_add(far)
    }

    /// Whether a stamp is so near the known blocks that the block needs no other proof.
    fn is_now(&self, stamp: i64) -> bool {
        let ms = self.phases.last().map_or(0, |phase| phase.at(stamp));
        !self.is_over
            && ms >= self.last.saturating_sub(BESIDE_MS)
            && ms <= self.last.saturating_add(NEAR_MS)
    }

    /// Takes a block at its place, with its number in the epoch and its corrected time.
    pub(super) fn take(&mut self, tti: &mut Tti, place: Place) {
        if place.phase < self.phases.len() {
            let mut phase = self.phases.remove(place.phase);
            if phase.is_anew(tti, place.fit) {
                // Blocks of the time before may come again.
                self.keep(phase);
            }
            phase.saw(tti, place.fit);
            self.number(tti, place.fit.ms, phase.correction);
            self.keep(phase);
        }
    }

    /// Takes the first block of another cell, whose counter has another phase: its number follows
    /// from its stamp. Returns whether the block is near enough.
    pub(super) fn hand_over(&mut self, tti: &mut Tti) -> bool {
        let Some(before) = self.phases.last().filter(|_| self.is_now(stamp(tti))) else {
            return false;
        };
        let ms = before.at(stamp(tti)).max(self.last.saturating_add(1));
        let phase = before.beside(tti, ms);
        self.add(phase, tti, ms);
        true
    }

    /// Takes the first block after the clock was set back while the counter went on.
    pub(super) fn step(&mut self, tti: &Tti, ms: i64) {
        if let Some(before) = self.phases.last() {
            let phase = before.after_step(tti, ms);
            self.keep(phase);
        }
    }

    /// Lets another epoch, which came earlier and counts `ahead` less, be the beginning of this one.
    /// Returns whether there is room for it.
    pub(super) fn unite(&mut self, at: usize, earlier: &Self, ahead: i64) -> bool {
        if self.beginnings.len() >= MOST_BEGINNINGS {
            return false;
        }
        self.beginnings.push(at);
        self.first = self.first.min(earlier.first.saturating_add(ahead));
        self.last = self.last.max(earlier.last.saturating_add(ahead));
        self.begin = self.begin.min(earlier.begin);
        self.end = self.end.max(earlier.end);
        true
    }

    /// The beginning of this epoch that has a millisecond, and its number there.
    pub(super) fn beginning(&self, ms: i64, epochs: &[Self]) -> Option<(usize, i64)> {
        self.beginnings.iter().find_map(|at| {
            let epoch = epochs.get(*at)?;
            let there = ms.saturating_sub(epoch.united?.1);
            (epoch.first..=epoch.last).contains(&there).then_some((*at, there))
        })
    }

    /// Counts the blocks of a cell that another file has logged at the same time, by their stamps.
    /// Returns whether the cell is another one than those that are known.
    pub(super) fn count_beside(&mut self, tti: &Tti) -> bool {
        let known = |phase: &Phase| phase.cell.is_none() || phase.cell == tti.cell;
        let Some(before) = self.phases.last() else { return false };
        if tti.cell.is_none() || self.phases.iter().any(known) {
            return false;
        }
        let phase = before.beside(tti, before.at(stamp(tti)));
        self.keep(phase);
        true
    }

    /// By how many milliseconds the counter has gone on since the last block, if the counter is the
    /// newest one.
    pub(super) fn gone_on(&self, tti: &Tti, period: Option<i64>) -> Option<i64> {
        let phase = self.phases.last()?;
        let ahead = phase.counted(tti).saturating_sub(self.last);
        Some(
            period.map_or(ahead, |period| {
                ahead.saturating_add(BESIDE_MS).rem_euclid(period) - BESIDE_MS
            }),
        )
    }

    fn add(&mut self, phase: Phase, tti: &mut Tti, ms: i64) {
        self.keep(phase);
        self.number(tti, ms, phase.correction);
    }

    fn keep(&mut self, phase: Phase) {
        if self.phases.len() >= MOST_PHASES {
            self.phases.remove(0);
        }
        self.phases.push(phase);
    }

    fn number(&mut self, tti: &mut Tti, ms: i64, correction: i64) {
        tti.tti = ms;
        tti.time = tti.time + Duration::from_nanos(correction.saturating_mul(1000));
        self.first = self.first.min(ms);
        self.last = self.last.max(ms);
        self.begin = self.begin.min(stamp(tti));
        self.end = self.end.max(stamp(tti));
    }
}
