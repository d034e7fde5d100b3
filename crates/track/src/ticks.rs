//! Defines ticks of timestamp clocks (methods E1): fitted ticks, and the list of known tick
//! lengths.

use airmile_types::Duration;

/// The tick of a clock as a fit found it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Length of one tick in nanoseconds, from the slope of the fitted line.
    pub fitted_ns: f64,
    /// Time from the first packet of the fit to the last.
    pub span: Duration,
    /// The number of packets in the fit.
    pub packets: u64,
}

/// The tick of a clock, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownTick {
    /// The tick itself.
    pub tick: Tick,
    /// Whether a fit found the tick. Otherwise it is the only known tick length that is consistent
    /// with the flow's packets.
    pub fitted: bool,
}

impl Tick {
    /// The known tick length in milliseconds that differs from the fitted one by at most the
    /// fraction `tolerance`; `None` if there is none.
    pub fn nominal_ms(&self, tolerance: f64) -> Option<f64> {
        nominal_ms(self.fitted_ns, tolerance)
    }

    /// The length of one tick in nanoseconds: the known length if one is within `tolerance` of the
    /// fitted length, otherwise the fitted length.
    pub fn best_ns(&self, tolerance: f64) -> f64 {
        self.nominal_ms(tolerance).map_or(self.fitted_ns, |ms| ms * 1e6)
    }
}

/// The known tick lengths in nanoseconds, in ascending order. 1 us is Linux with `tcp_usec_ts`; 1,
/// 10/3, 4 and 10 ms are Linux's choices of HZ; 2 and 100 ms occur elsewhere; 0.5 and 1 s are those
/// of the BSDs of the 1990s.
pub const KNOWN_NS: [f64; 9] = [1e3, 1e6, 2e6, 1e7 / 3.0, 4e6, 10e6, 100e6, 500e6, 1000e6];
/// The range of tick lengths that methods E1 names, in milliseconds.
const NAMED_MS: std::ops::RangeInclusive<f64> = 1.0..=100.0;
/// The tick lengths that a phone may have (methods B2). 2 ms is left out: a queue that grows as in
/// slow start makes a tick of 1 ms look like one of 2 ms.
const PHONES_NS: std::ops::RangeInclusive<f64> = 1e6..=10e6;
const MADE_BY_SLOW_START_NS: f64 = 2e6;

/// The known length in milliseconds that differs from `fitted_ns` by at most the fraction
/// `tolerance`; `None` if there is none.
fn nominal_ms(fitted_ns: f64, tolerance: f64) -> Option<f64> {
    let mut named = KNOWN_NS.into_iter().map(|ns| ns / 1e6).filter(|ms| NAMED_MS.contains(ms));
    named.find(|ms| (fitted_ns / 1e6 / ms - 1.0).abs() <= tolerance)
}

/// The known length whose ratio to `given_ns` is nearest to 1; `None` if that ratio exceeds `most`.
pub fn nearest_ns(given_ns: f64, most: f64) -> Option<f64> {
    let apart = |ns: &f64| (given_ns / ns).ln().abs();
    let nearest = KNOWN_NS.into_iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    (apart(&nearest) <= most.ln()).then_some(nearest)
}

/// The known tick lengths that the clock of a phone may have, in nanoseconds.
pub fn of_phones_ns() -> impl Iterator<Item = f64> {
    let may = |ns: &f64| PHONES_NS.contains(ns) && *ns != MADE_BY_SLOW_START_NS;
    KNOWN_NS.into_iter().filter(may)
}
