//! Computes the moving average over bursts, which summarises a stream (methods G4).

use std::collections::VecDeque;

/// The throughput of the last five bursts, weighted by their durations.
#[derive(Clone, Debug, Default)]
pub struct MovingAverage {
    /// The duration (ms) and the throughput (bit/s) of each burst.
    bursts: VecDeque<(f64, f64)>,
}

/// The number of bursts, as in the published program of BT19.
const BURSTS: usize = 5;

impl MovingAverage {
    /// Adds a burst, and removes the oldest one if there are more than five.
    pub fn push(&mut self, duration_ms: f64, throughput_bps: f64) {
        self.bursts.truncate(BURSTS - 1);
        self.bursts.push_front((duration_ms, throughput_bps));
    }

    /// The lowest and the highest throughput of the remembered bursts, in bit/s; `None` without
    /// bursts.
    pub fn range(&self) -> Option<(f64, f64)> {
        let rates = || self.bursts.iter().map(|(_, bps)| *bps);
        Some((rates().reduce(f64::min)?, rates().reduce(f64::max)?))
    }

    /// The average throughput in bit/s; `None` if no burst has a duration.
    pub fn value(&self) -> Option<f64> {
        let duration_ms: f64 = self.bursts.iter().map(|(duration, _)| duration).sum();
        let weighted: f64 = self.bursts.iter().map(|(duration, bps)| duration * bps).sum();
        (duration_ms > 0.0).then(|| weighted / duration_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bursts_weigh_more() {
        let mut average = MovingAverage::default();
        assert_eq!(average.value(), None);
        average.push(0.0, 0.0);
        assert_eq!(average.value(), None);
        average.push(30.0, 10.0);
        average.push(10.0, 50.0);
        assert_eq!(average.value(), Some(20.0));
        assert_eq!(average.range(), Some((0.0, 50.0)));
    }

    #[test]
    fn the_sixth_burst_drives_out_the_first() {
        let mut average = MovingAverage::default();
        average.push(1.0, 1e9);
        for _ in 0..5 {
            average.push(1.0, 7.0);
        }
        assert_eq!(average.value(), Some(7.0));
    }
}
