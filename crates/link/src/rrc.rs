//! Models radio resource control: idle mode, the promotion that the next packet waits for, and the
//! sleep between wake-ups while the phone is still connected (TS 36.331 section 5.3, TS 36.321
//! section 5.7).

use airmile_types::{Duration, Instant};

use crate::bounds::{is_step, is_time};
use crate::config::{ConfigError, RrcConfig};
use crate::random::Random;
use crate::truth::{Blocked, Event, EventKind, Truth};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Idle,
    Promoting(Instant),
    Connected,
}

#[derive(Debug)]
pub(crate) struct Rrc {
    config: RrcConfig,
    mode: Mode,
    last_active: Instant,
    random: Random,
}

impl Rrc {
    pub(crate) fn new(config: &RrcConfig, seed: u64) -> Result<Self, ConfigError> {
        let (low, high) = config.promotion_ms;
        let times = [low, high - low, config.sleep_after_ms, config.awake_ms];
        let asleep = config.sleep_after_ms > 0.0;
        if !times.into_iter().all(is_time) || !is_time(config.inactivity_ms) {
            return Err(ConfigError::new(
                "rrc",
                "times are 0 to a day, the first promotion time not above the second",
            ));
        }
        // A shorter wake-up could fall between two TTIs, and the phone would never hear anything.
        let wakes = is_step(config.sleep_cycle_ms) && config.awake_ms >= 1.0;
        if asleep && !(wakes && config.sleep_cycle_ms >= config.awake_ms) {
            return Err(ConfigError::new(
                "rrc.sleep_cycle_ms",
                "awake_ms is at least 1, a cycle not shorter than it and at most a day",
            ));
        }
        Ok(Self {
            config: *config,
            mode: if config.start_connected { Mode::Connected } else { Mode::Idle },
            last_active: Instant::from_nanos(0),
            random: Random::new(seed, (6, 0)),
        })
    }

    /// Whether the phone is in idle mode.
    pub(crate) fn is_idle(&self) -> bool {
        self.mode == Mode::Idle
    }

    /// Notes that a packet was sent or received.
    pub(crate) fn active(&mut self, now: Instant) {
        self.last_active = self.last_active.max(now);
    }

    /// The reasons why the downlink and the uplink cannot be served in the TTI that begins at
    /// `now`. `waiting` says whether data waits, in either direction.
    pub(crate) fn blocked(
        &mut self,
        now: Instant,
        waiting: (bool, bool),
        truth: &mut impl Truth,
    ) -> (Blocked, Blocked) {
        let any = waiting.0 || waiting.1;
        let silent = now - self.last_active;
        match self.mode {
            Mode::Idle if any => {
                let (low, high) = self.config.promotion_ms;
                let delay = self.random.between(low, high);
                report(now, EventKind::Promotion, delay, truth);
                self.mode = Mode::Promoting(now + ms(delay));
            }
            Mode::Promoting(until) if now >= until => {
                self.mode = Mode::Connected;
                self.active(now);
            }
            Mode::Connected if !any && silent >= ms(self.config.inactivity_ms) => {
                report(now, EventKind::Idle, 0.0, truth);
                self.mode = Mode::Idle;
            }
            _ => {}
        }
        match self.mode {
            Mode::Connected if self.sleeps(now, silent) => (Blocked::Asleep, Blocked::No),
            Mode::Connected => (Blocked::No, Blocked::No),
            _ => (Blocked::Rrc, Blocked::Rrc),
        }
    }

    /// Whether the phone sleeps. With discontinuous reception, it listens only at the beginning of
    /// each cycle after a silence.
    fn sleeps(&self, now: Instant, silent: Duration) -> bool {
        if self.config.sleep_after_ms <= 0.0 || silent < ms(self.config.sleep_after_ms) {
            return false;
        }
        let cycle = ms(self.config.sleep_cycle_ms).as_nanos();
        now.as_nanos() % cycle >= ms(self.config.awake_ms).as_nanos()
    }
}

fn report(at: Instant, kind: EventKind, value: f64, truth: &mut impl Truth) {
    truth.event(&Event { at, kind, direction: None, tcp: None, value });
}

fn ms(ms: f64) -> Duration {
    Duration::from_secs_f64(ms / 1e3)
}
