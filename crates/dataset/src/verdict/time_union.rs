//! Computes the length of the union of several stretches of time.

use std::collections::BTreeMap;

/// Stretches of time that neither overlap nor touch, as begin and end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TimeUnion(BTreeMap<i64, i64>);

impl TimeUnion {
    /// Adds a stretch; a stretch that ends before it begins is ignored.
    pub(super) fn insert(&mut self, mut start: i64, mut end: i64) {
        if end <= start {
            return;
        }
        // Among the stretches that begin before this end, the last to begin is the last to end.
        while let Some((&from, &to)) = self.0.range(..=end).next_back() {
            if to < start {
                break;
            }
            (start, end) = (start.min(from), end.max(to));
            self.0.remove(&from);
        }
        self.0.insert(start, end);
    }

    /// Adds all stretches of another union.
    pub(super) fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(start, end)| self.insert(*start, *end));
    }

    /// The total length, in ns.
    pub(super) fn length_ns(&self) -> i128 {
        self.0.iter().map(|(start, end)| i128::from(*end) - i128::from(*start)).sum()
    }

    /// The number of separate stretches.
    pub(super) fn stretches(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn union(stretches: &[(i64, i64)]) -> TimeUnion {
        let mut union = TimeUnion::default();
        stretches.iter().for_each(|(start, end)| union.insert(*start, *end));
        union
    }

    #[test]
    fn what_overlaps_or_touches_counts_once() {
        let apart = union(&[(0, 2), (5, 7)]);
        assert_eq!((apart.length_ns(), apart.stretches()), (4, 2));
        assert_eq!(union(&[(0, 2), (5, 7), (1, 6)]), union(&[(0, 7)]));
        assert_eq!(union(&[(2, 5), (0, 2)]), union(&[(0, 5)]));
        assert_eq!(union(&[(0, 9), (3, 4), (9, 9), (8, 2)]), union(&[(0, 9)]));
    }

    /// Tests every order of some stretches against counting each instant.
    #[test]
    fn the_order_changes_nothing() {
        let stretches = [(0, 3), (10, 12), (2, 5), (5, 6), (11, 15), (8, 9)];
        let covered = (0..20).filter(|t| stretches.iter().any(|(a, b)| a <= t && t < b)).count();
        for turn in 0..stretches.len() {
            let mut turned = stretches;
            turned.rotate_left(turn);
            assert_eq!(union(&turned).length_ns(), covered as i128);
            turned.reverse();
            assert_eq!(union(&turned).length_ns(), covered as i128);
        }
    }
}
