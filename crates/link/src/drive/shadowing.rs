//! The shadowing of cells along a road: normal in dB, with a correlation that falls exponentially with
//! the distance (Gudmundson, Electronics Letters 1991), and one between cells (TR 36.942).
//!
//! The shadowing of a cell is the sum of a part that the surroundings of the phone cause, the same
//! for all cells, and of a part of its own. The share of the common part in the variance is the
//! correlation between two cells.

use std::collections::BTreeMap;

use crate::random::Random;

/// The shadowing at the phone's place.
#[derive(Clone, Debug)]
pub(super) struct Shadowing {
    deviation_db: f64,
    /// The distance after which the correlation has fallen to 1/e, in metres.
    distance_m: f64,
    /// The correlation between two cells.
    correlation: f64,
    /// Standard normal values: the common part, and the own part of each cell.
    common: Option<f64>,
    own: BTreeMap<i64, f64>,
}

impl Shadowing {
    pub(super) const fn new(deviation_db: f64, distance_m: f64, correlation: f64) -> Self {
        Self { deviation_db, distance_m, correlation, common: None, own: BTreeMap::new() }
    }

    /// Moves the phone by a distance in metres, to where it hears these cells.
    pub(super) fn go(&mut self, metres: f64, heard: &[i64], random: &mut Random) {
        let keep = (-metres / self.distance_m).exp();
        let mut next = |before: Option<f64>| match before {
            Some(value) => keep * value + (1.0 - keep * keep).sqrt() * random.normal(),
            None => random.normal(),
        };
        self.common = Some(next(self.common));
        let own = heard.iter().map(|number| (*number, next(self.own.get(number).copied())));
        self.own = own.collect();
    }

    /// Counts the cells from another one on.
    pub(super) fn renumber(&mut self, first: i64) {
        let own = std::mem::take(&mut self.own);
        self.own = own.into_iter().map(|(number, value)| (number - first, value)).collect();
    }

    /// The shadowing of a cell in dB; 0 for a cell that is not heard.
    pub(super) fn db(&self, number: i64) -> f64 {
        let Some((common, own)) = self.common.zip(self.own.get(&number)) else { return 0.0 };
        let sum = self.correlation.sqrt() * common + (1.0 - self.correlation).sqrt() * own;
        self.deviation_db * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The shadowing of two cells, at places a step apart.
    fn walk(shadowing: &mut Shadowing, seed: u64, step_m: f64, steps: usize) -> Vec<[f64; 2]> {
        let mut random = Random::new(seed, (0, 0));
        let mut at = || {
            shadowing.go(step_m, &[3, 4], &mut random);
            [3, 4].map(|number| shadowing.db(number))
        };
        (0..steps).map(|_| at()).collect()
    }

    fn correlation(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
        let count = pairs.clone().count() as f64;
        let mean = |of: fn((f64, f64)) -> f64| pairs.clone().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let moment = |of: &dyn Fn(f64, f64) -> f64| {
            pairs.clone().map(|(a, b)| of(a - x, b - y)).sum::<f64>() / count
        };
        moment(&|a, b| a * b) / (moment(&|a, _| a * a) * moment(&|_, b| b * b)).sqrt()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn correlations_over_distance_and_between_cells_are_those_of_the_settings(
            seed: u64,
            deviation_db in 1.0..12.0f64,
            distance_m in 20.0..500.0f64,
            between in 0.0..1.0f64,
        ) {
            // A fifth of the distance a step: 20,000 steps are 2,000 independent values.
            let mut shadowing = Shadowing::new(deviation_db, distance_m, between);
            let walk = walk(&mut shadowing, seed, distance_m / 5.0, 20_000);
            let first = || walk.iter().map(|[first, _]| *first);
            let variance = first().map(|db| db * db).sum::<f64>() / walk.len() as f64;
            // Five standard errors of 2,000 independent values.
            prop_assert!((variance / deviation_db.powi(2) - 1.0).abs() < 0.16, "{variance}");
            let found = correlation(walk.iter().map(|[one, other]| (*one, *other)));
            prop_assert!((found - between).abs() < 0.11, "{found} for {between}");
            for lag in [1, 5, 10] {
                let found = correlation(first().zip(first().skip(lag)));
                let theory = (-(lag as f64) / 5.0).exp();
                prop_assert!((found - theory).abs() < 0.11, "{lag}: {found} for {theory}");
            }
        }
    }

    #[test]
    fn a_cell_without_shadowing_has_none() {
        let mut shadowing = Shadowing::new(0.0, 50.0, 0.5);
        assert!(walk(&mut shadowing, 1, 10.0, 100).iter().flatten().all(|db| *db == 0.0));
        assert_eq!(shadowing.db(9), 0.0);
    }
}
