//! Models one direction of the wired path: fixed delay, random loss, perhaps a bottleneck with a
//! buffer.

use std::collections::VecDeque;

use airmile_types::{Direction, Duration, Instant};

use crate::bounds::{check_queue, is_positive_rate};
use crate::config::{ConfigError, PathConfig};
use crate::packet::Packet;
use crate::random::Random;
use crate::truth::{Event, EventKind, Truth};

/// One direction of the wired path, while it is running.
#[derive(Debug)]
pub struct Path<P> {
    direction: Direction,
    delay: Duration,
    loss: f64,
    seconds_per_byte: f64,
    buffer_bytes: f64,
    busy_until: Instant,
    last_release: Instant,
    line: VecDeque<(Instant, P)>,
    random: Random,
}

impl<P: Packet> Path<P> {
    /// Creates a path without packets.
    ///
    /// # Errors
    /// Fails for a negative delay, a loss that is not a probability, and a bottleneck without a
    /// rate.
    pub fn new(direction: Direction, config: &PathConfig, seed: u64) -> Result<Self, ConfigError> {
        let name = match direction {
            Direction::Downlink => "path_downlink",
            Direction::Uplink => "path_uplink",
        };
        config.check(name)?;
        let seconds_per_byte = config.mbps.map_or(0.0, |mbps| 8e-6 / mbps);
        Ok(Self {
            direction,
            delay: Duration::from_secs_f64(config.delay_ms / 1e3),
            loss: config.loss,
            seconds_per_byte,
            buffer_bytes: config.buffer_bytes as f64,
            busy_until: Instant::MIN,
            last_release: Instant::MIN,
            line: VecDeque::new(),
            random: Random::new(seed, (1, direction as u64)),
        })
    }

    /// Takes a packet in, or drops it and reports the drop.
    pub fn push(&mut self, now: Instant, packet: P, truth: &mut impl Truth) {
        let start = self.busy_until.max(now);
        let waiting_s = (start - now).as_secs_f64();
        let sending_s = f64::from(packet.bytes()) * self.seconds_per_byte;
        // One byte is added to the buffer, because times are rounded.
        let full = waiting_s + sending_s > (self.buffer_bytes + 1.0) * self.seconds_per_byte;
        let lost = packet.has_payload() && self.random.chance(self.loss);
        if lost || (full && self.seconds_per_byte > 0.0) {
            let (kind, value) = if lost {
                (EventKind::PathLoss, 0.0)
            } else {
                (EventKind::PathDrop, waiting_s / self.seconds_per_byte)
            };
            let (direction, tcp) = (Some(self.direction), packet.tcp());
            truth.event(&Event { at: now, kind, direction, tcp, value });
            return;
        }
        self.busy_until = start + Duration::from_secs_f64(sending_s);
        self.last_release = self.last_release.max(self.busy_until + self.delay.max(Duration::ZERO));
        self.line.push_back((self.last_release, packet));
    }

    /// Changes the delay of later packets, which do not overtake earlier ones. While the sum of all
    /// changes is negative, the delay is 0.
    pub fn change_delay(&mut self, by: Duration) {
        self.delay += by;
    }

    /// The time at which the next packet leaves.
    pub fn next_release(&self) -> Option<Instant> {
        self.line.front().map(|(at, _)| *at)
    }

    /// The next packet that has left by `now`, with the time at which it left.
    pub fn pop(&mut self, now: Instant) -> Option<(Instant, P)> {
        (self.next_release()? <= now).then(|| self.line.pop_front()).flatten()
    }
}

impl PathConfig {
    fn check(&self, name: &str) -> Result<(), ConfigError> {
        let wrong = |setting: &str, problem: &str| {
            Err(ConfigError::new(format!("{name}.{setting}"), problem))
        };
        if !(self.delay_ms >= 0.0 && self.delay_ms < 60_000.0) {
            return wrong("delay_ms", "a delay is 0 to 60000 ms");
        }
        if !(0.0..=1.0).contains(&self.loss) {
            return wrong("loss", "a probability is 0 to 1");
        }
        if self.mbps.is_some_and(|mbps| !is_positive_rate(mbps)) {
            return wrong("mbps", "a rate is 0.001 to 10000; leave it out for no bottleneck");
        }
        check_queue(self.buffer_bytes, format!("{name}.buffer_bytes"))
    }
}
