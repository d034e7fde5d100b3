//! Finds the offsets that satisfy the bounds. A range is halved until all of it satisfies them, or
//! none of it.

use airmile_types::Duration;

use super::bounds::{Bounds, Part};

/// The first and the last offset of a range.
pub(super) type Range = (i64, i64);

/// The smallest width of a range: half a millisecond, because a subframe lasts one.
const FINEST: i64 = Duration::from_micros(500).as_nanos();
/// Ranges less than this apart are joined (our choice): HARQ rounds and the scheduling of other
/// users are shorter.
const APART: i64 = Duration::from_millis(100).as_nanos();
/// Limits of one search (our choice): the greatest and the least number of ranges that are
/// examined, and the greatest number of steps of curves that are visited, which is some seconds of
/// work.
const MOST_LOOKS: u64 = 400_000;
const LEAST_LOOKS: u64 = 1_000;
const MOST_STEPS: u64 = 3_000_000_000;

/// The number of steps of curves that may still be examined.
#[derive(Debug)]
pub(super) struct Work(u64);

impl Work {
    /// The amount of work that one search with the given bounds may take.
    pub(super) fn of(bounds: &Bounds) -> Self {
        let look = look(bounds);
        Self((MOST_STEPS / look).clamp(LEAST_LOOKS, MOST_LOOKS).saturating_mul(look))
    }

    /// Whether the work is used up, so that the result is incomplete.
    pub(super) const fn is_spent(&self) -> bool {
        self.0 == 0
    }

    const fn spend(&mut self, steps: u64) {
        self.0 = self.0.saturating_sub(steps);
    }
}

/// The number of steps of all curves.
fn look(bounds: &Bounds) -> u64 {
    let steps: usize = bounds.directions.iter().map(super::byte_curves::ByteCurves::steps).sum();
    steps as u64 + 1
}

/// All ranges within `within` that satisfy the bounds, in ascending order; `None` if finding them
/// is too much work.
pub(super) fn ranges(bounds: &Bounds, within: Range, work: &mut Work) -> Option<Vec<Range>> {
    let mut search = Search { bounds, found: Vec::new(), look: look(bounds), work };
    search.halve(within);
    let mut found: Vec<Range> = Vec::new();
    for range in search.found {
        match found.last_mut() {
            Some(last) if range.0.saturating_sub(last.1) < APART => last.1 = range.1,
            _ => found.push(range),
        }
    }
    (!work.is_spent()).then_some(found)
}

struct Search<'a> {
    bounds: &'a Bounds,
    found: Vec<Range>,
    /// The cost of one examination of all curves, in steps.
    look: u64,
    work: &'a mut Work,
}

impl Search<'_> {
    fn halve(&mut self, (early, late): Range) {
        if self.work.is_spent() || self.bounds.excludes(early, late) {
            return;
        }
        self.work.spend(self.look);
        if late.saturating_sub(early) <= FINEST || self.bounds.admits(early, late) {
            self.found.push((early, late));
            return;
        }
        let middle = early.midpoint(late);
        self.halve((early, middle));
        self.halve((middle, late));
    }
}

/// The first and the last offset within `within` at which one part violates no bound; `None` if
/// there is none, or if finding them is too much work.
pub(super) fn ends(bounds: &Bounds, part: &Part, within: Range, work: &mut Work) -> Option<Range> {
    let parts = bounds.parts.len().max(1) as u64;
    let mut edges = Edges { bounds, part, look: look(bounds) / parts + 1, work };
    Some((edges.edge(within, true)?, edges.edge(within, false)?))
}

struct Edges<'a> {
    bounds: &'a Bounds,
    part: &'a Part,
    /// The cost of one examination of the part, in steps.
    look: u64,
    work: &'a mut Work,
}

impl Edges<'_> {
    fn edge(&mut self, (early, late): Range, first: bool) -> Option<i64> {
        if self.work.is_spent() || self.bounds.part_excludes(self.part, early, late) {
            return None;
        }
        self.work.spend(self.look);
        if late.saturating_sub(early) <= FINEST {
            return Some(if first { early } else { late });
        }
        let middle = early.midpoint(late);
        let halves = [(early, middle), (middle, late)];
        let [near, far] = if first { halves } else { [halves[1], halves[0]] };
        self.edge(near, first).or_else(|| self.edge(far, first))
    }
}
