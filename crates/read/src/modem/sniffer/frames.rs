//! Converts subframe numbers, which wrap around every 10.24 s, to a count that does not.

use airmile_types::{Duration, Instant};

/// The number of subframes in 1024 frames.
const WRAP: i64 = 10_240;

/// The count of subframes of one cell, in a log with times.
#[derive(Default)]
pub(super) struct Frames {
    last: Option<(Instant, i64)>,
}

impl Frames {
    /// The count that fits best to the time since the row before. Rows that several threads write
    /// may be a little out of order.
    pub(super) fn unwrap(&mut self, time: Instant, subframe: i64) -> i64 {
        let tti = match self.last {
            None => subframe,
            Some((last, tti)) => {
                let expected = tti + (time - last).as_nanos() / 1_000_000;
                let ahead = (subframe - expected + WRAP / 2).rem_euclid(WRAP) - WRAP / 2;
                expected + ahead
            }
        };
        self.last = Some((time, tti));
        tti
    }
}

/// The count of subframes of one cell, in a log without times: the time starts at the first row and
/// follows the frames.
#[derive(Default)]
pub(super) struct FramesAlone {
    frames: Frames,
    first: Option<i64>,
}

impl FramesAlone {
    /// The time since the first row, and the count.
    pub(super) fn unwrap(&mut self, subframe: i64) -> (Instant, i64) {
        let tti = self.frames.unwrap(Instant::from_nanos(0), subframe);
        let since = tti - *self.first.get_or_insert(tti);
        (Instant::from_nanos(0) + Duration::from_millis(since), tti)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_row_up_to_five_seconds_off_its_stamp_keeps_its_count(
            rows in prop::collection::vec((0i64..60_000, -2000i64..2000), 1..100),
            first in 0i64..WRAP,
        ) {
            let (mut frames, mut tti) = (Frames::default(), first);
            let mut offset = None;
            for (step, late) in rows {
                let time = Instant::from_nanos((tti + late) * 1_000_000);
                let found = frames.unwrap(time, tti.rem_euclid(WRAP));
                prop_assert_eq!(found - tti, *offset.get_or_insert(found - tti));
                tti += step;
            }
        }

        #[test]
        fn without_a_clock_gaps_below_five_seconds_are_kept(
            steps in prop::collection::vec(-100i64..5000, 1..100),
        ) {
            let (mut frames, mut tti) = (FramesAlone::default(), 20_000);
            frames.unwrap(tti % WRAP);
            for step in steps {
                tti += step;
                let (time, _) = frames.unwrap(tti.rem_euclid(WRAP));
                prop_assert_eq!(time.as_nanos(), (tti - 20_000) * 1_000_000);
            }
        }
    }
}
