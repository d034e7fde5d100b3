#![doc = include_str!("queue.md")]

mod arrivals;
mod balance;
mod blocks;
mod bursts;
mod capture;
mod collector;
mod copies;
mod delay;
mod gaps;
mod sender_clock;
mod service;
mod timeline;
mod uplink;

use airmile_types::{Duration, Vantage};

pub use capture::{Passed, PhoneCapture};
pub use collector::CaptureCollector;
pub use service::QueueLog;
pub use timeline::{QueueRun, QueueState, QueueTimeline};
pub use uplink::{UplinkQueue, uplink_queue};

use arrivals::Arrivals;
use balance::Balance;
use service::Service;
use timeline::merge;

/// Why the state of a queue cannot be determined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Undetermined {
    /// The log contains no allocation.
    NoAllocations,
    /// The log explains only this share of the acknowledged bytes, so another radio carries the
    /// rest.
    OtherRadio(f64),
}

impl std::fmt::Display for Undetermined {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoAllocations => out.write_str("the modem log has no allocation"),
            Self::OtherRadio(ratio) => write!(
                out,
                "the modem log explains {:.0} % of the acknowledged bytes; another radio carries the rest",
                ratio * 100.0
            ),
        }
    }
}

impl std::error::Error for Undetermined {}

/// The share of the capture's bytes that the log must explain, and of the log's bytes that the
/// capture must explain. If the log explains less, another radio carried the rest; if the capture
/// explains less, it misses packets (methods G3).
pub const LEAST_EXPLAINED: f64 = 0.9;

/// Estimates when the phone's downlink queue at the base station was not empty.
///
/// # Errors
/// Nothing was allocated, or another radio carried more than a tenth of the bytes.
pub fn estimate(
    log: &QueueLog<'_>,
    capture: Option<&PhoneCapture>,
) -> Result<QueueTimeline, Undetermined> {
    let service = Service::new(log).ok_or(Undetermined::NoAllocations)?;
    let alone = gaps::without_capture(&service, log.uplink);
    let Some(capture) = capture.filter(|capture| !capture.passed.is_empty()) else {
        return Ok(QueueTimeline::new(alone, service.axis));
    };
    let arrivals = Arrivals::of(capture, &service);
    let explained = arrivals.explained(&service);
    if explained.radio < LEAST_EXPLAINED {
        return Err(Undetermined::OtherRadio(explained.radio));
    }
    if explained.capture < LEAST_EXPLAINED {
        // The capture misses packets, so it would not show the end of a queue, and is ignored.
        return Ok(QueueTimeline::new(alone, service.axis));
    }
    let doubt = doubt(capture);
    let best = Balance::new(&service, &arrivals, Duration::ZERO, false).run();
    let least = Balance::new(&service, &arrivals, doubt, false).run();
    let most = Balance::new(&service, &arrivals, Duration::ZERO - doubt, true).run();
    let runs = merge(&best, &[&least, &most]);
    Ok(QueueTimeline::new(timeline::within(runs, &alone, arrivals.covered()), service.axis))
}

/// How much earlier or later than estimated a packet may have reached the base station: half a
/// millisecond, which a scheduler needs to decide, or a tick of the sender's clock.
fn doubt(capture: &PhoneCapture) -> Duration {
    match capture.vantage {
        Vantage::Ue => capture.tick.max(Duration::from_millis(1)),
        Vantage::Monitor | Vantage::Server => Duration::from_micros(500),
    }
}

#[cfg(test)]
mod tests;
