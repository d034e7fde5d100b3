//! Models the signal to interference and noise ratio over time.

use airmile_types::{Duration, Instant};

use crate::bounds::{is_db, is_step, is_time};
use crate::config::{ConfigError, SinrConfig};
use crate::drive::Drive;
use crate::handover::Handover;
use crate::heard::HeardCell;
use crate::random::Random;

/// A channel, while it is running.
#[derive(Clone, Debug)]
pub(crate) enum Sinr {
    Constant(f64),
    Steps { hold: Duration, db: Vec<f64> },
    Ar1 { mean_db: f64, sigma_db: f64, tau: Duration, deviation_db: f64, at: Option<Instant> },
    Series { starts: Vec<Instant>, db: Vec<f64> },
    Drive(Box<Drive>),
}

impl Sinr {
    pub(crate) fn new(config: &SinrConfig, name: &str) -> Result<Self, ConfigError> {
        let wrong = |problem: &str| Err(ConfigError::new(format!("{name}.sinr"), problem));
        Ok(match config {
            SinrConfig::Constant { db } if is_db(*db) => Self::Constant(*db),
            SinrConfig::Constant { .. } => return wrong("db is a number"),
            SinrConfig::Steps { hold_ms, db } => {
                if db.is_empty() || !db.iter().copied().all(is_db) || !is_step(*hold_ms) {
                    return wrong("steps need values in db and a hold_ms above 0");
                }
                Self::Steps { hold: ms(*hold_ms), db: db.clone() }
            }
            SinrConfig::Ar1 { mean_db, sigma_db, tau_ms } => {
                if !(is_db(*mean_db) && is_db(*sigma_db) && *sigma_db >= 0.0 && is_step(*tau_ms)) {
                    return wrong("sigma_db is at least 0, tau_ms above 0");
                }
                let (mean_db, sigma_db, tau) = (*mean_db, *sigma_db, ms(*tau_ms));
                Self::Ar1 { mean_db, sigma_db, tau, deviation_db: 0.0, at: None }
            }
            SinrConfig::Series { ms: starts, db } => {
                let rising = starts.windows(2).all(|pair| is_step(pair[1] - pair[0]));
                let levels = db.iter().copied().all(is_db);
                let from = starts.first().copied().unwrap_or(0.0);
                let ends = starts.last().is_some_and(|last| is_time(last - from));
                if starts.len() != db.len() || starts.len() < 2 || !(rising && levels && ends) {
                    return wrong("a series needs two values or more, with rising times in ms");
                }
                let first = starts[0];
                let starts = starts.iter().map(|at| Instant::from_nanos(0) + ms(at - first));
                Self::Series { starts: starts.collect(), db: db.clone() }
            }
            SinrConfig::Drive(drive) => Self::Drive(Box::new(Drive::new(drive, name)?)),
        })
    }

    /// The value at `now`, in dB; instants must not go back.
    pub(crate) fn db(&mut self, now: Instant, random: &mut Random) -> f64 {
        match self {
            Self::Constant(db) => *db,
            Self::Steps { hold, db } => db[(now.as_nanos() / hold.as_nanos()) as usize % db.len()],
            Self::Ar1 { mean_db, sigma_db, tau, deviation_db, at } => {
                let keep = match at.replace(now) {
                    Some(before) => (-(now - before).as_secs_f64() / tau.as_secs_f64()).exp(),
                    None => 0.0,
                };
                *deviation_db =
                    keep * *deviation_db + *sigma_db * (1.0 - keep * keep).sqrt() * random.normal();
                *mean_db + *deviation_db
            }
            Self::Series { starts, db } => {
                // The last value lasts as long as the one before it.
                let end =
                    2 * starts[starts.len() - 1].as_nanos() - starts[starts.len() - 2].as_nanos();
                let within = Instant::from_nanos(now.as_nanos() % end);
                db[starts.partition_point(|&at| at <= within).saturating_sub(1)]
            }
            Self::Drive(drive) => drive.db(now, random),
        }
    }

    /// The cells that were heard when the last value, `sinr_db`, was taken. Without a drive there
    /// is one cell and no interference, so its level over the noise is the SINR.
    pub(crate) fn cells(&self, sinr_db: f64) -> Vec<HeardCell> {
        let heard = |number, db| HeardCell { number, db: Some(db) };
        match self {
            Self::Drive(drive) => drive.cells().map(|(number, db)| heard(number, db)).collect(),
            _ => vec![heard(0, sinr_db)],
        }
    }

    /// The number of the serving cell.
    pub(crate) fn serving(&self) -> i64 {
        match self {
            Self::Drive(drive) => drive.serving(),
            _ => 0,
        }
    }

    /// The handover that the drive began when the last value was taken, if it did.
    pub(crate) fn handover(&mut self) -> Option<Handover> {
        match self {
            Self::Drive(drive) => drive.handover(),
            _ => None,
        }
    }
}

fn ms(ms: f64) -> Duration {
    Duration::from_secs_f64(ms / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(tau_ms: f64, step: Duration, count: i64) -> Vec<f64> {
        let config = SinrConfig::Ar1 { mean_db: 12.0, sigma_db: 4.0, tau_ms };
        let mut channel = Sinr::new(&config, "downlink").unwrap();
        let mut random = Random::new(3, (0, 0));
        let at = |n: i64| Instant::from_nanos(n * step.as_nanos());
        (0..count).map(|n| channel.db(at(n), &mut random)).collect()
    }

    fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let count = values.len() as f64;
        values.sum::<f64>() / count
    }

    #[test]
    fn a_fading_channel_has_its_mean_deviation_and_correlation_time() {
        // Whether the value is taken every 5 ms or every 20 ms, the process is the same.
        for step_ms in [5, 20] {
            let (tau_ms, count) = (200.0, 400_000);
            let db = series(tau_ms, Duration::from_millis(step_ms), count);
            let average = mean(db.iter().copied());
            let variance = mean(db.iter().map(|db| (db - average).powi(2)));
            // Values 2 tau apart are independent; there are at least 5000 of them.
            assert!((average - 12.0).abs() < 4.0 * 4.0 / 5_000f64.sqrt(), "{average}");
            assert!((variance.sqrt() / 4.0 - 1.0).abs() < 0.04, "{variance}");
            for taus in [0.5, 1.0, 2.0] {
                let lag = (taus * tau_ms) as usize / step_ms as usize;
                let pairs = db.iter().zip(&db[lag..]);
                let product = pairs.map(|(a, b)| (a - average) * (b - average));
                let found = product.sum::<f64>() / (db.len() - lag) as f64 / variance;
                let theory = (-taus).exp();
                assert!((found - theory).abs() < 0.04, "{taus} tau: {found} for {theory}");
            }
        }
    }

    #[test]
    fn a_measured_series_is_held_and_begins_again() {
        let config = SinrConfig::Series { ms: vec![100.0, 110.0, 130.0], db: vec![1.0, 2.0, 3.0] };
        let mut channel = Sinr::new(&config, "downlink").unwrap();
        let mut random = Random::new(1, (0, 0));
        let mut at = |ms: i64| channel.db(Instant::from_nanos(ms * 1_000_000), &mut random);
        let found: Vec<f64> = [0, 9, 10, 29, 30, 49, 50, 60].into_iter().map(&mut at).collect();
        assert_eq!(found, [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 1.0, 2.0]);
    }
}
