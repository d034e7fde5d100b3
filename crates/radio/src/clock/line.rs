//! Finds offset and drift together: the lines through the offsets that every part of the log
//! allows.

use super::bounds::Bounds;
use super::byte_curves::MOST_PPM;
use super::search::{self, Range, Work};

/// The lines that satisfy the bounds: for each slope, a range of offsets in the middle of the log.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    lines: Vec<(f64, Range)>,
    /// The times from the middle of the log to its first and to its last time.
    reach: (i64, i64),
}

/// The step between slopes in parts per million. One part per million is a tenth of a millisecond
/// in 100 s.
const STEP_PPM: i64 = 2;

impl Lines {
    /// The lines within a range of offsets; `None` if there is none, or if finding them is too much
    /// work.
    pub(super) fn through(bounds: &Bounds, range: Range, work: &mut Work) -> Option<Self> {
        let mut gates = Vec::new();
        for part in &bounds.parts {
            let drifted = bounds.drifted(part);
            let within = (range.0.saturating_sub(drifted), range.1.saturating_add(drifted));
            let (from, to) = search::ends(bounds, part, within, work)?;
            gates.push((part.middle().saturating_sub(bounds.middle), from, to));
        }
        let most = MOST_PPM as i64 / STEP_PPM;
        let line = |step: i64| {
            let slope = (step * STEP_PPM) as f64 * 1e-6;
            let drift = |away: i64| (away as f64 * slope) as i64;
            let from =
                gates.iter().map(|(away, from, _)| from.saturating_sub(drift(*away))).max()?;
            let to = gates.iter().map(|(away, _, to)| to.saturating_sub(drift(*away))).min()?;
            let (from, to) = (from.max(range.0), to.min(range.1));
            (from <= to).then_some((slope, (from, to)))
        };
        let lines: Vec<_> = (-most..=most).filter_map(line).collect();
        let (from, to) = bounds.log();
        let reach = (from.saturating_sub(bounds.middle), to.saturating_sub(bounds.middle));
        (!lines.is_empty()).then_some(Self { lines, reach })
    }

    /// The offsets in the middle of the log that any line has, whatever its slope.
    pub(super) fn range(&self) -> Range {
        let from = self.lines.iter().map(|(_, range)| range.0).min().unwrap_or(0);
        (from, self.lines.iter().map(|(_, range)| range.1).max().unwrap_or(0))
    }

    /// Offset and slope of the line nearest to the given one.
    pub(super) fn nearest(&self, offset: i64, slope: f64) -> (i64, f64) {
        let far = |line: &&(f64, Range)| {
            let (tilt, (from, to)) = line;
            let away = offset.clamp(*from, *to).abs_diff(offset) as f64;
            away + (tilt - slope).abs() * self.reach.1.abs_diff(self.reach.0) as f64
        };
        let best = self.lines.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        best.map_or((offset, slope), |(tilt, (from, to))| (offset.clamp(*from, *to), *tilt))
    }

    /// The greatest distance between the given line and any other line, from the first to the last
    /// time of the log.
    pub(super) fn farthest(&self, offset: i64, slope: f64) -> i64 {
        let far = |(tilt, (from, to)): &(f64, Range)| {
            [self.reach.0, 0, self.reach.1]
                .into_iter()
                .flat_map(|away| {
                    let tilted = ((tilt - slope) * away as f64) as i64;
                    let far = |end: i64| end.saturating_sub(offset).saturating_add(tilted);
                    [far(*from).saturating_abs(), far(*to).saturating_abs()]
                })
                .max()
        };
        self.lines.iter().filter_map(far).max().unwrap_or(0)
    }
}
