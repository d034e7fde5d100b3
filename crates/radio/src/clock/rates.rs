//! The offset to a bin: where the byte rates of log and capture are most alike, hours apart if need
//! be.

use airmile_types::{Duration, Instant};

use super::served::Volume;

/// An offset to about a bin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coarse {
    pub(super) offset: Duration,
    pub(super) bin: Duration,
}

/// Coarse enough not to mind what a queue does to bursts; and finer, for short logs of short bursts.
const BINS: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(20)];
/// Work for one alignment: pairs of bins, and bins of a side; choices of ours.
const MOST_PAIRS: usize = 60_000_000;
const MOST_BINS: usize = 4_000_000;
/// Common time that is enough to tell; ours.
const LEAST_OVERLAP: Duration = Duration::from_secs(2);
/// Below this the rates are not alike: less correlation, or less than so many standard deviations of
/// it, which chance reaches at one of thousands of lags; and so near another offset is as good; ours.
const LEAST_CORRELATION: f64 = 0.3;
const LEAST_WEIGHT: f64 = 8.0;
const AS_GOOD: f64 = 0.9;
/// Offsets so near to the best are the same one, smeared by queues.
const SAME: Duration = Duration::from_secs(3);

/// Square roots of bytes by bin (they make bursts of all sizes count), from the first bin.
struct Rates {
    start: Instant,
    values: Vec<f32>,
    /// Sums of values and of squares before each bin.
    sums: Vec<(f64, f64)>,
    busy: Vec<u32>,
}

/// Where they are most alike; `None` where they are like each other nowhere, or at several offsets.
pub(super) fn coarse(served: &[Volume], passed: &[Volume]) -> Option<Coarse> {
    BINS.iter().find_map(|bin| with_bin(served, passed, *bin))
}

/// In bins of `bin`, or of twice as much and so on until it is no more than the most work.
fn with_bin(served: &[Volume], passed: &[Volume], mut bin: Duration) -> Option<Coarse> {
    while bins(served, bin).max(bins(passed, bin)) > MOST_BINS {
        bin = bin.times(2);
    }
    loop {
        let sides = Rates::of(served, bin).zip(Rates::of(passed, bin));
        let (log, tap) = sides?;
        if log.busy.len().saturating_mul(tap.busy.len()) <= MOST_PAIRS {
            return best(&log, &tap, bin);
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

    /// Sum and sum of squares of `from..to`.
    fn sum(&self, from: usize, to: usize) -> (f64, f64) {
        match (self.sums.get(from), self.sums.get(to)) {
            (Some(from), Some(to)) => (to.0 - from.0, to.1 - from.1),
            _ => (0.0, 0.0),
        }
    }
}

/// The lag (in bins) of the largest correlation, each over the time that both have.
fn best(log: &Rates, tap: &Rates, bin: Duration) -> Option<Coarse> {
    let (logs, taps) = (log.values.len(), tap.values.len());
    // Product sums by lag: bin `i` of the log meets bin `i + lag - (logs - 1)` of the capture.
    let mut products = vec![0.0f64; logs + taps - 1];
    for at in &log.busy {
        let value = log.value(*at);
        for other in &tap.busy {
            let lag = *other as usize + logs - 1 - *at as usize;
            if let Some(product) = products.get_mut(lag) {
                *product += value * tap.value(*other);
            }
        }
    }
    let least = (LEAST_OVERLAP.as_nanos() / bin.as_nanos()).max(4) as usize;
    let fits: Vec<(f64, f64)> =
        (0..products.len()).map(|lag| fit(log, tap, lag, &products, least)).collect();
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
    let lag = top as i64 - (logs as i64 - 1);
    Some(Coarse { offset: tap.start - log.start + bin.times(lag), bin })
}

/// Pearson's correlation over the common time, and the same with more weight where that is longer
/// (Fisher's transform has a variance of one over the number of bins).
fn fit(log: &Rates, tap: &Rates, lag: usize, products: &[f64], least: usize) -> (f64, f64) {
    let (logs, taps) = (log.values.len(), tap.values.len());
    let from = (logs - 1).saturating_sub(lag);
    let to = logs.min((taps + logs - 1).saturating_sub(lag));
    let count = to.saturating_sub(from);
    if count < least {
        return (0.0, 0.0);
    }
    let shift = (lag + from).saturating_sub(logs - 1);
    let (a, aa) = log.sum(from, to);
    let (b, bb) = tap.sum(shift, shift + count);
    let n = count as f64;
    let ab = products.get(lag).copied().unwrap_or(0.0);
    let spread = ((aa - a * a / n).max(0.0) * (bb - b * b / n).max(0.0)).sqrt();
    if spread <= f64::EPSILON * (aa * bb).sqrt() {
        return (0.0, 0.0);
    }
    let correlation = ((ab - a * b / n) / spread).clamp(-0.999_999, 0.999_999);
    (correlation, correlation.atanh() * n.sqrt())
}
