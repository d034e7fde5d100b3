//! Selects the range of offsets that satisfies the bounds. If several ranges do, or none, likely
//! offsets are considered.

use airmile_types::Duration;

use super::answer::NotAligned;
use super::bounds::Bounds;
use super::line::Lines;
use super::search::{self, Range, Work};

/// The shortest log or capture that is enough for an alignment (our choice).
pub(super) const SHORTEST: i64 = Duration::from_secs(2).as_nanos();
/// The share of the bytes that must lie in the common time at a likely offset.
const COMMON_OF_CANDIDATE: f64 = 0.1;
/// The likely offsets: equal clocks, wrong time zones, and GPS time, which is ahead of UTC by 18 s
/// since 2017.
const HOUR: i64 = Duration::from_secs(3_600).as_nanos();
const ZONES: i64 = 14;
const GPS_UTC: i64 = Duration::from_secs(18).as_nanos();
/// The length of a subframe.
pub(super) const TICK: i64 = Duration::from_millis(1).as_nanos();

/// The only range of offsets that satisfies the bounds, with the possible drifts.
pub(super) fn answer(bounds: &Bounds) -> Result<Lines, NotAligned> {
    let found = search::ranges(bounds, bounds.domain()?, &mut Work::of(bounds));
    let ranges = found.ok_or(NotAligned::TooLong)?;
    let mut work = Work::of(bounds);
    let lines = |range| Lines::through(bounds, range, &mut work);
    let mut all: Vec<Lines> = ranges.into_iter().filter_map(lines).collect();
    if work.is_spent() {
        return Err(NotAligned::TooLong);
    }
    match all.len() {
        0 => likely(bounds).ok_or(NotAligned::Violated),
        1 => Ok(all.remove(0)),
        _ => {
            let is_likely = |at: &i64| all.iter().position(|lines| holds(lines.range(), *at));
            let place = candidates().find_map(|at| is_likely(&at));
            let middle = |lines: &Lines| {
                let (from, to) = lines.range();
                from.midpoint(to) as f64 / 1e9
            };
            let offsets: Vec<f64> = all.iter().map(middle).collect();
            place.map(|place| all.remove(place)).ok_or(NotAligned::Ambiguous(offsets))
        }
    }
}

/// The likely offsets: zero, whole hours, and GPS time against UTC.
fn candidates() -> impl Iterator<Item = i64> {
    let hours = (1..=ZONES).flat_map(|hours| [-hours * HOUR, hours * HOUR]);
    std::iter::once(0).chain(hours).chain([-GPS_UTC, GPS_UTC])
}

pub(super) const fn holds((from, to): Range, at: i64) -> bool {
    from.saturating_sub(TICK) <= at && at <= to.saturating_add(TICK)
}

/// A likely offset, if log and capture have little time in common.
fn likely(bounds: &Bounds) -> Option<Lines> {
    let bounds = Bounds { common: COMMON_OF_CANDIDATE, ..bounds.clone() };
    let mut work = Work::of(&bounds);
    candidates().find_map(|at| {
        let near = search::ranges(&bounds, (at - SHORTEST, at + SHORTEST), &mut work)?;
        let range = near.into_iter().find(|range| holds(*range, at))?;
        Lines::through(&bounds, range, &mut work)
    })
}
