//! Finds the offset to within a bin: the offset at which the byte rates of log and capture are most
//! alike, even if the clocks are hours apart.

use airmile_types::{Duration, Instant};

use super::served::Volume;

/// An offset that is exact to about the width of a bin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coarse {
    pub(super) offset: Duration,
    pub(super) bin: Duration,
}

/// The widths of the bins. Wide bins hide what a queue does to bursts; narrow bins are for short
/// logs with short bursts.
const BINS: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(20)];
/// The greatest amount of work for one alignment: pairs of bins, and bins of one side (our choice).
const MOST_PAIRS: usize = 60_000_000;
const MOST_BINS: usize = 4_000_000;
/// The least common time that is enough for a comparison (our choice).
const LEAST_OVERLAP: Duration = Duration::from_secs(2);
/// Rates are not alike if their correlation is below this value, or below this number of its
/// standard deviations, which chance reaches at one of thousands of lags. Another offset whose
/// result is within this ratio of the best is as good (our choices).
const LEAST_CORRELATION: f64 = 0.3;
const LEAST_WEIGHT: f64 = 8.0;
const AS_GOOD: f64 = 0.9;
/// Offsets that differ from the best one by less than this count as the same offset, which queues
/// blur.
const SAME: Duration = Duration::from_secs(3);

/// The square root of the bytes in each bin, from the first bin on. The square root gives small
/// bursts more weight.
struct Rates {
    start: Instant,
    values: Vec<f32>,
    /// For each bin, the sums of the values and of their squares in all bins before it.
    sums: Vec<(f64, f64)>,
    busy: Vec<u32>,
}

/// The offset at which the rates are most alike; `None` if they are alike nowhere, or at several
/// offsets.
pub(super) fn coarse(served: &[Volume], passed: &[Volume]) -> Option<Coarse> {
    BINS.iter().find_map(|bin| with_bin(served, passed, *bin))
}

/// The offset, found with bins of the width `bin`. The width is doubled until the work is within
/// its limit.
fn with_bin(served: &[Volume], passed: &[Volume], mut bin: Duration) -> Option<Coarse> {
    while bins(served, bin).max(bins(passed, bin)) > MOST_BINS {
        bin = bin.times(2);
    }
    loop {
        let sides = Rates::of(served, bin).zip(Rates::of(passed, bin));
        let (log, capture) = sides?;
        if log.busy.len().saturating_mul(capture.busy.len()) <= MOST_PAIRS {
            return best(&log, &capture, bin);
        }
        bin = bin.times(2);
    }
}

fn bins(side: &[Volume], bin: Duration) -> usize {
    let ends = side.first().zip(side.last());
    let length = ends.map_or(Duration::ZERO, |(first, last)| last.0 - first.0);
    usize::try_from(length.as_nanos() / bin.as_nanos()).unwrap_or(usize::MAX).saturating_add(1)
}

impl Rates {
    fn of(side: &[Volume], bin: Duration) -> Option<Self> {
        let start = side.first()?.0;
        let count = bins(side, bin);
        if bin.times(count as i64) < LEAST_OVERLAP {
            return None;
        }
        let mut values = vec![0.0f32; count];
        for (time, bytes) in side {
            let index = usize::try_from((*time - start).as_nanos() / bin.as_nanos()).ok()?;
            if let Some(value) = values.get_mut(index) {
                *value += *bytes as f32;
            }
        }
        values.iter_mut().for_each(|value| *value = value.sqrt());
        let mut sums = vec![(0.0, 0.0)];
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values.iter().map(|value| f64::from(*value)) {
            sum += value;
            squares += value * value;
            sums.push((sum, squares));
        }
        let busy = (0u32..).zip(&values).filter(|(_, v)| **v > 0.0).map(|(index, _)| index);
        Some(Self { start, busy: busy.collect(), values, sums })
    }

    fn value(&self, index: u32) -> f64 {
        self.values.get(index as usize).copied().map_or(0.0, f64::from)
    }

    /// The sum and the sum of squares of the bins `from..to`.
    fn sum(&self, from: usize, to: usize) -> (f64, f64) {
        match (self.sums.get(from), self.sums.get(to)) {
            (Some(from), Some(to)) => (to.0 - from.0, to.1 - from.1),
            _ => (0.0, 0.0),
        }
    }
}

/// The lag, in bins, with the largest correlation. Each correlation covers the common time at that
/// lag.
fn best(log: &Rates, capture: &Rates, bin: Duration) -> Option<Coarse> {
    let (log_bins, capture_bins) = (log.values.len(), capture.values.len());
    // Product sums by lag: bin `i` of the log meets bin `i + lag - (log_bins - 1)` of the capture.
    let mut products = vec![0.0f64; log_bins + capture_bins - 1];
    for at in &log.busy {
        let value = log.value(*at);
        for other in &capture.busy {
            let lag = *other as usize + log_bins - 1 - *at as usize;
            if let Some(product) = products.get_mut(lag) {
                *product += value * capture.value(*other);
            }
        }
    }
    let least = (LEAST_OVERLAP.as_nanos() / bin.as_nanos()).max(4) as usize;
    let fits: Vec<(f64, f64)> =
        (0..products.len()).map(|lag| fit(log, capture, lag, &products, least)).collect();
    let top = (0..fits.len()).max_by(|a, b| fits[*a].1.total_cmp(&fits[*b].1));
    let top = top?;
    let (correlation, weight) = fits[top];
    if correlation < LEAST_CORRELATION || weight < LEAST_WEIGHT {
        return None;
    }
    let same = (SAME.as_nanos() / bin.as_nanos()).max(2) as usize;
    let others = fits.iter().enumerate().filter(|(lag, _)| lag.abs_diff(top) > same);
    let second = others.map(|(_, fit)| *fit).max_by(|a, b| a.1.total_cmp(&b.1));
    if second.is_some_and(|(_, other)| other > AS_GOOD * weight) {
        return None;
    }
    let lag = top as i64 - (log_bins as i64 - 1);
    Some(Coarse { offset: capture.start - log.start + bin.times(lag), bin })
}

/// Pearson's correlation over the common time, and the same weighted by the length of that time.
/// (Fisher's transform has a variance of one over the number of bins.)
fn fit(log: &Rates, capture: &Rates, lag: usize, products: &[f64], least: usize) -> (f64, f64) {
    let (log_bins, capture_bins) = (log.values.len(), capture.values.len());
    let from = (log_bins - 1).saturating_sub(lag);
    let to = log_bins.min((capture_bins + log_bins - 1).saturating_sub(lag));
    let count = to.saturating_sub(from);
    if count < least {
        return (0.0, 0.0);
    }
    let shift = (lag + from).saturating_sub(log_bins - 1);
    let (a, aa) = log.sum(from, to);
    let (b, bb) = capture.sum(shift, shift + count);
    let n = count as f64;
    let ab = products.get(lag).copied().unwrap_or(0.0);
    let spread = ((aa - a * a / n).max(0.0) * (bb - b * b / n).max(0.0)).sqrt();
    if spread <= f64::EPSILON * (aa * bb).sqrt() {
        return (0.0, 0.0);
    }
    let correlation = ((ab - a * b / n) / spread).clamp(-0.999_999, 0.999_999);
    (correlation, correlation.atanh() * n.sqrt())
}
