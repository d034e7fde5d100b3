//! A drive past cells along a straight road: path loss and [`shadowing`], [`measured`] levels, and
//! handovers by event A3 ([`event_a3`]).

mod event_a3;
mod measured;
mod shadowing;

use airmile_types::{Duration, Instant};

use self::event_a3::EventA3;
use self::measured::Measured;
use self::shadowing::Shadowing;
use crate::bounds::{is_db, is_time};
use crate::config::{ConfigError, DriveConfig};
use crate::handover::Handover;
use crate::random::Random;

/// The path loss exponent: the level falls by 37.6 dB per decade (TR 36.942 section 4.5.2, macro
/// cell in town).
const LOSS_EXPONENT: f64 = 3.76;

/// A drive, while it is running. Only the cells nearest to the phone are computed.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    config: DriveConfig,
    /// The place at which the drive began; `None` before it.
    start_m: Option<f64>,
    at_m: f64,
    shadowing: Shadowing,
    /// The cells that are heard: their numbers and their received power in dB over the noise.
    cells: Vec<(i64, f64)>,
    measured: Measured,
    event: EventA3,
    serving: i64,
    /// The cell that prepares for the phone, and the time of the handover command.
    prepared: Option<(i64, Instant)>,
    handovers: u32,
    begun: Option<Handover>,
}

impl Drive {
    pub(crate) fn new(config: &DriveConfig, name: &str) -> Result<Self, ConfigError> {
        check(config).map_err(|problem| ConfigError::new(format!("{name}.sinr"), problem))?;
        let (deviation, distance) = (config.shadow_db, config.shadow_m);
        Ok(Self {
            config: config.clone(),
            start_m: None,
            at_m: 0.0,
            shadowing: Shadowing::new(deviation, distance, config.shadow_correlation),
            cells: Vec::new(),
            measured: Measured::new(config.filter_k),
            event: EventA3::new(config.offset_db, config.hysteresis_db, ms(config.trigger_ms)),
            serving: 0,
            prepared: None,
            handovers: 0,
            begun: None,
        })
    }

    /// The SINR of the serving cell at `now`, in dB; instants must not go back.
    pub(crate) fn db(&mut self, now: Instant, random: &mut Random) -> f64 {
        self.go(now, random);
        if self.measured.take(now, self.cells.iter().copied()) {
            self.report(now);
        }
        self.command(now);
        let power = |db: f64| 10f64.powf(db / 10.0);
        let of = |own: bool| {
            let cells = self.cells.iter().filter(|(number, _)| (*number == self.serving) == own);
            cells.map(|(_, db)| power(*db)).sum::<f64>()
        };
        10.0 * (of(true) / (1.0 + of(false))).log10()
    }

