//! Keeps sets of milliseconds in bins of 100 ms. An empty bin takes no memory, and a run of equal
//! bins takes as much as one bin.
//!
//! This matters because a flow rests for seconds between two requests, and one cause applies for
//! all of that time.

/// The number of bins before the newest that spans may reach back to. It bounds the memory even
/// when the clock jumps.
pub(crate) const HORIZON_BINS: i64 = 600;

/// Some of the 100 milliseconds of a bin; bit 0 is the first millisecond.
pub(crate) type Mask = u128;

/// The greatest number of bins between the oldest and the newest bin that are kept.
const MOST_BINS: i64 = 2 * HORIZON_BINS;
/// The number of bits, of the 128 bits of a run, that hold the milliseconds of a bin. The other
/// bits hold the number of bins in the run.
const MASK_BITS: u32 = 100;
const MASK: Mask = (1 << MASK_BITS) - 1;

/// The milliseconds of the bins that are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
    /// The number of the oldest bin that is kept, and how many bins are kept from there on.
    first: i64,
    kept: i64,
    /// Runs of the bins that have any millisecond set, in order of time.
    runs: Vec<BinRun>,
}

airmile_types::held!(Bits { runs });

/// Bins that follow each other and have the same milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BinRun {
    bin: i64,
    /// A number of 128 bits in two halves, because a single `u128` would need an alignment of 16
    /// bytes.
    halves: [u64; 2],
}

const _: () = assert!(size_of::<BinRun>() <= 24, "a flow keeps some dozen of these");

impl Bits {
    /// The milliseconds of one bin.
    pub(super) fn at(&self, bin: i64) -> Mask {
        let run = self.runs.get(self.index_of(bin)).filter(|run| run.bin <= bin);
        run.map_or(0, |run| run.mask())
    }

    /// Adds milliseconds to a bin; milliseconds that lie too far back are dropped.
    pub(super) fn add(&mut self, bin: i64, mask: Mask) {
        if !self.keeps(bin) {
            return;
        }
        match self.runs.last_mut() {
            Some(last) if last.end() > bin => self.add_within(bin, mask),
            Some(last) if last.end() == bin && last.mask() == mask => {
                *last = BinRun::new(last.bin, last.count() + 1, mask);
            }
            _ => self.runs.push(BinRun::new(bin, 1, mask)),
        }
    }

    /// Adds milliseconds to a bin that is not older than all bins that are kept.
    fn add_within(&mut self, bin: i64, mask: Mask) {
        let index = self.index_of(bin);
        let Some(run) = self.runs.get_mut(index) else { return };
        if run.bin > bin {
            return self.runs.insert(index, BinRun::new(bin, 1, mask));
        }
        let (old, sum) = (*run, BinRun::new(bin, 1, run.mask() | mask));
        if sum.mask() == old.mask() {
            return;
        }
        *run = sum;
        if bin + 1 < old.end() {
            self.runs.insert(index + 1, BinRun::new(bin + 1, old.end() - bin - 1, old.mask()));
        }
        if old.bin < bin {
            self.runs.insert(index, BinRun::new(old.bin, bin - old.bin, old.mask()));
        }
    }

    /// Makes room for a bin when it is new, and returns whether the bin is kept.
    fn keeps(&mut self, bin: i64) -> bool {
        if self.kept == 0 || bin - (self.first + self.kept) > HORIZON_BINS {
            self.runs.clear();
            (self.first, self.kept) = (bin, 0);
        }
        self.kept = self.kept.max(bin - self.first + 1);
        let back = self.first - bin;
        if (1..=HORIZON_BINS).contains(&back) {
            let more = back.min(MOST_BINS - self.kept);
            (self.first, self.kept) = (self.first - more, self.kept + more);
        }
        if self.kept > MOST_BINS {
            self.first += self.kept - MOST_BINS;
            self.kept = MOST_BINS;
            self.forget();
        }
        bin >= self.first
    }

