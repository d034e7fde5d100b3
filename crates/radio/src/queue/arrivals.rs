//! Derives from a capture which packets arrived at the base station, and when.

use airmile_types::{Duration, Vantage};

use super::capture::{Passed, PhoneCapture};
use super::delay::{from_radio, to_radio};
use super::service::{Allocation, Axis, Service, TICK};

/// A packet that arrives at the base station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    /// The time of arrival in nanoseconds since the first millisecond of the log.
    pub(super) at: i64,
    pub(super) bytes: u64,
    pub(super) lost: bool,
    /// The number of the millisecond by which the packet is known to have been delivered; `None` if
    /// the packet may still wait.
    pub(super) delivered: Option<i64>,
}

/// All arrivals, and the times when nothing was left at the base station.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    pub(super) packets: Vec<Arrival>,
    pub(super) nothing: Vec<(i64, i64)>,
}

/// The shares of each other's bytes that log and capture explain, over their common time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Explained {
    /// The bytes of the log divided by the delivered bytes of the capture (methods G3).
    pub(super) radio: f64,
    /// The bytes of the capture divided by the bytes of the log.
    pub(super) capture: f64,
}

impl Arrivals {
    pub(super) fn of(capture: &PhoneCapture, service: &Service) -> Self {
        let mut arrivals = match capture.vantage {
            Vantage::Ue => Self::before_phone(capture, service),
            Vantage::Monitor | Vantage::Server => Self::behind_capture_point(capture, service),
        };
        arrivals.packets.sort_by_key(|packet| packet.at);
        arrivals
    }

    fn behind_capture_point(capture: &PhoneCapture, service: &Service) -> Self {
        let axis = &service.axis;
        let captured: Vec<i64> = capture.passed.iter().map(|p| axis.nanos(p.time)).collect();
        let delay = to_radio(&captured, service);
        let packets = capture.passed.iter().zip(&captured).map(|(passed, at)| Arrival {
            at: Axis::shift(*at, delay),
            bytes: passed.ip_bytes.into(),
            lost: passed.lost,
            delivered: delivered(passed, axis),
        });
        let nothing = capture.nothing_in_flight.iter().map(|(from, to)| {
            (Axis::shift(axis.nanos(*from), delay), Axis::shift(axis.nanos(*to), delay))
        });
        Self { packets: packets.collect(), nothing: nothing.collect() }
    }

    /// The arrivals for a capture on the phone. A packet was sent at the time that the sender's
    /// clock shows. It reached the base station as soon as the fastest packets did, but no later
    /// than the radio delivered it.
    fn before_phone(capture: &PhoneCapture, service: &Service) -> Self {
        let axis = &service.axis;
        let captured: Vec<i64> = capture.passed.iter().map(|p| axis.nanos(p.time)).collect();
        let delay = Duration::ZERO - from_radio(&captured, service);
        let packets: Vec<_> = capture
            .passed
            .iter()
            .zip(&captured)
            .map(|(passed, at)| {
                let soonest = passed.unqueued.map_or(*at, |time| axis.nanos(time).min(*at));
                let at = Axis::shift(soonest, delay);
                let delivered = delivered(passed, axis);
                Arrival { at, bytes: passed.ip_bytes.into(), lost: false, delivered }
            })
            .collect();
        let nothing = between_deliveries(&packets, &captured, capture.tick.as_nanos());
        Self { packets, nothing }
    }

    /// The span from the first arrival to the last arrival or acknowledgement.
    pub(super) fn covered(&self) -> (i64, i64) {
        let first = self.packets.first().map_or(0, |packet| packet.at);
        let last = self.packets.last().map_or(0, |packet| packet.at);
        let known = self.packets.iter().filter_map(|packet| packet.delivered).max();
        (first, known.map_or(last, |known| known.max(last)))
    }

    pub(super) fn explained(&self, service: &Service) -> Explained {
        let (first, last) = self.covered();
        let end = service.axis.end().saturating_mul(TICK);
        let bytes = |of: &dyn Fn(&Arrival) -> bool| -> u64 {
            self.packets.iter().filter(|packet| of(packet)).map(|packet| packet.bytes).sum()
        };
        let inside = |at: i64| (0..=end).contains(&at);
        // Packets that still wait at the end of the capture or the log were not served yet.
        let delivered = bytes(&|packet| packet.at >= 0 && packet.delivered.is_some_and(inside));
        let arrived = bytes(&|packet| !packet.lost && inside(packet.at));
        let within = |block: &&Allocation| (first..=last).contains(&block.at.saturating_mul(TICK));
        let served: Option<u64> = service.new_blocks().filter(within).map(|b| b.bytes).sum();
        // Blocks that do not fill the carrier may be padded, and the log may not show the padding.
        let full = |block: &&Allocation| service.has_padding || block.is_whole();
        let surely = service.new_blocks().filter(within).filter(full);
        let surely: Option<u64> = surely.map(|block| block.bytes).sum();
        let ratio = |part: Option<u64>, whole: u64| match part {
            Some(part) if whole > 0 => part as f64 / whole as f64,
            _ => 1.0,
        };
        Explained {
            radio: ratio(served, delivered),
            capture: ratio(Some(arrived), surely.unwrap_or(0)),
        }
    }
}

/// The millisecond by which the packet is known to have been delivered. A packet that no ACK covers
/// counts as delivered when it was captured.
fn delivered(passed: &Passed, axis: &Axis) -> Option<i64> {
    let silent = passed.silent.then_some(passed.time);
    passed.acknowledged.or(silent).map(|time| axis.nanos(time))
}

/// The spans in which everything sent has been delivered: from each delivery until the next packet
/// is sent.
fn between_deliveries(packets: &[Arrival], captured: &[i64], tick: i64) -> Vec<(i64, i64)> {
    let mut soonest_after = vec![i64::MAX; packets.len() + 1];
    for (index, packet) in packets.iter().enumerate().rev() {
        if let [here, next, ..] = &mut soonest_after[index..] {
            *here = packet.at.min(*next);
        }
    }
    let latest = captured.iter().scan(i64::MIN, |latest, at| {
        *latest = (*latest).max(*at);
        Some(*latest)
    });
    latest
        .zip(soonest_after.iter().skip(1))
        .map(|(from, next)| (from, next.saturating_sub(tick)))
        .filter(|(from, to)| *to != i64::MAX - tick && from < to)
        .collect()
}
