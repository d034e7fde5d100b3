//! Defines instants and durations. Instants are UTC nanoseconds since 1970 in an `i64`, which lasts
//! until 2262. Durations are differences of instants; they may be negative, because the clock of a
//! capture may step back.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// A point in time of the capture's clock, UTC nanoseconds since 1970-01-01.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

/// A signed difference of two instants, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i64);

impl Instant {
    /// The instant before every other one.
    pub const MIN: Self = Self(i64::MIN);
    /// The instant after every other one.
    pub const MAX: Self = Self(i64::MAX);

    /// The instant `ns` nanoseconds after 1970-01-01 UTC.
    pub const fn from_nanos(ns: i64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since 1970-01-01 UTC.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// The number of the interval of length `width` that contains this instant; intervals are
    /// counted from 1970-01-01 UTC.
    pub const fn bin(self, width: Duration) -> i64 {
        self.0.div_euclid(width.0)
    }
}

impl Duration {
    /// A duration of zero.
    pub const ZERO: Self = Self(0);
    /// The longest duration.
    pub const MAX: Self = Self(i64::MAX);

    /// A duration of `ns` nanoseconds.
    pub const fn from_nanos(ns: i64) -> Self {
        Self(ns)
    }

    /// A duration of `us` microseconds.
    pub const fn from_micros(us: i64) -> Self {
        Self(us * 1_000)
    }

    /// A duration of `ms` milliseconds.
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A duration of `s` seconds.
    pub const fn from_secs(s: i64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// A duration of `s` seconds, rounded to the nanosecond; a value beyond the range becomes the
    /// nearest end of the range.
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    pub fn from_secs_f64(s: f64) -> Self {
        // `round` is a library call on plain x86-64, which is too slow for a step that each packet
        // takes.
        Self((s * 1e9 + 0.5f64.copysign(s)) as i64)
    }

    /// The duration in nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// The duration in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Whether this duration is longer than `s` seconds, rounded to the nanosecond. A conversion of
    /// `s` by [`Self::from_secs_f64`] at each packet would take longer.
    #[inline]
    pub fn exceeds_secs_f64(self, s: f64) -> bool {
        self.0 as f64 > s * 1e9 + 0.5
    }

    /// The duration in milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This duration times an integer; a result beyond the range becomes the nearest end of the
    /// range.
    pub const fn times(self, factor: i64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// This duration divided by a positive integer.
    pub const fn over(self, divisor: i64) -> Self {
        Self(self.0 / divisor)
    }

    /// This duration without its sign.
    pub const fn abs(self) -> Self {
        Self(self.0.saturating_abs())
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Duration) -> Self {
        Self(sum(self.0, rhs.0))
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;
    #[inline]
    fn sub(self, rhs: Duration) -> Self {
        Self(difference(self.0, rhs.0))
    }
}

impl Sub for Instant {
    type Output = Duration;
    #[inline]
    fn sub(self, rhs: Self) -> Duration {
        Duration(difference(self.0, rhs.0))
    }
}

impl Add for Duration {
    type Output = Self;
    #[inline]
    fn add(self, rhs: Self) -> Self {
        Self(sum(self.0, rhs.0))
    }
}

impl Sub for Duration {
    type Output = Self;
    #[inline]
    fn sub(self, rhs: Self) -> Self {
        Self(difference(self.0, rhs.0))
    }
}

// Timestamps of a damaged file may lie centuries apart, so every sum saturates and does not wrap.
// The saturating case is a branch that is almost never taken: choosing between three results
// without a branch would cost more than all the rest of a sum.
#[inline]
fn sum(a: i64, b: i64) -> i64 {
    match a.checked_add(b) {
        Some(sum) => sum,
        None => beyond(b < 0),
    }
}

#[inline]
fn difference(a: i64, b: i64) -> i64 {
    match a.checked_sub(b) {
        Some(difference) => difference,
        None => beyond(b > 0),
    }
}

#[cold]
#[inline(never)]
const fn beyond(past: bool) -> i64 {
    if past { i64::MIN } else { i64::MAX }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

impl SubAssign for Duration {
    fn sub_assign(&mut self, rhs: Self) {
        *self = *self - rhs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_round_towards_the_past_before_1970_too() {
        let width = Duration::from_millis(100);
        assert_eq!(Instant::from_nanos(-1).bin(width), -1);
        assert_eq!(Instant::from_nanos(99_999_999).bin(width), 0);
    }

    #[test]
    fn a_length_in_seconds_is_rounded_to_the_nanosecond() {
        for s in [0.0, 0.03, 1.5, 2.5e-9, 2.4e-9, 1e-3 / 3.0, 86_400.0] {
            let limit = Duration::from_secs_f64(s);
            for beside in -2..=2 {
                let length = limit + Duration::from_nanos(beside);
                assert_eq!(length.exceeds_secs_f64(s), length > limit, "{length:?} and {s} s");
            }
        }
    }

    #[test]
    fn centuries_saturate() {
        assert_eq!(Instant::MAX - Instant::MIN, Duration::MAX);
        assert_eq!(Instant::MIN - Instant::MAX, Duration::from_nanos(i64::MIN));
        assert_eq!(Instant::MAX + Duration::MAX, Instant::MAX);
        assert_eq!(Instant::MIN + Duration::from_nanos(-1), Instant::MIN);
        assert_eq!(Instant::MIN - Duration::from_nanos(1), Instant::MIN);
        assert_eq!(Duration::MAX + Duration::from_nanos(1), Duration::MAX);
    }
}