    /// The cells that are heard: their numbers and their power in dB over the noise.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (i64, f64)> {
        self.cells.iter().copied()
    }

    /// The number of the serving cell.
    pub(crate) const fn serving(&self) -> i64 {
        self.serving
    }

    /// The handover that began when the last SINR was taken, if it did.
    pub(crate) const fn handover(&mut self) -> Option<Handover> {
        self.begun.take()
    }

    /// Moves the phone to where it is at `now`.
    fn go(&mut self, now: Instant, random: &mut Random) {
        let driven_m = self.config.speed_mps * now.as_nanos() as f64 / 1e9;
        let Some(start_m) = self.start_m else { return self.begin(driven_m, random) };
        let at_m = start_m + driven_m;
        let metres = at_m - self.at_m;
        self.at_m = at_m;
        self.hear(metres, random);
    }

    /// Begins the drive. The phone is in the strongest cell, which has number 0.
    fn begin(&mut self, driven_m: f64, random: &mut Random) {
        let half_m = self.config.spacing_m / 2.0;
        let start_m = if self.config.anywhere { random.between(-half_m, half_m) } else { 0.0 };
        self.at_m = start_m + driven_m;
        self.serving = nearest(self.at_m, self.config.spacing_m);
        self.hear(0.0, random);
        let best = self.cells.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let first = best.map_or(0, |(number, _)| *number);
        self.shadowing.renumber(first);
        self.cells.iter_mut().for_each(|(number, _)| *number -= first);
        let moved_m = first as f64 * self.config.spacing_m;
        (self.start_m, self.at_m, self.serving) = (Some(start_m - moved_m), self.at_m - moved_m, 0);
    }

    /// Updates the powers of the two cells behind, of the two ahead, and of the serving cell.
    fn hear(&mut self, metres: f64, random: &mut Random) {
        let behind = (self.at_m / self.config.spacing_m).floor() as i64;
        let mut heard: Vec<i64> = (behind - 1..=behind + 2).collect();
        if !heard.contains(&self.serving) {
            heard.push(self.serving);
        }
        self.shadowing.go(metres, &heard, random);
        self.cells = heard.into_iter().map(|number| (number, self.power_db(number))).collect();
    }

    /// The received power of a cell, in dB over the noise.
    fn power_db(&self, number: i64) -> f64 {
        let along_m = self.at_m - number as f64 * self.config.spacing_m;
        let ratio = along_m.hypot(self.config.offset_m) / self.config.offset_m;
        let loss_db = 10.0 * LOSS_EXPONENT * ratio.log10();
        self.config.best_db - loss_db + self.shadowing.db(number)
    }

    /// Evaluates event A3 on a new measurement; the cell that is reported prepares for the phone.
    fn report(&mut self, now: Instant) {
        let Some(serving_db) = self.measured.level(self.serving) else { return };
        let neighbours = self.measured.levels().filter(|(number, _)| *number != self.serving);
        let reported = self.event.measure(now, serving_db, neighbours);
        if self.prepared.is_none() {
            self.prepared = reported.map(|number| (number, now + ms(self.config.prepare_ms)));
        }
    }

    /// Hands the phone over to the cell that has prepared for it, unless the phone has left the
    /// event's condition.
    fn command(&mut self, now: Instant) {
        let Some((number, _)) = self.prepared.filter(|(_, at)| now >= *at) else { return };
        self.prepared = None;
        if self.event.is_triggered(number) {
            self.serving = number;
            self.event.clear();
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

fn check(config: &DriveConfig) -> Result<(), &'static str> {
    let lengths = [config.spacing_m, config.offset_m, config.shadow_m];
    if !lengths.iter().all(|metres| (1.0..=1e6).contains(metres)) {
        return Err("spacing_m, offset_m and shadow_m are 1 to 1000000");
    }
    if !(0.0..=1_000.0).contains(&config.speed_mps) {
        return Err("speed_mps is 0 to 1000");
    }
    let levels = [config.shadow_db, config.hysteresis_db];
    if !is_db(config.best_db) || !levels.iter().all(|db| is_db(*db) && *db >= 0.0) {
        return Err("shadow_db and hysteresis_db are at least 0, best_db is a level");
    }
    if !is_db(config.offset_db) || !(0.0..=1.0).contains(&config.shadow_correlation) {
        return Err("offset_db is a level, shadow_correlation is 0 to 1");
    }
    // TS 36.331 section 6.3.6: fc0 to fc19.
    if !(0.0..=19.0).contains(&config.filter_k) {
        return Err("filter_k is 0 to 19");
    }
    let times = [config.trigger_ms, config.prepare_ms, config.outage_ms];
    if !times.into_iter().chain([config.path_change_ms.abs()]).all(is_time) {
        return Err(
            "trigger_ms, prepare_ms and outage_ms are 0 to a day, path_change_ms as far from 0",
        );
    }
    Ok(())
}

/// The number of the cell that is nearest to a place.
fn nearest(at_m: f64, spacing_m: f64) -> i64 {
    (at_m / spacing_m).round() as i64
}

fn ms(ms: f64) -> Duration {
    Duration::from_secs_f64(ms / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times in ms at which a drive hands over in `seconds`, and its serving cells.
    fn handovers(config: &DriveConfig, seed: u64, seconds: i64) -> Vec<(i64, i64)> {
        let mut drive = Drive::new(config, "downlink").unwrap();
        let mut random = Random::new(seed, (0, 0));
        let mut found = Vec::new();
        for at in (0..seconds * 1_000).step_by(5) {
            drive.db(Instant::from_nanos(at * 1_000_000), &mut random);
            if drive.handover().is_some() {
                found.push((at, drive.serving()));
            }
        }
        found
    }

    fn plain() -> DriveConfig {
        DriveConfig {
            speed_mps: 30.0,
            spacing_m: 1200.0,
            offset_m: 100.0,
            shadow_db: 0.0,
            filter_k: 0.0,
            offset_db: 3.0,
            hysteresis_db: 1.0,
            trigger_ms: 480.0,
            prepare_ms: 50.0,
            ..DriveConfig::default()
        }
    }

    #[test]
    fn without_shadowing_the_phone_changes_its_cell_once_behind_each_border() {
        // The neighbour is 4 dB stronger where 37.6 log10 of the ratio of distances is 4 dB: 75 m
        // behind the border at 600 m, after 22.51 s; in the mean of 200 ms, 100 ms later. The
        // condition holds at the next measurement, and 600 ms later (480 ms and more); the command
        // is 50 ms later.
        let found = handovers(&plain(), 1, 110);
        assert_eq!(found.iter().map(|(_, cell)| *cell).collect::<Vec<_>>(), [1, 2, 3]);
        for (number, (at, _)) in found.iter().enumerate() {
            let enters = 22_610 + number as i64 * 40_000;
            assert!((enters + 650..=enters + 850).contains(at), "{at} for {enters}");
        }
    }

    #[test]
    fn filter_and_time_to_trigger_prevent_changes_to_and_fro() {
        let shadowed = DriveConfig { shadow_db: 6.0, ..plain() };
        let hasty = DriveConfig {
            filter_k: 0.0,
            offset_db: 0.0,
            trigger_ms: 0.0,
            shadow_correlation: 0.0,
            ..shadowed.clone()
        };
        let steady = DriveConfig { filter_k: 4.0, ..shadowed };
        let of = |config| (0..10).map(|seed| handovers(config, seed, 110).len()).sum::<usize>();
        let (steady, hasty) = (of(&steady), of(&hasty));
        assert!((30..=60).contains(&steady) && hasty > 2 * steady, "{steady} {hasty}");
    }

    #[test]
    fn a_drive_that_begins_anywhere_begins_in_its_strongest_cell() {
        let config = DriveConfig { anywhere: true, shadow_db: 8.0, ..plain() };
        let mut starts = Vec::new();
        for seed in 0..200 {
            let mut drive = Drive::new(&config, "downlink").unwrap();
            drive.db(Instant::from_nanos(0), &mut Random::new(seed, (0, 0)));
            let best = drive.cells().max_by(|one, other| one.1.total_cmp(&other.1));
            assert_eq!((drive.serving(), best.map(|(number, _)| number)), (0, Some(0)));
            starts.push(drive.at_m);
        }
        let near = starts.iter().filter(|at_m| at_m.abs() < 300.0).count();
        assert!((70..130).contains(&near), "{near} of 200 begin in the inner half of the road");
    }
}
