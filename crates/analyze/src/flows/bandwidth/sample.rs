//! Holds samples back until the tick of the receiver's clock is known, and computes their mean.

use std::collections::VecDeque;

use airmile_types::{Direction, Duration, Instant, Parameters};

use super::link::Bearer;
use super::raw::{Clock, Raw, Source};
use super::row::BandwidthSampleRow;

/// The number of samples that may wait for the tick: three seconds of both estimators at the
/// default spacing are 120.
const WAITING: usize = 8192;
/// The tick that limits are computed with while the true one is unknown: the most frequent tick
/// (LTE13 section 6.1).
const TICK_GUESS_NS: f64 = 1e6;

/// The losses of other flows are known after this time: they retransmit after a round trip, which
/// includes the time in the queue.
const LOSSES_KNOWN: Duration = Duration::from_secs(2);

/// Holds samples back until it is decided which clock measures the flow. All samples of a flow use
/// the same clock (methods E2: never pooled). Samples of several flows also wait until losses are
/// known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Waiting {
    raws: VecDeque<Raw>,
    clock: Option<(Clock, f64)>,
}

airmile_types::held!(Waiting { raws });

impl Waiting {
    /// The length of the clock's tick, in nanoseconds.
    pub(super) fn tick_ns(&self) -> f64 {
        self.clock.map_or(TICK_GUESS_NS, |(_, tick_ns)| tick_ns)
    }

    /// The clock that measures the samples; `None` until it is decided.
    pub(super) fn clock_in_force(&self) -> Option<Clock> {
        self.clock.map(|(clock, _)| clock)
    }

    /// Whether the clock is decided.
    pub(super) const fn is_decided(&self) -> bool {
        self.clock.is_some()
    }

    /// Sets the clock that measures the samples, or corrects its tick.
    pub(super) const fn decide(&mut self, clock: Clock, tick_ns: f64) {
        self.clock = Some((clock, tick_ns));
    }

    pub(super) fn push(&mut self, raw: Raw) {
        if self.raws.len() < WAITING {
            self.raws.push_back(raw);
        }
    }

    /// Whether no sample waits, or none will ever be written.
    pub(super) fn is_empty(&self) -> bool {
        self.clock.is_none() || self.raws.is_empty()
    }

    /// Whether a sample may be written at `now`.
    #[inline]
    pub(super) fn is_due(&self, now: Instant) -> bool {
        let due = |raw: &Raw| raw.flows == 1 || now - raw.end() > LOSSES_KNOWN;
        self.clock.is_some() && self.raws.front().is_some_and(due)
    }

    /// The next sample that may be written, once the clock is decided.
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

/// The mean over windows of equal length, each represented by the sample nearest its centre
/// (methods E4).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct WindowMean {
    samples: u32,
    windows: u32,
    sum_bps: f64,
    current: Option<(i64, Duration, f64)>,
}

impl WindowMean {
    /// Takes a sample; samples come in the order of their times.
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

    /// The number of samples.
    pub(super) const fn samples(&self) -> u32 {
        self.samples
    }

    /// The mean bandwidth, and the number of windows that have a sample.
    pub(super) fn mean(mut self) -> Option<(f64, u32)> {
        self.take();
        (self.windows > 0).then(|| (self.sum_bps / f64::from(self.windows), self.windows))
    }
}

/// The width of a window of the mean.
pub(super) fn window(parameters: &Parameters) -> Duration {
    Duration::from_secs_f64(parameters.utilisation_window_ms / 1e3)
}
