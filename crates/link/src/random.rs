//! Makes random numbers from a seed, the same on every machine.

use rand::{Rng, SeedableRng};
use rand_distr::{Exp1, StandardNormal};
use rand_pcg::Pcg64Mcg;

/// One stream of random numbers. Every part of a link has its own stream, so that a change in one
/// part does not change the numbers of another.
#[derive(Clone, Debug)]
pub(crate) struct Random(Pcg64Mcg);

impl Random {
    /// The stream of `part` (two numbers: its kind and its index) under `seed`.
    pub(crate) fn new(seed: u64, part: (u64, u64)) -> Self {
        // The odd multipliers of SplitMix64 make the streams of neighbouring parts different.
        let mixed = seed
            ^ part.0.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ part.1.wrapping_add(1).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Self(Pcg64Mcg::seed_from_u64(mixed))
    }

    /// A number that is uniformly distributed in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    /// A number that is uniformly distributed in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// True with probability `p`; takes no number from the stream when `p` is 0.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        p > 0.0 && self.uniform() < p
    }

    /// A number with the standard normal distribution.
    pub(crate) fn normal(&mut self) -> f64 {
        self.0.sample(StandardNormal)
    }

    /// A number with the exponential distribution of this mean.
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        mean * self.0.sample::<f64, _>(Exp1)
    }
}
