//! Computes the distribution of PRB shares from which the thresholds of the rule are chosen (BT19
//! section 3.2.2, Fig 4).

use airmile_types::Parameters;

use crate::tti::Ms;

/// The PRB shares of the scheduled milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PrbShares {
    /// The shares in ascending order.
    sorted: Vec<f64>,
}

/// Which parts of the shares lie above, below and between the thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// The part above `bursts.start_ratio`; 35 % in Fig 4 of BT19.
    pub above_ratio: f64,
    /// The part below `bursts.end_ratio`; 40 % in Fig 4 of BT19.
    pub below_ratio: f64,
    /// The part between the two thresholds.
    pub between_ratio: f64,
    /// Sarle's coefficient. Above 5/9 = 0.56, the value of the uniform distribution, it suggests
    /// two modes (SAS/STAT 9 User's Guide, CLUSTER; Pfister et al., Front. Psychol. 4:700, 2013).
    /// `None` for fewer than four milliseconds, or when all are alike.
    pub bimodality: Option<f64>,
}

impl PrbShares {
    /// The shares of these milliseconds: PRBs divided by the PRBs of the carrier's cell (Fig 4).
    pub(crate) fn of(milliseconds: &[Ms]) -> Self {
        let mut sorted: Vec<f64> = milliseconds.iter().filter_map(|ms| ms.share).collect();
        sorted.sort_by(f64::total_cmp);
        Self { sorted }
    }

    /// Which parts of the shares the thresholds in force separate; `None` if no share is known.
    pub(crate) fn modes(&self, parameters: &Parameters) -> Option<Modes> {
        let all = self.sorted.len();
        let up_to = self.sorted.partition_point(|share| *share <= parameters.burst_start_ratio);
        let below = self.sorted.partition_point(|share| *share < parameters.burst_end_ratio);
        let ratio = |count: usize| count as f64 / all as f64;
        (all > 0).then(|| Modes {
            above_ratio: ratio(all - up_to),
            below_ratio: ratio(below),
            between_ratio: ratio(up_to.saturating_sub(below)),
            bimodality: self.bimodality(),
        })
    }

    /// (g1^2 + 1) / (g2 + 3 (n - 1)^2 / ((n - 2)(n - 3))), with the skewness g1 and the excess
    /// kurtosis g2 corrected for the sample's size.
    fn bimodality(&self) -> Option<f64> {
        let n = self.sorted.len() as f64;
        let mean = self.sorted.iter().sum::<f64>() / n;
        let moment = |power| self.sorted.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
        let variance = moment(2);
        if n < FEWEST || variance <= 0.0 {
            return None;
        }
        let skewness = moment(3) / variance.powf(1.5) * f64::sqrt(n * (n - 1.0)) / (n - 2.0);
        let corner = (n - 2.0) * (n - 3.0);
        let kurtosis =
            (n - 1.0) / corner * ((n + 1.0) * (moment(4) / variance.powi(2) - 3.0) + 6.0);
        Some((skewness.powi(2) + 1.0) / (kurtosis + 3.0 * (n - 1.0).powi(2) / corner))
    }
}

/// The correction for the sample's size divides by n - 3.
const FEWEST: f64 = 4.0;

#[cfg(test)]
mod tests {
    use super::super::cases::script;
    use super::*;

    fn modes(text: &str) -> Option<Modes> {
        PrbShares::of(&script(text)).modes(&Parameters::default())
    }

    #[test]
    fn the_thresholds_themselves_are_between() {
        let modes = modes("100 90 91 40 39 20 . ? 60 10").unwrap();
        assert_eq!(
            (modes.above_ratio, modes.below_ratio, modes.between_ratio),
            (0.25, 0.375, 0.375)
        );
    }

    #[test]
    fn nothing_known_says_nothing() {
        assert_eq!(modes(". ? ."), None);
        assert_eq!(modes("100 100 100 100 100").unwrap().bimodality, None);
        assert_eq!(modes("100 1 1").unwrap().bimodality, None);
    }

    #[test]
    fn sarles_coefficient() {
        // The expected value was computed by the formula of the SAS/STAT User's Guide,
        // independently of this code.
        let few = modes("10 20 95 100 97 30 99 5").unwrap().bimodality.unwrap();
        assert!((few - 0.435_225_584_856).abs() < 1e-9, "{few}");
        let two = modes("100x20 97x5 10x20 20x5").unwrap().bimodality.unwrap();
        assert!(two > 5.0 / 9.0, "{two}");
        let one = modes("50 51 52 49 48 50 50 53 47 70 30").unwrap().bimodality.unwrap();
        assert!(one < 5.0 / 9.0, "{one}");
    }
}
