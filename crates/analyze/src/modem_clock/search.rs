//! The offsets that satisfy the bounds: ranges are halved until all or none of a half does.

use airmile_types::Duration;

use super::bounds::{Bounds, Part};

/// Offsets from the first to the last.
pub(super) type Range = (i64, i64);

/// Ranges are told to half a millisecond: subframes last one.
const FINEST: i64 = Duration::from_micros(500).as_nanos();
/// Ranges less than this apart are one; ours: HARQ and turns of others are shorter.
const APART: i64 = Duration::from_millis(100).as_nanos();
/// Halves that are looked at, and blocks that are: some seconds of work; ours.
const MOST_WORK: u64 = 400_000;
const MOST_BLOCKS: u64 = 3_000_000_000;

/// All ranges of `within` that satisfy the bounds, in order; `None` where that is too much work.
pub(super) fn ranges(bounds: &Bounds, within: Range) -> Option<Vec<Range>> {
    let mut search = Search::new(bounds);
    search.halve(within);
    let mut found: Vec<Range> = Vec::new();
    for range in search.found {
        match found.last_mut() {
            Some(last) if range.0 - last.1 < APART => last.1 = range.1,
            _ => found.push(range),
        }
    }
    (search.work > 0).then_some(found)
}

struct Search<'a> {
    bounds: &'a Bounds,
    found: Vec<Range>,
    /// Halves that may still be looked at.
    work: u64,
}

impl<'a> Search<'a> {
    fn new(bounds: &'a Bounds) -> Self {
        let blocks: usize = bounds.ways.iter().map(super::way::Way::steps).sum();
        let work = MOST_WORK.min(MOST_BLOCKS / (blocks as u64 + 1)).max(1_000);
        Self { bounds, found: Vec::new(), work }
    }

    fn halve(&mut self, (early, late): Range) {
        if self.work == 0 || self.bounds.excludes(early, late) {
            return;
        }
        self.work -= 1;
        if late - early <= FINEST || self.bounds.admits(early, late) {
            self.found.push((early, late));
            return;
        }
        let middle = early + (late - early) / 2;
        self.halve((early, middle));
        self.halve((middle, late));
    }
}

/// The first and the last offset of `within` at which one part violates no bound.
pub(super) fn ends(bounds: &Bounds, part: &Part, within: Range) -> Option<Range> {
    let from = edge(bounds, part, within, true)?;
    let to = edge(bounds, part, within, false)?;
    Some((from, to))
}

fn edge(bounds: &Bounds, part: &Part, (early, late): Range, first: bool) -> Option<i64> {
    if bounds.part_excludes(part, early, late) {
        return None;
    }
    if late - early <= FINEST {
        return Some(if first { early } else { late });
    }
    let middle = early + (late - early) / 2;
    let halves = [(early, middle), (middle, late)];
    let [near, far] = if first { halves } else { [halves[1], halves[0]] };
    edge(bounds, part, near, first).or_else(|| edge(bounds, part, far, first))
}
