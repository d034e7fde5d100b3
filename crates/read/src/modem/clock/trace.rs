//! What a whole log shows of the phase: later packets correct the times of its beginning.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use super::phase::{drift, ms};

/// Subframes that have one phase in the trace: drift is a tenth of a millisecond in them.
const BUCKET: i64 = 1000;
/// The most anchors: twelve days of one phase. Later subframes keep their first time.
const MOST_ANCHORS: usize = 1 << 20;
/// The newest anchors, among which that of a late packet is searched.
const NEAR: usize = 8;

/// The phase that the packets of one second allow.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    segment: u32,
    bucket: i64,
    zero: Instant,
}

/// The phases of a clock, second by second.
#[derive(Default)]
pub(super) struct Trace {
    anchors: Vec<Anchor>,
    segments: u32,
}

impl Trace {
    /// The number of a new phase.
    pub(super) const fn segment(&mut self) -> u32 {
        self.segments = self.segments.wrapping_add(1);
        self.segments
    }

    /// Takes a subframe, and the phase that its packet allows.
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

    /// The phases of the log as a whole.
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

/// Lets no phase be further above the one before it than drift can bring it: where all packets are
/// late, their phase is too high.
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

/// The phases of a log, by bucket.
pub(super) struct Whole(Vec<Anchor>);

impl Whole {
    /// The time at which a subframe was on the air that was thought to be at `time`; `None` where
    /// the trace does not cover it. Where the counts of two cells have the same number, it is the
    /// nearer time.
    pub(super) fn time(&self, tti: i64, time: Instant) -> Option<Instant> {
        let bucket = tti.div_euclid(BUCKET);
        let first = self.0.partition_point(|anchor| anchor.bucket < bucket);
        let same = self.0.get(first..)?.iter().take_while(|anchor| anchor.bucket == bucket);
        let times = same.map(|anchor| anchor.zero + ms(tti));
        times.min_by_key(|better| Duration::abs(*better - time))
    }
}
