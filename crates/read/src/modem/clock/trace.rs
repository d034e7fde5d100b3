//! Keeps the phases of a whole log, with which the times at its beginning are corrected.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use super::phase::{drift, ms};

/// The number of subframes that share one phase in the trace; clocks drift by a tenth of a
/// millisecond in that time.
const BUCKET: i64 = 1000;
/// The greatest number of anchors, which is enough for twelve days of one phase. Later subframes
/// keep their first time.
const MOST_ANCHORS: usize = 1 << 20;
/// The number of newest anchors among which the anchor of a late packet is searched.
const NEAR: usize = 8;

/// The phase that the packets of one second show.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    segment: u32,
    bucket: i64,
    zero: Instant,
}

/// The phases of a clock, one for each second.
#[derive(Default)]
pub(super) struct Trace {
    anchors: Vec<Anchor>,
    segments: u32,
}

impl Trace {
    /// The number of the next phase.
    pub(super) const fn segment(&mut self) -> u32 {
        self.segments = self.segments.wrapping_add(1);
        self.segments
    }

    /// Notes a subframe, and the phase that its packet shows.
    pub(super) fn saw(&mut self, segment: u32, tti: i64, zero: Instant) {
        let anchor = Anchor { segment, bucket: tti.div_euclid(BUCKET), zero };
        let same =
            |known: &&mut Anchor| (known.segment, known.bucket) == (anchor.segment, anchor.bucket);
        if let Some(known) = self.anchors.iter_mut().rev().take(NEAR).find(same) {
            known.zero = known.zero.min(anchor.zero);
        } else if self.anchors.len() < MOST_ANCHORS {
            self.anchors.push(anchor);
        }
    }

    /// The corrected phases of the whole log.
    pub(super) fn whole(&self) -> Whole {
        let mut segments = BTreeMap::<u32, Vec<Anchor>>::new();
        for anchor in &self.anchors {
            segments.entry(anchor.segment).or_default().push(*anchor);
        }
        let mut anchors = Vec::with_capacity(self.anchors.len());
        for mut segment in segments.into_values() {
            segment.sort_by_key(|anchor| anchor.bucket);
            lower(segment.iter_mut());
            lower(segment.iter_mut().rev());
            anchors.extend(segment);
        }
        anchors.sort_by_key(|anchor| anchor.bucket);
        Whole(anchors)
    }
}

/// Limits the increase from each phase to the next to what drift can cause. If all packets of a
/// second are late, their phase is too high.
fn lower<'a>(anchors: impl Iterator<Item = &'a mut Anchor>) {
    let mut before: Option<Anchor> = None;
    for anchor in anchors {
        if let Some(before) = before {
            let apart = ms(BUCKET).times((anchor.bucket - before.bucket).abs());
            anchor.zero = anchor.zero.min(before.zero + drift(apart));
        }
        before = Some(*anchor);
    }
}

/// The phases of a log, one for each bucket.
pub(super) struct Whole(Vec<Anchor>);

impl Whole {
    /// The corrected time of a subframe that was thought to be on the air at `time`; `None` if the
    /// trace does not cover it. If the counts of two cells contain the same number, the nearer time
    /// is taken.
    pub(super) fn time(&self, tti: i64, time: Instant) -> Option<Instant> {
        let bucket = tti.div_euclid(BUCKET);
        let first = self.0.partition_point(|anchor| anchor.bucket < bucket);
        let same = self.0.get(first..)?.iter().take_while(|anchor| anchor.bucket == bucket);
        let times = same.map(|anchor| anchor.zero + ms(tti));
        times.min_by_key(|better| Duration::abs(*better - time))
    }
}
