//! Converts the frame numbers of a sniffer's log without times to a time.

use airmile_types::{Duration, Instant};

/// The number of subframes in 1024 frames.
const WRAP: i64 = 10_240;

/// The count of subframes of one cell: the time starts at the first row and follows the frames.
/// Each row is at most half a wrap from the row before, in either direction, because rows that
/// several threads write may be a little out of order.
#[derive(Default)]
pub(super) struct Frames {
    /// The first row, and the last one.
    rows: Option<(i64, i64)>,
}

impl Frames {
    /// The time since the first row.
    pub(super) fn time(&mut self, subframe: i64) -> Instant {
        let (first, last) = self.rows.unwrap_or((subframe, subframe));
        let ahead = (subframe - last + WRAP / 2).rem_euclid(WRAP) - WRAP / 2;
        self.rows = Some((first, last + ahead));
        Instant::from_nanos(0) + Duration::from_millis(last + ahead - first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn gaps_below_five_seconds_are_kept(steps in prop::collection::vec(-100i64..5000, 1..100)) {
            let (mut frames, mut tti) = (Frames::default(), 20_000);
            frames.time(tti % WRAP);
            for step in steps {
                tti += step;
                let time = frames.time(tti.rem_euclid(WRAP));
                prop_assert_eq!(time.as_nanos(), (tti - 20_000) * 1_000_000);
            }
        }
    }
}
