//! The values that a parameter may have, for each unit.
//!
//! No parameter is negative: each is a length, a size, a count, a share or a power. The upper ends
//! are far above what any network or phone has and far below where sums of them would overflow.

use std::fmt::{Display, Formatter, Result};

/// The values that a parameter may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Any number from the first to the second.
    Between(f64, f64),
    /// One of these.
    OneOf(&'static [f64]),
}

impl Range {
    /// Whether it holds a value; a value that is no number is held by none.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Between(least, most) => value >= least && value <= most,
            Self::OneOf(values) => values.contains(&value),
        }
    }

    /// The least and the most value.
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

/// A large number as `1e9`.
fn short(value: f64) -> String {
    if value >= 1e6 { format!("{value:e}") } else { value.to_string() }
}

/// Thirty years: longer than any capture, and within an instant's nanoseconds.
pub(super) const SECONDS: Range = Range::Between(0.0, 1e9);
/// The same.
pub(super) const MILLISECONDS: Range = Range::Between(0.0, 1e12);
/// A silence that ends something: shorter ones would give each packet a row.
pub(super) const GAP: Range = Range::Between(1e-3, 1e9);
/// A part of a whole.
pub(super) const SHARE: Range = Range::Between(0.0, 1.0);
/// A part that is not nothing: a rate is bytes over it.
pub(super) const SOME: Range = Range::Between(0.01, 1.0);
/// How many times as much.
pub(super) const TIMES: Range = Range::Between(0.0, 1000.0);
/// Yes or no.
pub(super) const FLAG: Range = Range::OneOf(&[0.0, 1.0]);
/// Packets, segments, ticks, samples.
pub(super) const COUNT: Range = Range::Between(0.0, 1e6);
/// A port of TCP or UDP; 0 is reserved (RFC 6335 section 6).
pub(super) const PORT: Range = Range::Between(1.0, 65_535.0);
/// A terabyte.
pub(super) const BYTES: Range = Range::Between(0.0, 1e12);
/// A terabit per second.
pub(super) const BPS: Range = Range::Between(0.0, 1e12);
/// A kilowatt.
pub(super) const MILLIWATTS: Range = Range::Between(0.0, 1e6);
/// A kilojoule, for a megabit.
pub(super) const MILLIJOULES: Range = Range::Between(0.0, 1e6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_told_in_short() {
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
