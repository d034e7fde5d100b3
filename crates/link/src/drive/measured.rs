//! Measures the levels of cells, and filters them in layer 3 (TS 36.331 section 5.5.3.2).

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

/// The time between two measurements: that of the physical layer for cells on the frequency of the
/// serving cell (TS 36.133 section 8.1.2.2.1), for which the filter's coefficient is meant.
const PERIOD: Duration = Duration::from_millis(200);

/// The filtered levels of cells, in dB.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// The weight of a new value, 2^(-k/4).
    weight: f64,
    due: Option<Instant>,
    /// The sum of the powers of a cell since the last measurement, and their number.
    sums: BTreeMap<i64, (f64, f64)>,
    filtered: BTreeMap<i64, f64>,
}

impl Measured {
    pub(super) fn new(k: f64) -> Self {
        let weight = 0.5_f64.powf(k / 4.0);
        Self { weight, due: None, sums: BTreeMap::new(), filtered: BTreeMap::new() }
    }

    /// Takes the levels of the cells at `now`, in dB. Returns whether this completes a measurement,
    /// which averages the power since the one before. The first level of all is one.
    pub(super) fn take(&mut self, now: Instant, levels: impl Iterator<Item = (i64, f64)>) -> bool {
        for (number, db) in levels {
            let (sum, count) = self.sums.entry(number).or_default();
            (*sum, *count) = (*sum + 10f64.powf(db / 10.0), *count + 1.0);
        }
        let is_due = self.due.is_none_or(|due| now >= due);
        if is_due {
            self.due = Some(now + PERIOD);
            self.filter();
        }
        is_due
    }

    /// The filtered levels, by cell.
    pub(super) fn levels(&self) -> impl Iterator<Item = (i64, f64)> {
        self.filtered.iter().map(|(number, db)| (*number, *db))
    }

    /// The filtered level of a cell; `None` if the cell was not measured.
    pub(super) fn level(&self, number: i64) -> Option<f64> {
        self.filtered.get(&number).copied()
    }

    fn filter(&mut self) {
        let sums = std::mem::take(&mut self.sums);
        let measured = sums.into_iter().map(|(number, (sum, count))| {
            let db = 10.0 * (sum / count).log10();
            let before = self.filtered.get(&number).copied().unwrap_or(db);
            (number, (1.0 - self.weight) * before + self.weight * db)
        });
        self.filtered = measured.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filtered levels of one cell, which is measured each 200 ms.
    fn filtered(k: f64, levels: &[f64]) -> Vec<f64> {
        let mut measured = Measured::new(k);
        let mut one = |(at, db): (usize, &f64)| {
            let now = Instant::from_nanos(at as i64 * 200_000_000);
            assert!(measured.take(now, [(7, *db)].into_iter()));
            measured.level(7).unwrap()
        };
        levels.iter().enumerate().map(&mut one).collect()
    }

    #[test]
    fn the_filter_weighs_a_new_value_by_its_coefficient() {
        // k = 4 weighs a new value by a half, k = 8 by a quarter, k = 0 by one.
        let levels = [-100.0, -90.0, -90.0, -98.0];
        let near = |found: Vec<f64>, hand: [f64; 4]| {
            found.iter().zip(hand).all(|(one, other)| (one - other).abs() < 1e-9)
        };
        assert!(near(filtered(4.0, &levels), [-100.0, -95.0, -92.5, -95.25]));
        assert!(near(filtered(8.0, &levels), [-100.0, -97.5, -95.625, -96.21875]));
        assert!(near(filtered(0.0, &levels), levels));
    }

    #[test]
    fn a_measurement_is_the_mean_power_of_its_200_ms() {
        let mut measured = Measured::new(0.0);
        let mut at = |ms: i64, db| {
            let now = Instant::from_nanos(ms * 1_000_000);
            measured.take(now, [(1, db)].into_iter()).then(|| measured.level(1).unwrap())
        };
        assert_eq!(at(0, 0.0), Some(0.0));
        assert_eq!((at(50, 0.0), at(150, 10.0)), (None, None));
        // Powers of 1, 10 and 10.
        assert!((at(200, 10.0).unwrap() - 10.0 * 7f64.log10()).abs() < 1e-9);
        assert_eq!(at(399, 0.0), None);
    }

    #[test]
    fn a_cell_that_is_no_longer_heard_has_no_level() {
        let mut measured = Measured::new(4.0);
        measured.take(Instant::from_nanos(0), [(1, 0.0), (2, 0.0)].into_iter());
        measured.take(Instant::from_nanos(200_000_000), [(2, 0.0)].into_iter());
        assert_eq!((measured.level(1), measured.level(2)), (None, Some(0.0)));
    }
}
