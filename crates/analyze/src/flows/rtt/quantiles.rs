//! Computes quantiles of durations in little memory. They are exact for a few samples; for more, a
//! histogram is used whose bins grow by a constant factor (Masson, Rim, Lee: DDSketch, PVLDB 12,
//! 2019, section 2.1).

use airmile_types::{Held, Duration};

/// The number of samples up to which every sample is kept.
const EXACT: usize = 64;
/// The number of samples to reserve memory for at first, which is enough for a short flow.
const FEW: usize = 16;
/// Relative error of a value from the histogram.
const ALPHA: f64 = 0.005;
/// The ratio of a bin's bounds, (1 + alpha) / (1 - alpha).
const GAMMA: f64 = (1.0 + ALPHA) / (1.0 - ALPHA);
/// The upper bound of the lowest bin; clocks of captures resolve a microsecond.
const LEAST_NS: f64 = 1_000.0;

/// The samples so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Quantiles {
    Exact(Vec<i64>),
    Binned(Bins),
}

/// Counts of consecutive bins, the first of which is number `lowest`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bins {
    lowest: usize,
    counts: Vec<u32>,
}

impl Held for Quantiles {
    fn held_bytes(&self) -> usize {
        match self {
            Self::Exact(samples) => samples.held_bytes(),
            Self::Binned(bins) => bins.counts.held_bytes(),
        }
    }

    fn give_back(&mut self) {
        match self {
            Self::Exact(samples) => samples.give_back(),
            Self::Binned(bins) => bins.counts.give_back(),
        }
    }
}

impl Default for Quantiles {
    fn default() -> Self {
        Self::Exact(Vec::new())
    }
}

impl Quantiles {
    /// Takes one sample.
    pub(crate) fn add(&mut self, sample: Duration) {
        match self {
            Self::Exact(samples) if samples.len() < EXACT => {
                if samples.len() == samples.capacity() {
                    samples.reserve(FEW);
                }
                samples.push(sample.as_nanos());
            }
            Self::Exact(samples) => {
                let mut bins = Bins::default();
                samples.iter().for_each(|sample| bins.add(*sample));
                bins.add(sample.as_nanos());
                *self = Self::Binned(bins);
            }
            Self::Binned(bins) => bins.add(sample.as_nanos()),
        }
    }

    /// The value, in nanoseconds, below which `share` of the samples lie, interpolated between
    /// neighbouring ranks (as numpy and R type 7 do); `None` without samples.
    pub(crate) fn at(&self, share: f64) -> Option<f64> {
        match self {
            Self::Exact(samples) => {
                let mut sorted = samples.clone();
                sorted.sort_unstable();
                between(sorted.len(), share, |rank| sorted.get(rank).map(|ns| *ns as f64))
            }
            Self::Binned(bins) => between(bins.total(), share, |rank| bins.rank(rank)),
        }
    }
}

/// Interpolates between the two ranks around `share`.
fn between(count: usize, share: f64, value: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let at = share * count.checked_sub(1)? as f64;
    let (below, above) = (value(at.floor() as usize)?, value(at.ceil() as usize)?);
    Some(below + (above - below) * at.fract())
}

impl Bins {
    #[inline(always)]
    fn add(&mut self, ns: i64) {
        let bin = bin(ns);
        if self.counts.is_empty() {
            self.lowest = bin;
        } else if bin < self.lowest {
            let missing = self.lowest - bin;
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.lowest = bin;
        }
        let index = bin - self.lowest;
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(index) {
            *count = count.saturating_add(1);
        }
    }

    fn total(&self) -> usize {
        self.counts.iter().map(|count| *count as usize).sum()
    }

    /// The middle of the bin that contains the sample of this rank.
    fn rank(&self, rank: usize) -> Option<f64> {
        let mut below = 0;
        let index = self.counts.iter().position(|count| {
            below += *count as usize;
            rank < below
        })?;
        Some(LEAST_NS * GAMMA.powi((self.lowest + index) as i32) * 2.0 / (GAMMA + 1.0))
    }
}

/// The bin with the upper bound `LEAST_NS * GAMMA^bin` (DDSketch equation 1). The largest `i64`
/// falls into bin 3,675.
fn bin(ns: i64) -> usize {
    let ratio = ns as f64 / LEAST_NS;
    if ratio <= 1.0 {
        return 0;
    }
    let bins = about_ln(ratio) * PER_UNIT;
    let below = bins as usize;
    let within = bins - below as f64;
    // This far from the bounds of a bin, an error of a millionth does not matter.
    if (MARGIN..1.0 - MARGIN).contains(&within) { below + 1 } else { exact_bin(ratio) }
}

#[cold]
fn exact_bin(ratio: f64) -> usize {
    (ratio.ln() / GAMMA.ln()).ceil() as usize
}

/// Number of bins in a factor of e: 1 / ln(GAMMA).
const PER_UNIT: f64 = 99.999_166_661_112_81;
/// The margin, in bins, within which the exact logarithm is used; the error of [`about_ln`] is less
/// than a hundredth of the margin.
const MARGIN: f64 = 1e-3;

/// ln(x) of a normal x >= 1 with an error below 1e-7, at a third of the cost of `ln`, because every
/// sample needs it. With x = 2^e m and m in 1..2, ln(m / sqrt 2) = 2 atanh(s) for s = (m - sqrt 2)
/// / (m + sqrt 2).
fn about_ln(x: f64) -> f64 {
    use std::f64::consts::{LN_2, SQRT_2};
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | (1023 << 52));
    let s = (mantissa - SQRT_2) / (mantissa + SQRT_2);
    let square = s * s;
    let series = 1.0 + square * (1.0 / 3.0 + square * (1.0 / 5.0 + square * (1.0 / 7.0)));
    (exponent as f64 + 0.5) * LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(samples: &[i64]) -> Quantiles {
        let mut quantiles = Quantiles::default();
        samples.iter().for_each(|ns| quantiles.add(Duration::from_nanos(*ns)));
        quantiles
    }

    #[test]
    fn few_samples_are_exact() {
        assert_eq!(of(&[]).at(0.5), None);
        assert_eq!(of(&[7]).at(0.95), Some(7.0));
        assert_eq!(of(&[30, 10]).at(0.5), Some(20.0));
        assert_eq!(of(&(0..=20).collect::<Vec<_>>()).at(0.95), Some(19.0));
    }

    proptest! {
        #[test]
        fn a_bin_is_that_of_the_logarithm(ns in 1_001_i64..=i64::MAX, shift in 0_u32..53) {
            let ns = (ns >> shift).max(1_001);
            let ratio = ns as f64 / LEAST_NS;
            prop_assert!((about_ln(ratio) - ratio.ln()).abs() * PER_UNIT < MARGIN / 100.0);
            prop_assert!((PER_UNIT * GAMMA.ln() - 1.0).abs() < 1e-15);
            prop_assert_eq!(bin(ns), exact_bin(ratio));
        }

        #[test]
        fn many_samples_are_within_half_a_percent(
            samples in proptest::collection::vec(1_000_i64..100_000_000_000, 65..400),
            share in 0.0_f64..=1.0,
        ) {
            let mut sorted = samples.clone();
            sorted.sort_unstable();
            let exact = between(sorted.len(), share, |rank| sorted.get(rank).map(|ns| *ns as f64)).unwrap();
            let binned = of(&samples).at(share).unwrap();
            prop_assert!((binned / exact - 1.0).abs() <= ALPHA * 1.000_001, "{binned} for {exact}");
        }
    }
}
