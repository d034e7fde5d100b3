//! Makes a window from two ACKs; the tick of the receiver's clock then gives its bandwidth.

use airmile_types::{Direction, Duration, Instant};

use super::arrival::Arrival;
use super::row::BandwidthSampleRow;

/// The estimator that made a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// There was a queue in every part of the window.
    QueueEvident,
    /// The data of the window was sent at the rate C or faster (methods E2).
    CRule,
}

/// The clock that measured the receive window: the phone's clock or the capture point's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// The receiver's clock, by TCP timestamps.
    Ue,
    /// The clock of the capture point.
    Tap,
}

impl Source {
    /// The word for the estimator in the tables.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::QueueEvident => "queue_evident",
            Self::CRule => "c_rule",
        }
    }
}

impl Clock {
    /// The word for the clock in the tables.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ue => "ue",
            Self::Tap => "tap",
        }
    }
}

/// A window between two deliveries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Raw {
    /// The times at which the link served the first and the last byte, as far as the capture point
    /// shows them.
    pub(super) from: Instant,
    to: Instant,
    /// The length of the window at the capture point.
    length: Duration,
    ticks: Option<u32>,
    bytes: u64,
    /// The share of the window in which the link is known to have been busy.
    busy: f64,
    /// The number of flows whose bytes the window contains.
    pub(super) flows: u32,
    /// The times at which the newest bytes of the first and of the last delivery passed the capture
    /// point.
    sent: (Instant, Instant),
    /// How far the times of service may be from `from` and `to`.
    uncertainty: Duration,
    pub(super) source: Source,
}

impl Raw {
    pub(super) fn between(first: &Arrival, last: &Arrival, source: Source) -> Self {
        let ticks = first.ticks.zip(last.ticks).map(|(first, last)| last.wrapping_sub(first));
        Self {
            from: first.served,
            to: last.served,
            length: last.time - first.time,
            // If the clock was set back between the two ACKs, it shows nothing.
            ticks: ticks.filter(|ticks| *ticks <= i32::MAX as u32),
            bytes: last.delivered.saturating_sub(first.delivered),
            busy: busy_ratio(first, last, source),
            flows: 1,
            sent: (first.sent.unwrap_or(first.time), last.sent.unwrap_or(last.time)),
            uncertainty: first.uncertainty.max(last.uncertainty),
            source,
        }
    }

    /// Returns the window with the number of flows set to `flows`.
    pub(super) const fn of(self, flows: u32) -> Self {
        Self { flows, ..self }
    }

    /// Returns the window without `bytes` that were lost.
    pub(super) const fn less(self, bytes: i64) -> Self {
        Self { bytes: self.bytes.saturating_add_signed(-bytes), ..self }
    }

    /// The span from the passing of the first delivery's newest byte to that of the last
    /// delivery's.
    pub(super) const fn sent_span(&self) -> (Instant, Instant) {
        self.sent
    }

    /// The time at which the window's last byte was delivered.
    pub(super) const fn end(&self) -> Instant {
        self.to
    }

    /// The length of the window in ticks of the receiver's clock, or, without timestamps, in ticks
    /// of the capture point's time.
    pub(super) fn ticks_or_time(&self, tick_ns: f64) -> f64 {
        self.ticks.map_or(self.length.as_nanos() as f64 / tick_ns, f64::from)
    }

    /// The row of the window, measured by a clock; `None` when that clock shows no length.
    pub(super) fn row(&self, uid: u64, direction: Direction, clock: Clock, tick_ns: f64) -> Option<BandwidthSampleRow> {
        let span_s = match clock {
            Clock::Ue => f64::from(self.ticks?) * tick_ns / 1e9,
            Clock::Tap => self.length.as_secs_f64(),
        };
        let bits = self.bytes as f64 * 8.0;
        let sent_s = (self.sent.1 - self.sent.0).as_secs_f64();
        (span_s > 0.0 && self.agrees(span_s)).then(|| BandwidthSampleRow {
            uid,
            direction,
            time_ns: self.from + (self.to - self.from).over(2),
            time_uncertainty_ms: self.uncertainty.as_millis_f64(),
            span_s,
            bandwidth_bps: bits / (span_s * self.busy),
            send_bps: (sent_s > 0.0).then(|| bits / sent_s),
            source: self.source.as_str(),
            clock: clock.as_str(),
            flows: self.flows,
        })
    }
}

impl Raw {
    /// Whether the span by the receiver's clock is half to twice the window that was examined.
    /// Before the flow's clock is known, the lateness of its ACKs is not known either, so a span of
    /// another length belongs to another window.
    fn agrees(&self, span_s: f64) -> bool {
        let served_s = (self.to - self.from).as_secs_f64();
        self.source == Source::CRule || (0.5..=2.0).contains(&(span_s / served_s))
    }
}

/// The share of the window in which the link was busy. In the rest nothing waited, and it is
/// unknown how much the link could have carried.
fn busy_ratio(first: &Arrival, last: &Arrival, source: Source) -> f64 {
    let length = (last.served - first.served).as_secs_f64();
    if source == Source::CRule || length <= 0.0 {
        return 1.0;
    }
    ((last.busy - first.busy).as_secs_f64() / length).min(1.0)
}
