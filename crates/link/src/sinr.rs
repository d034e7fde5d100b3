//! Signal to interference and noise over time.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

use crate::config::{ConfigError, DriveConfig, SinrConfig};
use crate::handover::Handover;
use crate::random::Random;

/// A channel at work.
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
            SinrConfig::Constant { db } if db.is_finite() => Self::Constant(*db),
            SinrConfig::Constant { .. } => return wrong("db is a number"),
            SinrConfig::Steps { hold_ms, db } => {
                if db.is_empty() || *hold_ms <= 0.0 {
                    return wrong("steps need values in db and a hold_ms above 0");
                }
                Self::Steps { hold: ms(*hold_ms), db: db.clone() }
            }
            SinrConfig::Ar1 { mean_db, sigma_db, tau_ms } => {
                if !(*sigma_db >= 0.0 && *tau_ms > 0.0 && mean_db.is_finite()) {
                    return wrong("sigma_db is at least 0, tau_ms above 0");
                }
                let (mean_db, sigma_db, tau) = (*mean_db, *sigma_db, ms(*tau_ms));
                Self::Ar1 { mean_db, sigma_db, tau, deviation_db: 0.0, at: None }
            }
            SinrConfig::Series { ms: starts, db } => {
                let rising = starts.windows(2).all(|pair| pair[0] < pair[1]);
                if starts.len() != db.len() || starts.len() < 2 || !rising {
                    return wrong("a series needs two values or more, with rising times in ms");
                }
                let first = starts[0];
                let starts = starts.iter().map(|at| Instant::from_nanos(0) + ms(at - first));
                Self::Series { starts: starts.collect(), db: db.clone() }
            }
            SinrConfig::Drive(drive) => Self::Drive(Box::new(Drive::new(drive, name)?)),
        })
    }

    /// The value at `now`, dB; instants must not go back.
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
                // The last value stands for as long as the one before it.
                let end =
                    2 * starts[starts.len() - 1].as_nanos() - starts[starts.len() - 2].as_nanos();
                let within = Instant::from_nanos(now.as_nanos() % end);
                db[starts.partition_point(|&at| at <= within).saturating_sub(1)]
            }
            Self::Drive(drive) => drive.db(now, random),
        }
    }

    /// A handover that the drive began at the last value asked for.
    pub(crate) fn handover(&mut self) -> Option<Handover> {
        match self {
            Self::Drive(drive) => drive.begun.take(),
            _ => None,
        }
    }
}

/// Path loss falls by 37.6 dB per decade (TR 36.942 section 4.5.2, macro cell in town).
const LOSS_EXPONENT: f64 = 3.76;

/// Past cells along a road. Only the cells nearest to the phone are worked out.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    config: DriveConfig,
    cells: VecDeque<CellPower>,
    serving: i64,
    better_since: Option<(i64, Instant)>,
    at_m: f64,
    handovers: u32,
    begun: Option<Handover>,
}

/// What is received of a cell, dB over the noise.
#[derive(Clone, Copy, Debug)]
struct CellPower {
    number: i64,
    shadow_db: f64,
    db: f64,
}

impl Drive {
    fn new(config: &DriveConfig, name: &str) -> Result<Self, ConfigError> {
        let positive = config.spacing_m > 0.0 && config.offset_m > 0.0 && config.shadow_m > 0.0;
        if !positive || config.speed_mps < 0.0 || config.shadow_db < 0.0 {
            let problem = "spacing_m, offset_m and shadow_m are above 0, others not below";
            return Err(ConfigError::new(format!("{name}.sinr"), problem));
        }
        Ok(Self {
            config: config.clone(),
            cells: VecDeque::new(),
            serving: 0,
            better_since: None,
            at_m: 0.0,
            handovers: 0,
            begun: None,
        })
    }

    fn db(&mut self, now: Instant, random: &mut Random) -> f64 {
        let at_m = self.config.speed_mps * now.as_nanos() as f64 / 1e9;
        let keep = (-(at_m - self.at_m) / self.config.shadow_m).exp();
        self.at_m = at_m;
        self.hear(keep, random);
        self.reselect(now);
        let power = |db: f64| 10f64.powf(db / 10.0);
        let of = |own: bool| {
            let cells = self.cells.iter().filter(|cell| (cell.number == self.serving) == own);
            cells.map(|cell| power(cell.db)).sum::<f64>()
        };
        10.0 * (of(true) / (1.0 + of(false))).log10()
    }

    /// The cell behind, the two beside and the one ahead; their shadows change with the distance
    /// driven (Gudmundson, Electronics Letters 1991).
    fn hear(&mut self, keep: f64, random: &mut Random) {
        let nearest = (self.at_m / self.config.spacing_m).floor() as i64;
        self.cells.retain(|cell| cell.number >= nearest - 1 || cell.number == self.serving);
        let known = self.cells.back().map_or(nearest - 2, |cell| cell.number);
        for number in known + 1..=nearest + 2 {
            let shadow_db = self.config.shadow_db * random.normal();
            self.cells.push_back(CellPower { number, shadow_db, db: 0.0 });
        }
        let spread = self.config.shadow_db * (1.0 - keep * keep).sqrt();
        for cell in &mut self.cells {
            cell.shadow_db = keep * cell.shadow_db + spread * random.normal();
            let along = self.at_m - cell.number as f64 * self.config.spacing_m;
            let ratio = along.hypot(self.config.offset_m) / self.config.offset_m;
            let loss_db = 10.0 * LOSS_EXPONENT * ratio.log10();
            cell.db = self.config.best_db - loss_db + cell.shadow_db;
        }
    }

    /// Event A3: another cell has been stronger by the hysteresis for the time to trigger.
    fn reselect(&mut self, now: Instant) {
        let strength = |number| self.cells.iter().find(|c| c.number == number).map(|c| c.db);
        let best = self.cells.iter().max_by(|a, b| a.db.total_cmp(&b.db)).copied();
        let Some(best) = best else { return };
        let needed = strength(self.serving).map_or(f64::MIN, |db| db + self.config.hysteresis_db);
        if best.number == self.serving || best.db < needed {
            self.better_since = None;
            return;
        }
        let (number, since) = *self.better_since.get_or_insert((best.number, now));
        if number != best.number {
            self.better_since = Some((best.number, now));
        } else if now - since >= ms(self.config.trigger_ms) {
            self.better_since = None;
            self.serving = best.number;
            self.begin_handover(now);
        }
    }

    fn begin_handover(&mut self, now: Instant) {
        let sign = if self.handovers.is_multiple_of(2) { 1.0 } else { -1.0 };
        self.handovers += 1;
        self.begun = Some(Handover {
            start: now,
            outage: ms(self.config.outage_ms),
            forwarding: self.config.forwarding,
            path_change: ms(sign * self.config.path_change_ms),
        });
    }
}

fn ms(ms: f64) -> Duration {
    Duration::from_secs_f64(ms / 1e3)
}
