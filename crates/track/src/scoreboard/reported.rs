//! Remembers the bytes that SACK blocks have reported. Only bytes that a block reports for the
//! first time need work: each duplicate ACK repeats the blocks of a window that may hold tens of
//! thousands of segments.

/// The greatest number of intervals remembered for a direction. Beyond it the lowest interval is
/// forgotten; if it is reported again it is visited again, which costs time but changes nothing.
const MOST: usize = 1024;

/// The bytes that the receiver of one direction has reported.
#[derive(Clone, Debug, Default)]
pub(super) struct Reported {
    /// The reported intervals of offsets, in ascending order; they neither overlap nor touch.
    stretches: Vec<(i64, i64)>,
    /// The greatest offset that a block has reported, also where its bytes had not passed.
    pub(super) most: i64,
    /// All holes that end at or below this offset are marked as reported.
    pub(super) holes_end: i64,
}

airmile_types::held!(Reported { stretches });

impl Reported {
    /// The parts of `[start, end)` that no block has reported.
    pub(super) fn gaps(&self, start: i64, end: i64) -> impl Iterator<Item = (i64, i64)> {
        let from = self.stretches.partition_point(|known| known.1 <= start);
        let within = self.stretches.iter().skip(from).take_while(move |known| known.0 < end);
        let edges = within.copied().chain([(end, end)]);
        let begin = |at: &mut i64, known: (i64, i64)| {
            let gap = (*at, known.0);
            *at = known.1;
            Some(gap)
        };
        edges.scan(start, begin).filter(|gap| gap.0 < gap.1)
    }

    /// Marks `[start, end)` as reported, and forgets what lies below `unacked`.
    pub(super) fn add(&mut self, start: i64, end: i64, unacked: i64) {
        self.stretches.drain(..self.stretches.partition_point(|known| known.1 <= unacked));
        if start >= end {
            return;
        }
        let from = self.stretches.partition_point(|known| known.1 < start);
        let to = self.stretches.partition_point(|known| known.0 <= end);
        let whole = self.stretches.iter().take(to).skip(from);
        let (start, end) =
            whole.fold((start, end), |(least, most), &(a, b)| (least.min(a), most.max(b)));
        self.stretches.splice(from..to, [(start, end)]);
        if self.stretches.len() > MOST {
            self.stretches.remove(0);
        }
    }

    /// Forgets that `[start, end)` was reported, so that it must be reported again.
    pub(super) fn remove(&mut self, start: i64, end: i64) {
        if start >= end {
            return;
        }
        let from = self.stretches.partition_point(|known| known.1 <= start);
        let to = self.stretches.partition_point(|known| known.0 < end);
        let cut = self.stretches.iter().take(to).skip(from);
        let rest = cut.flat_map(|&(a, b)| [(a, b.min(start)), (a.max(end), b)]);
        let rest: Vec<_> = rest.filter(|part| part.0 < part.1).collect();
        self.stretches.splice(from..to, rest);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Reported;

    /// The naive model has one flag for each offset below this one.
    const SPACE: usize = 64;

    fn step() -> impl Strategy<Value = (u8, i64, i64)> {
        (0..3_u8, 0..SPACE as i64, 0..SPACE as i64)
    }

    fn flags(reported: &Reported) -> Vec<bool> {
        let mut flags = vec![true; SPACE];
        for (start, end) in reported.gaps(0, SPACE as i64) {
            flags[start as usize..end as usize].fill(false);
        }
        flags
    }

    proptest! {
        #[test]
        fn it_holds_what_a_flag_for_each_byte_holds(steps in prop::collection::vec(step(), 1..60)) {
            let (mut reported, mut naive) = (Reported::default(), vec![false; SPACE]);
            for (kind, start, end) in steps {
                let range = start as usize..end.max(start) as usize;
                match kind {
                    0 => {
                        reported.add(start, end, i64::MIN);
                        naive[range].fill(true);
                    }
                    1 => {
                        reported.remove(start, end.max(start));
                        naive[range].fill(false);
                    }
                    _ => {
                        let gaps: Vec<_> = reported.gaps(start, end).collect();
                        let all = (start..end).filter(|at| !naive[*at as usize]);
                        prop_assert_eq!(gaps.iter().map(|gap| gap.1 - gap.0).sum::<i64>(), all.count() as i64);
                    }
                }
                prop_assert_eq!(flags(&reported), naive.clone());
                prop_assert!(reported.stretches.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }
    }
}
