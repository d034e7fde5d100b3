//! From two ACKs to a sample, once the tick of the receiver's clock is known.

use std::collections::VecDeque;

use airmile_types::{Direction, Duration, Instant};

use super::BandwidthSampleRow;
use super::delivery::Arrival;
use super::link::Bearer;

/// Samples that await the tick: three seconds of both estimators at the default spacing are 120.
const WAITING: usize = 8192;
/// Tick to reckon limits with while it is unknown: the most frequent (LTE13 section 6.1).
const TICK_GUESS_NS: f64 = 1e6;

/// Which estimator made a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A queue stood behind every ACK of the window.
    QueueEvident,
    /// The window was sent at C or faster.
    CRule,
}

/// Whose clock measured the receive window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// The receiver's, by TCP timestamps.
    Ue,
    /// The tap's.
    Tap,
}

impl Source {
    /// The word in the tables.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::QueueEvident => "queue_evident",
            Self::CRule => "c_rule",
        }
    }
}

impl Clock {
    /// The word in the tables.
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
    /// When the first and the last byte were served, as far as the tap can tell.
    pub(super) from: Instant,
    to: Instant,
    /// Its length at the tap.
    length: Duration,
    ticks: Option<u32>,
    bytes: u64,
    /// Share of it in which the link is known to have been busy.
    busy: f64,
    /// Flows whose bytes these are.
    pub(super) flows: u32,
    /// When the newest bytes of its first and its last delivery passed the tap.
    sent: (Instant, Instant),
    /// How far the service may lie from `from` and `to`.
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
            // A clock set back between them tells nothing.
            ticks: ticks.filter(|ticks| *ticks <= i32::MAX as u32),
            bytes: last.delivered.saturating_sub(first.delivered),
            busy: busy_ratio(first, last, source),
            flows: 1,
            sent: (first.sent.unwrap_or(first.time), last.sent.unwrap_or(last.time)),
            uncertainty: first.uncertainty.max(last.uncertainty),
            source,
        }
    }

    /// The same as of so many flows.
    pub(super) const fn of(self, flows: u32) -> Self {
        Self { flows, ..self }
    }

    /// The same without `bytes` that were lost.
    pub(super) const fn less(self, bytes: i64) -> Self {
        Self { bytes: self.bytes.saturating_add_signed(-bytes), ..self }
    }

    /// From the passing of the first delivery's newest byte to that of the last one's.
    pub(super) const fn sent_span(&self) -> (Instant, Instant) {
        self.sent
    }

    /// When its last byte was delivered.
    pub(super) const fn end(&self) -> Instant {
        self.to
    }

    /// Its length in ticks, or, without timestamps, in ticks of the tap's time.
    pub(super) fn ticks_or_time(&self, tick_ns: f64) -> f64 {
        self.ticks.map_or(self.length.as_nanos() as f64 / tick_ns, f64::from)
    }

    fn row(&self, uid: u64, direction: Direction, clock: Clock, tick_ns: f64) -> Option<BandwidthSampleRow> {
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
    /// Before a flow's clock is known, nor is it how late its ACKs were: where the receiver's clock
    /// tells of a window half as long, or twice, it is not the one that was looked at.
    fn agrees(&self, span_s: f64) -> bool {
        let served_s = (self.to - self.from).as_secs_f64();
        self.source == Source::CRule || (0.5..=2.0).contains(&(span_s / served_s))
    }
}

/// In the rest of the window nothing waited, and nothing is known of what could have been carried.
fn busy_ratio(first: &Arrival, last: &Arrival, source: Source) -> f64 {
    let length = (last.served - first.served).as_secs_f64();
    if source == Source::CRule || length <= 0.0 {
        return 1.0;
    }
    ((last.busy - first.busy).as_secs_f64() / length).min(1.0)
}

/// What other flows lost is known once they have sent it again: a round trip later, the queue's
/// time included.
const LOSSES_KNOWN: Duration = Duration::from_secs(2);

/// Holds samples back until it is decided which clock measures the flow; it stays the same for
/// all of them (methods E2: never pooled). Those of several flows wait for what is known of losses.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Waiting {
    raws: VecDeque<Raw>,
    clock: Option<(Clock, f64)>,
}

airmile_types::held!(Waiting { raws });

impl Waiting {
    /// Nanoseconds of its tick.
    pub(super) fn tick_ns(&self) -> f64 {
        self.clock.map_or(TICK_GUESS_NS, |(_, tick_ns)| tick_ns)
    }

    /// The clock in force.
    pub(super) fn clock_in_force(&self) -> Option<Clock> {
        self.clock.map(|(clock, _)| clock)
    }

    /// Whether the clock is decided.
    pub(super) const fn is_decided(&self) -> bool {
        self.clock.is_some()
    }

    /// Decides the clock, or gives it a better tick.
    pub(super) const fn decide(&mut self, clock: Clock, tick_ns: f64) {
        self.clock = Some((clock, tick_ns));
    }

    pub(super) fn push(&mut self, raw: Raw) {
        if self.raws.len() < WAITING {
            self.raws.push_back(raw);
        }
    }

    /// Whether none waits, or none will ever leave.
    pub(super) fn is_empty(&self) -> bool {
        self.clock.is_none() || self.raws.is_empty()
    }

    /// Whether a sample may leave at `now`.
    #[inline]
    pub(super) fn is_due(&self, now: Instant) -> bool {
        let due = |raw: &Raw| raw.flows == 1 || now - raw.end() > LOSSES_KNOWN;
        self.clock.is_some() && self.raws.front().is_some_and(due)
    }

    /// The next sample, when the clock is decided.
    pub(super) fn next(
        &mut self,
        uid: u64,
        direction: Direction,
        bearer: &Bearer,
    ) -> Option<(Source, BandwidthSampleRow)> {
        let (clock, tick_ns) = self.clock?;
        while let Some(raw) = self.raws.pop_front() {
            let raw = if raw.flows > 1 { bearer.less_lost(uid, raw) } else { raw };
            if let Some(row) = raw.row(uid, direction, clock, tick_ns) {
                return Some((raw.source, row));
            }
        }
        None
    }
}

/// The mean over windows of equal length, each with the sample nearest its centre (methods E4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct WindowMean {
    samples: u32,
    windows: u32,
    sum_bps: f64,
    current: Option<(i64, Duration, f64)>,
}

impl WindowMean {
    /// Takes a sample; they come in the order of their times.
    pub(super) fn add(&mut self, since_start: Duration, width: Duration, bandwidth_bps: f64) {
        self.samples += 1;
        let index = since_start.as_nanos().div_euclid(width.as_nanos().max(1));
        let distance = (since_start - width.times(index) - width.over(2)).abs();
        match self.current {
            Some((window, nearest, _)) if window == index && nearest <= distance => {}
            Some((window, ..)) if window == index => self.current = Some((index, distance, bandwidth_bps)),
            _ => {
                self.take();
                self.current = Some((index, distance, bandwidth_bps));
            }
        }
    }

    fn take(&mut self) {
        if let Some((_, _, bandwidth_bps)) = self.current.take() {
            self.windows += 1;
            self.sum_bps += bandwidth_bps;
        }
    }

    /// How many samples.
    pub(super) const fn samples(&self) -> u32 {
        self.samples
    }

    /// Mean bandwidth, and how many windows have a sample.
    pub(super) fn mean(mut self) -> Option<(f64, u32)> {
        self.take();
        (self.windows > 0).then(|| (self.sum_bps / f64::from(self.windows), self.windows))
    }
}
