//! Defines the manifest's sum of what the captures cover.

use airmile_types::{Duration, Instant};
use serde::Serialize;

use crate::shards::captures::Coverage;

/// The time that all captures cover together; `coverage` has a row for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// The number of captures.
    pub captures: usize,
    /// The covered time in ns; times that several captures cover count once.
    pub covered_ns: i64,
    /// The time from the first capture's beginning to the last one's end, in ns.
    pub whole_ns: i64,
}

impl Covered {
    /// Sums up what captures cover; `None` without a capture.
    pub(crate) fn new(captures: &[Coverage]) -> Option<Self> {
        let mut spans: Vec<(Instant, Instant)> =
            captures.iter().map(|capture| (capture.start, capture.end)).collect();
        spans.sort_unstable();
        let (first, mut until) = (spans.first()?.0, spans.first()?.0);
        let mut covered = Duration::ZERO;
        for (start, end) in spans {
            covered += (end - start.max(until)).max(Duration::ZERO);
            until = until.max(end);
        }
        let (covered_ns, whole_ns) = (covered.as_nanos(), (until - first).as_nanos());
        Some(Self { captures: captures.len(), covered_ns, whole_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(spans: &[(i64, i64)]) -> Option<(usize, i64, i64)> {
        let captures: Vec<Coverage> = spans
            .iter()
            .map(|(start, end)| Coverage {
                capture: 0,
                name: String::new(),
                files: 1,
                start: Instant::from_nanos(*start),
                end: Instant::from_nanos(*end),
                packets: 1,
                dropped: None,
            })
            .collect();
        Covered::new(&captures).map(|c| (c.captures, c.covered_ns, c.whole_ns))
    }

    #[test]
    fn times_of_several_captures_count_once() {
        assert_eq!(covered(&[]), None);
        assert_eq!(covered(&[(10, 20)]), Some((1, 10, 10)));
        assert_eq!(covered(&[(50, 60), (10, 30), (20, 25), (28, 35)]), Some((4, 35, 50)));
    }
}
