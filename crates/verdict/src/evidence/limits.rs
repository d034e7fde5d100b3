//! Converts the thresholds of the evidence once to the units in which packets are measured.

use airmile_types::{Duration, Parameters};

/// The least size of a full segment, in bytes. A sender that has more to send uses no shorter
/// segment: every link carries packets of 1280 bytes (RFC 8200 section 5), of which headers and
/// options take up to 80.
pub(crate) const FULL_LEAST_BYTES: u32 = 1200;

/// Thresholds that packets are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub(super) ack_clock: Duration,
    pub(super) application_slack: Duration,
    pub(super) phone_spread: Duration,
    pub(super) queue_slack: Duration,
    pub(super) queue_jitter: Duration,
    pub(super) queue_before: Duration,
    pub(super) least_delayed_ack: Duration,
    pub(super) delayed_ack_ms: f64,
    pub(super) full_segments: f64,
    pub(super) full_receiver_segments: f64,
    pub(super) uncut_segments: f64,
    pub(super) growth_ratio: f64,
    pub(super) kept_coming_ratio: f64,
}

impl Limits {
    /// Converts the thresholds from the parameters in force.
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            ack_clock: ms(parameters.ack_clock_ms),
            application_slack: ms(parameters.application_slack_ms),
            phone_spread: ms(parameters.phone_spread_ms),
            queue_slack: ms(parameters.queue_slack_ms),
            queue_jitter: ms(parameters.queue_jitter_ms),
            queue_before: ms(parameters.queue_before_ms),
            least_delayed_ack: ms(parameters.least_delayed_ack_ms),
            delayed_ack_ms: parameters.delayed_ack_ms,
            full_segments: parameters.full_mss,
            full_receiver_segments: parameters.full_receiver_mss,
            uncut_segments: parameters.uncut_segments,
            growth_ratio: parameters.growth_ratio,
            kept_coming_ratio: parameters.kept_coming_ratio,
        }
    }
}

fn ms(milliseconds: f64) -> Duration {
    Duration::from_secs_f64(milliseconds / 1e3)
}
