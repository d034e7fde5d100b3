//! Tick lengths of known stacks (methods E1): the one list.

/// In nanoseconds, the shortest first: 1 us is Linux with `tcp_usec_ts`, 1, 10/3, 4 and 10 ms are
/// its choices of HZ, 2 and 100 ms are found elsewhere, 0.5 and 1 s on the BSDs of the 1990s.
pub(crate) const KNOWN_NS: [f64; 9] = [1e3, 1e6, 2e6, 1e7 / 3.0, 4e6, 10e6, 100e6, 500e6, 1000e6];
/// Those that methods E1 names.
const NAMED_MS: std::ops::RangeInclusive<f64> = 1.0..=100.0;
/// A phone's (methods B2): without the 2 ms that a queue growing as in slow start makes of 1.
const PHONES_NS: std::ops::RangeInclusive<f64> = 1e6..=10e6;
const MADE_BY_SLOW_START_NS: f64 = 2e6;

/// The known length within `tolerance` (a fraction) of another, in milliseconds.
pub(crate) fn nominal_ms(fitted_ns: f64, tolerance: f64) -> Option<f64> {
    let mut named = KNOWN_NS.into_iter().map(|ns| ns / 1e6).filter(|ms| NAMED_MS.contains(ms));
    named.find(|ms| (fitted_ns / 1e6 / ms - 1.0).abs() <= tolerance)
}

/// The known length whose ratio to another is nearest to 1 and at most `most`.
pub(crate) fn nearest_ns(told_ns: f64, most: f64) -> Option<f64> {
    let apart = |ns: &f64| (told_ns / ns).ln().abs();
    let nearest = KNOWN_NS.into_iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    (apart(&nearest) <= most.ln()).then_some(nearest)
}

/// Those that a phone's clock may have.
pub(crate) fn of_phones_ns() -> impl Iterator<Item = f64> {
    let may = |ns: &f64| PHONES_NS.contains(ns) && *ns != MADE_BY_SLOW_START_NS;
    KNOWN_NS.into_iter().filter(may)
}
