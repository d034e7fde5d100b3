//! Models the traffic of the other users of the cell, which compete with the phone for PRBs.

use airmile_types::{Duration, Instant};

use crate::bounds::{is_positive_rate, is_time};
use crate::config::{ConfigError, TrafficConfig};
use crate::packet::Packet;
use crate::queue::Queue;
use crate::random::Random;

/// The number of bytes added for a user who always has data: more than any TTI can carry (TS 36.213
/// section 7.1.7: below 100 kB).
const ENDLESS_BYTES: u64 = 1 << 20;
/// The size of a packet in bytes: the MTU of Ethernet (our choice).
const PACKET_BYTES: u64 = 1500;

/// The traffic of one competing user.
#[derive(Debug)]
pub(crate) struct Traffic {
    config: TrafficConfig,
    on: bool,
    next: Option<Instant>,
}

impl Traffic {
    pub(crate) fn new(config: &TrafficConfig, name: &str) -> Result<Self, ConfigError> {
        let sound = match *config {
            TrafficConfig::Full => true,
            TrafficConfig::Poisson { mbps } => is_positive_rate(mbps),
            TrafficConfig::OnOff { on_ms, off_ms } => {
                [on_ms, off_ms].into_iter().all(|ms| ms >= 1.0 && is_time(ms))
            }
        };
        if !sound {
            let problem = "rates are 0.001 to 10000 Mbit/s, times 1 ms to a day";
            return Err(ConfigError::new(format!("{name}.competitors.traffic"), problem));
        }
        Ok(Self { config: *config, on: false, next: None })
    }

    /// Adds to `queue` the bytes that have arrived by `now`.
    pub(crate) fn arrive<P: Packet>(
        &mut self,
        now: Instant,
        queue: &mut Queue<P>,
        random: &mut Random,
    ) {
        match self.config {
            TrafficConfig::Full => top_up(now, queue),
            TrafficConfig::Poisson { mbps } => {
                let mean_s = PACKET_BYTES as f64 * 8e-6 / mbps;
                let mut wait = || Duration::from_secs_f64(random.exponential(mean_s));
                let mut next = self.next.unwrap_or_else(|| now + wait());
                while next <= now {
                    queue.fill(next, PACKET_BYTES);
                    next = next + wait();
                }
                self.next = Some(next);
            }
            TrafficConfig::OnOff { on_ms, off_ms } => {
                self.switch(now, on_ms, off_ms, random);
                if self.on {
                    top_up(now, queue);
                } else {
                    queue.clear();
                }
            }
        }
    }

    /// Switches between on and off times, up to `now`. The first time is an on time with the
    /// probability of the on times' share.
    fn switch(&mut self, now: Instant, on_ms: f64, off_ms: f64, random: &mut Random) {
        let mut next = self.next.unwrap_or_else(|| {
            self.on = !random.chance(on_ms / (on_ms + off_ms));
            now
        });
        while next <= now {
            self.on = !self.on;
            let mean_ms = if self.on { on_ms } else { off_ms };
            next = next + Duration::from_secs_f64(random.exponential(mean_ms) / 1e3);
        }
        self.next = Some(next);
    }
}

fn top_up<P: Packet>(now: Instant, queue: &mut Queue<P>) {
    if queue.bytes() < ENDLESS_BYTES {
        queue.fill(now, ENDLESS_BYTES);
    }
}
