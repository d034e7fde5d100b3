//! Limits a rate with a token bucket (RFC 2475 section 2.3.3.3): a shaper, which lets packets wait
//! for tokens, or a policer, which drops packets for which there are none.

use airmile_types::{Duration, Instant};

use crate::bounds::is_positive_rate;
use crate::config::{ConfigError, PolicerConfig};

/// The greatest depth of a bucket in bytes; our choice, as for the size of a queue.
pub(crate) const MOST_BURST_BYTES: u64 = 1_000_000_000;

#[derive(Debug)]
pub(crate) struct Bucket {
    seconds_per_byte: f64,
    burst_bytes: f64,
    buffer_bytes: f64,
    /// The time at which the bucket will be full if nothing more comes.
    full_at: Instant,
}

impl Bucket {
    /// A full bucket. Without a burst, it is a serial line: a packet leaves when its last byte was
    /// sent.
    pub(crate) fn new(mbps: f64, burst_bytes: u64, buffer_bytes: u64) -> Self {
        Self {
            seconds_per_byte: 8e-6 / mbps,
            burst_bytes: burst_bytes as f64,
            buffer_bytes: buffer_bytes as f64,
            full_at: Instant::MIN,
        }
    }

    /// A bucket without a buffer.
    pub(crate) fn policer(config: &PolicerConfig, name: &str) -> Result<Self, ConfigError> {
        if !is_positive_rate(config.mbps) {
            return Err(ConfigError::new(format!("{name}.mbps"), "a rate is 0.001 to 10000"));
        }
        if !(1_500..=MOST_BURST_BYTES).contains(&config.burst_bytes) {
            let problem = "a burst holds a packet of 1500 bytes, and at most 1 GB";
            return Err(ConfigError::new(format!("{name}.burst_bytes"), problem));
        }
        Ok(Self::new(config.mbps, config.burst_bytes, 0))
    }

    /// The time at which a packet that comes at `now` leaves; the number of bytes that wait if
    /// there is no room for it.
    pub(crate) fn pass(&mut self, now: Instant, bytes: u32) -> Result<Instant, f64> {
        let (full_at, sending_s) =
            (self.full_at.max(now), f64::from(bytes) * self.seconds_per_byte);
        let burst_s = self.burst_bytes * self.seconds_per_byte;
        let lacking_s = (full_at - now).as_secs_f64() - burst_s;
        // One byte is added to the buffer, because times are rounded.
        if lacking_s + sending_s > (self.buffer_bytes + 1.0) * self.seconds_per_byte {
            return Err(lacking_s.max(0.0) / self.seconds_per_byte);
        }
        self.full_at = full_at + Duration::from_secs_f64(sending_s);
        Ok((self.full_at - Duration::from_secs_f64(burst_s)).max(now))
    }
}
