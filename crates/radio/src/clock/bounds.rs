//! Tests the two bounds on the offset: no byte is served before it arrived, and no byte is known to
//! have crossed the radio before it was served.

use airmile_types::Duration;

use super::answer::NotAligned;
use super::byte_curves::{ByteCurves, MOST_PPM};
use super::same_time;

/// A part of the log without a gap, by the modem's clock. The byte counts start at 0 in each part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) from: i64,
    pub(super) to: i64,
}

impl Part {
    pub(super) const fn middle(&self) -> i64 {
        self.from.midpoint(self.to)
    }
}

/// What log and capture show about the possible offsets.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) directions: Vec<ByteCurves>,
    pub(super) parts: Vec<Part>,
    /// The times of the phone's first and last packet, by the capture's clock.
    pub(super) captured: (i64, i64),
    /// The time of the modem's clock for which offsets are given.
    pub(super) middle: i64,
    /// The share of the bytes of the log or of the capture that must lie in their common time.
    pub(super) common: f64,
}

/// A violation counts only if it exceeds this share of the bytes so far (methods G9).
const TOLERANCE: f64 = 0.01;

impl Bounds {
    /// The possible offsets at which log and capture have time in common; the reason if there is
    /// none.
    pub(super) fn domain(&self) -> Result<(i64, i64), NotAligned> {
        let (from, to) = self.log();
        let (first, last) = self.captured;
        let domain = (first.saturating_sub(to), last.saturating_sub(from));
        let later = Duration::from_nanos(from.saturating_sub(first));
        same_time::possible(domain, from, first).ok_or(NotAligned::OtherTime(later))
    }

    /// The first and the last time of the log.
    pub(super) fn log(&self) -> (i64, i64) {
        let from = self.parts.first().map_or(0, |part| part.from);
        (from, self.parts.last().map_or(0, |part| part.to))
    }

    /// The parts of the log between its gaps.
    pub(super) fn whole_parts(&self) -> Vec<Part> {
        let mut whole: Vec<Part> = Vec::new();
        for part in &self.parts {
            match whole.last_mut() {
                Some(last) if last.to.saturating_add(1) == part.from => last.to = part.to,
                _ => whole.push(*part),
            }
        }
        whole
    }

    /// How much the offset of a part may differ from the offset in the middle of the log because of
    /// drift, in nanoseconds.
    pub(super) fn drifted(&self, part: &Part) -> i64 {
        let away = part.from.abs_diff(self.middle).max(part.to.abs_diff(self.middle));
        (away as f64 * MOST_PPM * 1e-6) as i64
    }

    fn with_drift(&self, part: &Part, early: i64, late: i64) -> (i64, i64) {
        let drifted = self.drifted(part);
        (early.saturating_sub(drifted), late.saturating_add(drifted))
    }

    /// Whether all offsets from `early` to `late` violate a bound, whatever the drift is.
    pub(super) fn excludes(&self, early: i64, late: i64) -> bool {
        !self.has_common(early, late)
            || self.parts.iter().any(|part| {
                let (early, late) = self.with_drift(part, early, late);
                self.part_excludes(part, early, late)
            })
    }

    /// Whether, at one of the offsets at least, no byte is served before it arrived.
    pub(super) fn comes_first(&self, early: i64, late: i64) -> bool {
        self.parts.iter().all(|part| {
            let (early, late) = self.with_drift(part, early, late);
            !self.directions.iter().any(|curves| self.serves_too_early(curves, part, early, late))
        })
    }

    /// Whether none of the offsets from `early` to `late` violates a bound.
    pub(super) fn admits(&self, early: i64, late: i64) -> bool {
        self.has_common(late, early)
            && !self.parts.iter().any(|part| self.part_excludes(part, late, early))
    }

    /// Whether a part violates a bound at all offsets from `early` to `late`. If the two arguments
    /// are exchanged: whether it does so at any of them.
    pub(super) fn part_excludes(&self, part: &Part, early: i64, late: i64) -> bool {
        self.directions.iter().any(|curves| {
            self.serves_too_early(curves, part, early, late)
                || self.serves_too_late(curves, part, early, late)
        })
    }

    /// Whether a byte is served before it arrived. Bytes that had left the radio before the part
    /// began are not served in the part.
    fn serves_too_early(&self, curves: &ByteCurves, part: &Part, early: i64, late: i64) -> bool {
        let first = curves.least.from(part.from.max(self.captured.0.saturating_sub(early)));
        let last = curves.least.behind(part.to.min(self.captured.1.saturating_sub(late)));
        let before = curves.least.until(first);
        let gone = curves.gone.by(part.from.saturating_add(early));
        let mut came = curves.came.behind(curves.least.time(first).saturating_add(late));
        (first..last).any(|place| {
            let at = curves.least.time(place).saturating_add(late);
            came = curves.came.behind_from(came, at);
            let served = curves.least.until(place + 1).saturating_sub(before);
            let block = curves.least.until(place + 1).saturating_sub(curves.least.until(place));
            let there = curves.came.until(came).saturating_sub(gone);
            served > there.saturating_add(allowance(served, block))
        })
    }

    /// Whether a byte crossed the radio before it was served. Bytes that arrived before the part
    /// began may have been served before it.
    fn serves_too_late(&self, curves: &ByteCurves, part: &Part, early: i64, late: i64) -> bool {
        let begin = part.from.max(self.captured.0.saturating_sub(late));
        let before = curves.most.until(curves.most.from(begin));
        let earlier = curves.over_came.by(part.from.saturating_add(late));
        let first = curves.over.from(part.from.saturating_add(late));
        let last = curves.over.behind(part.to.saturating_add(early));
        let mut served = curves.most.behind(curves.over.time(first).saturating_sub(early));
        (first..last).any(|place| {
            let over = curves.over.until(place + 1).saturating_sub(earlier);
            let at = curves.over.time(place).saturating_sub(early);
            served = curves.most.behind_from(served, at);
            let next = curves.most.until(served + 1);
            let brought = curves.most.until(served).saturating_sub(before);
            let block = next.saturating_sub(curves.most.until(served));
            over > brought.saturating_add(allowance(over, block))
        })
    }

    /// Whether enough bytes lie in the common time at any of the offsets. If the two arguments are
    /// exchanged: whether they do at all of them.
    fn has_common(&self, early: i64, late: i64) -> bool {
        let (from, to) = self.log();
        let (first, last) = (from.saturating_add(early), to.saturating_add(late));
        let in_log = self.share(|curves| (curves.came.within(first, last), curves.came.total()));
        in_log >= self.common || self.logged(early, late) >= self.common
    }

    /// The share of the log's bytes that lies within the capture at any of the offsets.
    pub(super) fn logged(&self, early: i64, late: i64) -> f64 {
        let (from, to) =
            (self.captured.0.saturating_sub(late), self.captured.1.saturating_sub(early));
        self.share(|curves| (curves.most.within(from, to), curves.most.total()))
    }

    fn share(&self, of: impl Fn(&ByteCurves) -> (u64, u64)) -> f64 {
        let sums = self
            .directions
            .iter()
            .map(of)
            .fold((0u64, 0u64), |(a, b), (c, d)| (a.saturating_add(c), b.saturating_add(d)));
        if sums.1 > 0 { sums.0 as f64 / sums.1 as f64 } else { 1.0 }
    }
}

fn allowance(so_far: u64, block: u64) -> u64 {
    block.max((so_far as f64 * TOLERANCE) as u64)
}
