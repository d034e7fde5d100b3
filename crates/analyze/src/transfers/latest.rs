//! When something last happened.

use airmile_types::Instant;

/// The newest of some instants; before every other one while there was none, so that the newer of two
/// is found by one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Latest(Instant);

impl Default for Latest {
    fn default() -> Self {
        Self(Instant::MIN)
    }
}

impl Latest {
    /// It happens at `now`; nothing that was later is forgotten.
    #[inline]
    pub(super) fn note(&mut self, now: Instant) {
        self.0 = self.0.max(now);
    }

    /// The newest instant; `None` without any.
    #[inline]
    pub(super) fn get(self) -> Option<Instant> {
        (self.0 > Instant::MIN).then_some(self.0)
    }
}

impl From<Instant> for Latest {
    fn from(instant: Instant) -> Self {
        Self(instant)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_newest_is_the_greatest(instants in prop::collection::vec(i64::MIN + 1.., 0..10)) {
            let mut latest = Latest::default();
            for ns in &instants {
                latest.note(Instant::from_nanos(*ns));
            }
            prop_assert_eq!(latest.get(), instants.into_iter().max().map(Instant::from_nanos));
        }
    }
}
