//! Models one direction of the wired path: fixed delay, random loss, perhaps a bottleneck with a
//! buffer.

use std::collections::VecDeque;

use airmile_types::{Direction, Duration, Instant};

use crate::bounds::{check_queue, is_positive_rate};
use crate::bucket::{Bucket, MOST_BURST_BYTES};
use crate::config::{ConfigError, PathConfig};
use crate::packet::Packet;
use crate::random::Random;
use crate::truth::{Event, EventKind, Truth};

/// One direction of the wired path, while it is running.
#[derive(Debug)]
pub struct Path<P> {
    direction: Direction,
    delay: Duration,
    policer: Option<Bucket>,
    loss: f64,
    bottleneck: Option<Bucket>,
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
        let policer = config.policer.as_ref();
        let policer =
            policer.map(|p| Bucket::policer(p, &format!("{name}.policer"))).transpose()?;
        let bucket = |mbps| Bucket::new(mbps, config.burst_bytes, config.buffer_bytes);
        Ok(Self {
            direction,
            delay: Duration::from_secs_f64(config.delay_ms / 1e3),
            loss: config.loss,
            policer,
            bottleneck: config.mbps.map(bucket),
            last_release: Instant::MIN,
            line: VecDeque::new(),
            random: Random::new(seed, (1, direction as u64)),
        })
    }

    /// Takes a packet in, or drops it and reports the drop.
    pub fn push(&mut self, now: Instant, packet: P, truth: &mut impl Truth) {
        let leaves = match self.pass(now, &packet) {
            Ok(leaves) => leaves,
            Err((kind, value)) => {
                let (direction, tcp) = (Some(self.direction), packet.tcp());
                return truth.event(&Event { at: now, kind, direction, tcp, value });
            }
        };
        self.last_release = self.last_release.max(leaves + self.delay.max(Duration::ZERO));
        self.line.push_back((self.last_release, packet));
    }

    /// The time at which a packet leaves the bottleneck, or the reason why it is dropped.
    fn pass(&mut self, now: Instant, packet: &P) -> Result<Instant, (EventKind, f64)> {
        if let Some(policer) = &mut self.policer {
            policer.pass(now, packet.bytes()).map_err(|_| (EventKind::PathPoliced, 0.0))?;
        }
        if packet.has_payload() && self.random.chance(self.loss) {
            return Err((EventKind::PathLoss, 0.0));
        }
        let Some(bottleneck) = &mut self.bottleneck else { return Ok(now) };
        bottleneck.pass(now, packet.bytes()).map_err(|waiting| (EventKind::PathDrop, waiting))
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
        if self.burst_bytes > MOST_BURST_BYTES {
            return wrong("burst_bytes", "a bottleneck lets at most 1 GB pass at once");
        }
        check_queue(self.buffer_bytes, format!("{name}.buffer_bytes"))
    }
}
