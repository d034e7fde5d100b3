//! Converts the parameters that are times once, so that this is not done for each ACK.

use airmile_types::{Duration, Parameters};

/// The thresholds of the bandwidth estimators that are times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spans {
    /// The least time between two samples of one estimator.
    pub(super) spacing: Duration,
    /// The longest wait of a packet on an empty link.
    pub(super) excess: Duration,
    /// The longest wait of a packet on an empty link if the packet needs a HARQ retransmission.
    pub(super) harq: Duration,
    /// The longest and the shortest window with a queue.
    pub(super) window_max: Duration,
    pub(super) window_min: Duration,
    /// A little less than `bandwidth.busy_ratio`, in 256ths, as
    /// [`QueueEvident`](super::queue_evident::QueueEvident) needs it.
    pub(super) busy_in_256: i64,
    /// The shortest span of a fit that decides a clock.
    pub(super) least_fit: Duration,
}

impl Spans {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let ms = |ms: f64| Duration::from_secs_f64(ms / 1e3);
        Self {
            spacing: ms(parameters.sample_spacing_ms),
            excess: ms(parameters.queue_excess_ms),
            harq: ms(parameters.harq_ms),
            window_max: Duration::from_secs_f64(parameters.queue_window_max_s),
            window_min: Duration::from_secs_f64(parameters.queue_window_min_s).max(Duration::ZERO),
            busy_in_256: (parameters.busy_ratio.clamp(-16.0, 16.0) * 256.0).floor() as i64 - 1,
            least_fit: Duration::from_secs_f64(parameters.delta_g_s),
        }
    }
}
