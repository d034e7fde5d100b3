//! Defines the values that a parameter may have, for each unit.
//!
//! No parameter is negative: each is a length, a size, a count, a share or a power. The upper ends
//! are far above the values of any network or phone, and far below those whose sums would overflow.

use std::fmt::{Display, Formatter, Result};

/// The values that a parameter may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Any number from the first to the second, both included.
    Between(f64, f64),
    /// Only these values.
    OneOf(&'static [f64]),
}

impl Range {
    /// Whether the range contains `value`; no range contains NaN.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Between(least, most) => value >= least && value <= most,
            Self::OneOf(values) => values.contains(&value),
        }
    }

    /// The smallest and the largest value.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Self::Between(least, most) => (least, most),
            Self::OneOf(values) => {
                let least = values.iter().copied().fold(f64::INFINITY, f64::min);
                (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
            }
        }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Between(least, most) => write!(f, "{} to {}", short(*least), short(*most)),
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(|value| short(*value)).collect();
                f.write_str(&values.join(" or "))
            }
        }
    }
}

/// The value as text, where a large number is written as `1e9`.
fn short(value: f64) -> String {
    if value >= 1e6 { format!("{value:e}") } else { value.to_string() }
}

/// Thirty years in seconds: longer than any capture, and within the range of an instant.
pub(super) const SECONDS: Range = Range::Between(0.0, 1e9);
/// Thirty years in milliseconds.
pub(super) const MILLISECONDS: Range = Range::Between(0.0, 1e12);
/// A silence in seconds that ends something; a shorter one would give each packet a row of its own.
pub(super) const GAP: Range = Range::Between(1e-3, 1e9);
/// A part of a whole, from nothing to all.
pub(super) const SHARE: Range = Range::Between(0.0, 1.0);
/// A part of a whole that is not zero, because a rate divides by it.
pub(super) const SOME: Range = Range::Between(0.01, 1.0);
/// A factor by which one value exceeds another.
pub(super) const TIMES: Range = Range::Between(0.0, 1000.0);
/// A flag: 0 is no, 1 is yes.
pub(super) const FLAG: Range = Range::OneOf(&[0.0, 1.0]);
/// A number of packets, segments, ticks or samples.
pub(super) const COUNT: Range = Range::Between(0.0, 1e6);
/// A port of TCP or UDP; port 0 is reserved (RFC 6335 section 6).
pub(super) const PORT: Range = Range::Between(1.0, 65_535.0);
/// Bytes, up to a terabyte.
pub(super) const BYTES: Range = Range::Between(0.0, 1e12);
/// Bits per second, up to a terabit per second.
pub(super) const BPS: Range = Range::Between(0.0, 1e12);
/// Milliwatts, up to a kilowatt.
pub(super) const MILLIWATTS: Range = Range::Between(0.0, 1e6);
/// Millijoules per megabit, up to a kilojoule.
pub(super) const MILLIJOULES: Range = Range::Between(0.0, 1e6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_written_in_short() {
        assert_eq!(SECONDS.to_string(), "0 to 1e9");
        assert_eq!(SHARE.to_string(), "0 to 1");
        assert_eq!(GAP.to_string(), "0.001 to 1e9");
        assert_eq!(FLAG.to_string(), "0 or 1");
    }

    #[test]
    fn both_ends_are_within_and_what_is_between_two_values_is_not() {
        assert!(SHARE.holds(0.0) && SHARE.holds(1.0) && !SHARE.holds(1.0 + f64::EPSILON));
        assert!(FLAG.holds(1.0) && !FLAG.holds(0.5));
        assert!(!SHARE.holds(f64::NAN));
        assert_eq!(FLAG.ends(), (0.0, 1.0));
    }
}
