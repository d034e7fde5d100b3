//! Gives what a modem log shows about a phone's queues in one bin.

use airmile_radio::{PhoneRadio, TimeSpans};
use airmile_types::{Direction, Instant};

use super::bits::Mask;
use super::timeline::{BIN, window};

/// For one bin: the milliseconds in which the modem log shows the state of a direction's queue, and
/// those in which that queue was not empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadioMasks {
    pub(crate) known: Mask,
    pub(crate) backlogged: Mask,
    pub(crate) handover: Mask,
}

impl RadioMasks {
    pub(crate) fn of(phone: &PhoneRadio, direction: Direction, bin: i64) -> Self {
        Self {
            known: mask(phone.known.of(direction), bin),
            backlogged: mask(phone.backlogged.of(direction), bin),
            handover: mask(&phone.handovers, bin),
        }
    }
}

/// The milliseconds of a bin that lie in time spans.
fn mask(spans: &TimeSpans, bin: i64) -> Mask {
    let start = Instant::from_nanos(bin.saturating_mul(BIN.as_nanos()));
    spans.meeting(start, start + BIN).fold(0, |mask, (a, b)| mask | window(bin, a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(1_700_000_000_000_000_000 + ms * 1_000_000)
    }

    proptest! {
        #[test]
        fn a_mask_has_a_bit_for_each_millisecond(
            spans in prop::collection::vec((0i64..3000, 0i64..400), 0..40),
            from in 0i64..3000,
        ) {
            let naive: BTreeSet<i64> =
                spans.iter().flat_map(|(start, length)| *start..start + length).collect();
            let union =
                TimeSpans::union(spans.iter().map(|(a, b)| (at(*a), at(a + b))).collect());
            let bin = at(from).bin(BIN);
            let start = bin * 100 - 1_700_000_000_000;
            let in_bin = naive.range(start..start + 100).count();
            prop_assert_eq!(mask(&union, bin).count_ones() as usize, in_bin);
        }
    }
}