    /// Forgets the bins before the oldest one that is kept.
    fn forget(&mut self) {
        self.runs.drain(..self.index_of(self.first));
        if let Some(oldest) = self.runs.first_mut().filter(|oldest| oldest.bin < self.first) {
            *oldest = BinRun::new(self.first, oldest.end() - self.first, oldest.mask());
        }
    }

    /// The index of the first run that ends after a bin.
    fn index_of(&self, bin: i64) -> usize {
        self.runs.partition_point(|run| run.end() <= bin)
    }

    /// The number of runs.
    #[cfg(test)]
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }
}

impl BinRun {
    /// Makes a run. No run is longer than the number of bins that are kept, so its length fits into
    /// the bits beside the milliseconds.
    const fn new(bin: i64, count: i64, mask: Mask) -> Self {
        let both = (count as u128) << MASK_BITS | mask;
        Self { bin, halves: [both as u64, (both >> 64) as u64] }
    }

    const fn both(self) -> u128 {
        (self.halves[1] as u128) << 64 | self.halves[0] as u128
    }

    const fn mask(self) -> Mask {
        self.both() & MASK
    }

    const fn count(self) -> i64 {
        (self.both() >> MASK_BITS) as i64
    }

    /// The bin after the last one.
    const fn end(self) -> i64 {
        self.bin + self.count()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    /// One set for each bin from the oldest to the newest, including the bins without any
    /// millisecond.
    #[derive(Default)]
    struct Dense {
        first: i64,
        masks: VecDeque<Mask>,
    }

    impl Dense {
        fn add(&mut self, bin: i64, mask: Mask) {
            let ahead = bin - (self.first + self.masks.len() as i64);
            if self.masks.is_empty() || ahead > HORIZON_BINS {
                self.masks.clear();
                self.first = bin;
            }
            while self.first + (self.masks.len() as i64) <= bin {
                self.masks.push_back(0);
            }
            while bin < self.first
                && self.first - bin <= HORIZON_BINS
                && (self.masks.len() as i64) < MOST_BINS
            {
                self.masks.push_front(0);
                self.first -= 1;
            }
            while self.masks.len() as i64 > MOST_BINS {
                self.masks.pop_front();
                self.first += 1;
            }
            let index = usize::try_from(bin - self.first).ok();
            if let Some(own) = index.and_then(|index| self.masks.get_mut(index)) {
                *own |= mask;
            }
        }

        fn at(&self, bin: i64) -> Mask {
            let index = usize::try_from(bin - self.first).ok();
            index.and_then(|index| self.masks.get(index)).copied().unwrap_or(0)
        }
    }

    proptest! {
        #[test]
        fn runs_are_a_set_for_each_bin(
            spans in prop::collection::vec(
                (prop_oneof![-40i64..40, -700i64..700], 1i64..80, prop::sample::select(vec![
                    1, 2, 1 << 99, MASK, MASK - 1,
                ])),
                1..60,
            ),
        ) {
            let (mut bits, mut dense) = (Bits::default(), Dense::default());
            let mut bin = 0;
            for (step, length, mask) in spans {
                bin += step;
                for bin in bin..bin + length {
                    bits.add(bin, mask);
                    dense.add(bin, mask);
                }
            }
            let all = dense.first - 3..dense.first + dense.masks.len() as i64 + 3;
            for bin in all {
                prop_assert_eq!(bits.at(bin), dense.at(bin), "bin {}", bin);
            }
            prop_assert!(bits.runs() as i64 <= MOST_BINS);
        }
    }

    #[test]
    fn a_long_rest_is_one_run() {
        let mut bits = Bits::default();
        (0..500).for_each(|bin| bits.add(bin, MASK));
        assert_eq!(bits.runs(), 1);
        bits.add(250, 1);
        assert_eq!(bits.runs(), 1, "nothing new");
    }
}
