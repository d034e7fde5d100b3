//! Defines an optional value that takes no more memory than the value itself.

use crate::address::Address;
use crate::time::{Duration, Instant};

/// A type whose smallest value never occurs in practice: an instant centuries ago, an equally
/// negative duration or number, or the unspecified address.
pub trait Spare: Copy + Ord {
    /// The smallest value, which represents "no value".
    const NONE: Self;
}

impl Spare for Instant {
    const NONE: Self = Self::MIN;
}

impl Spare for Duration {
    const NONE: Self = Self::from_nanos(i64::MIN);
}

impl Spare for Address {
    // RFC 4291 section 2.5.2: the unspecified address is never the address of a node.
    const NONE: Self = Self::UNSPECIFIED;
}

impl Spare for i32 {
    const NONE: Self = Self::MIN;
}

impl Spare for i64 {
    const NONE: Self = Self::MIN;
}

/// A value or none. "None" sorts before every value, so that a plain comparison finds the greatest
/// of several. It is meant for states of which ten thousands exist at once: an `Option` takes twice
/// the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Maybe<T>(T);

impl<T: Spare> Maybe<T> {
    /// No value.
    pub const NONE: Self = Self(T::NONE);

    /// The value; `None` without one.
    #[inline]
    pub fn get(self) -> Option<T> {
        self.is_some().then_some(self.0)
    }

    /// Whether a value is present.
    #[inline]
    pub fn is_some(self) -> bool {
        self.0 > T::NONE
    }

    /// Sets the value if none is present.
    #[inline]
    pub fn get_or_insert(&mut self, value: T) {
        if !self.is_some() {
            self.0 = value;
        }
    }

    /// Keeps the greater of the present value and `value`.
    #[inline]
    pub fn note(&mut self, value: T) {
        self.0 = self.0.max(value);
    }
}

impl<T: Spare> Default for Maybe<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: Spare> From<T> for Maybe<T> {
    #[inline]
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: Spare> From<Option<T>> for Maybe<T> {
    #[inline]
    fn from(value: Option<T>) -> Self {
        Self(value.unwrap_or(T::NONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_an_option() {
        let mut maybe = Maybe::<Instant>::default();
        assert_eq!((maybe.get(), maybe.is_some()), (None, false));
        maybe.get_or_insert(Instant::from_nanos(-5));
        maybe.get_or_insert(Instant::from_nanos(9));
        assert_eq!(maybe.get(), Some(Instant::from_nanos(-5)));
        assert_eq!(Maybe::from(None::<i64>).get(), None);
        assert_eq!(Maybe::from(Some(0)).get(), Some(0));
        assert_eq!(size_of::<Maybe<Duration>>(), 8);
    }

    #[test]
    fn the_greatest_is_kept_and_none_is_before_it() {
        let values = [-7, 3, i64::MAX, 0];
        let mut maybe = Maybe::NONE;
        for (index, value) in values.into_iter().enumerate() {
            assert!(maybe < Maybe::from(value) || index == 3);
            maybe.note(value);
            assert_eq!(maybe.get(), values[..=index].iter().copied().max());
        }
    }
}
