//! Ticks of timestamp clocks (methods E1): as they are fitted, and the one list of known lengths.

use airmile_types::Duration;

/// A clock's tick as it was fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Nanoseconds of one tick by the line under the points.
    pub fitted_ns: f64,
    /// Time from the first to the last packet of the fit.
    pub span: Duration,
    /// Packets in the fit.
    pub packets: u64,
}

/// A tick, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownTick {
    /// Its length.
    pub tick: Tick,
    /// Whether a fit found it; else it is the only one of the known ticks that the flow's packets
    /// agree on.
    pub fitted: bool,
}

impl Tick {
    /// The known tick length within `tolerance` (a fraction) of the fitted one, in milliseconds.
    pub fn nominal_ms(&self, tolerance: f64) -> Option<f64> {
        nominal_ms(self.fitted_ns, tolerance)
    }

    /// Nanoseconds of one tick: the known length within `tolerance`, else the fitted one.
    pub fn best_ns(&self, tolerance: f64) -> f64 {
        self.nominal_ms(tolerance).map_or(self.fitted_ns, |ms| ms * 1e6)
    }
}

/// The known ticks in nanoseconds, the shortest first: 1 us is Linux with `tcp_usec_ts`, 1, 10/3, 4
/// and 10 ms are its choices of HZ, 2 and 100 ms are found elsewhere, 0.5 and 1 s on the BSDs of
/// the 1990s.
pub const KNOWN_NS: [f64; 9] = [1e3, 1e6, 2e6, 1e7 / 3.0, 4e6, 10e6, 100e6, 500e6, 1000e6];
/// Those that methods E1 names.
const NAMED_MS: std::ops::RangeInclusive<f64> = 1.0..=100.0;
/// A phone's (methods B2): without the 2 ms that a queue growing as in slow start makes of 1.
const PHONES_NS: std::ops::RangeInclusive<f64> = 1e6..=10e6;
const MADE_BY_SLOW_START_NS: f64 = 2e6;

/// The known length within `tolerance` (a fraction) of another, in milliseconds.
fn nominal_ms(fitted_ns: f64, tolerance: f64) -> Option<f64> {
    let mut named = KNOWN_NS.into_iter().map(|ns| ns / 1e6).filter(|ms| NAMED_MS.contains(ms));
    named.find(|ms| (fitted_ns / 1e6 / ms - 1.0).abs() <= tolerance)
}

/// The known length whose ratio to another is nearest to 1 and at most `most`.
pub fn nearest_ns(told_ns: f64, most: f64) -> Option<f64> {
    let apart = |ns: &f64| (told_ns / ns).ln().abs();
    let nearest = KNOWN_NS.into_iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    (apart(&nearest) <= most.ln()).then_some(nearest)
}

/// Those that a phone's clock may have.
pub fn of_phones_ns() -> impl Iterator<Item = f64> {
    let may = |ns: &f64| PHONES_NS.contains(ns) && *ns != MADE_BY_SLOW_START_NS;
    KNOWN_NS.into_iter().filter(may)
}
