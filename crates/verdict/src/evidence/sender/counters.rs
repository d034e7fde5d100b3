//! Counts what a sender did in bins of 100 ms.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant, Maybe};

use crate::evidence::bits::HORIZON_BINS;
use crate::evidence::timeline::{BIN, begin_of};

/// The number of bins with packets that are kept however old they are. A bin is judged at least 10
/// s after its packets.
const KEPT_BINS: usize = 160;
/// The number of bins to reserve memory for at first, which is enough for a short flow.
const FIRST_BINS: usize = 4;

/// See [`Judged::bins_since_cut`].
pub(crate) const NEVER_CUT: u8 = u8::MAX;

/// What the newest data of a bin shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) flight_bytes: Maybe<i64>,
    pub(crate) flight_max_bytes: i64,
    pub(crate) sent_max_bytes: i64,
    /// The least size of the congestion window, known because the window was never reduced; 0 when
    /// it is not known.
    pub(crate) window_least_bytes: i64,
    /// Whether the congestion window, which was never reduced, allows more than the largest flight.
    pub(crate) has_room: bool,
    /// Whether the largest flight is also smaller than the least initial window.
    pub(crate) below_initial: bool,
    /// Whether the sender drains the path to measure it (BBR's ProbeRTT).
    pub(crate) probes_rtt: bool,
    /// Whether the largest flight is smaller than a full segment, which any window allows.
    pub(crate) below_segment: bool,
    /// The number of bins since a loss or a mark last reduced the congestion window; `NEVER_CUT` if
    /// none has, or not lately.
    pub(crate) bins_since_cut: u8,
}

/// The counters of one bin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    pub(crate) bin: i64,
    pub(crate) sent_bytes: i64,
    pub(crate) new_bytes: i64,
    /// The bytes acknowledged, counted at the time when the sender knew of the ACK.
    pub(crate) acked_bytes: i64,
    pub(crate) retransmissions: u16,
    pub(crate) upstream_losses: u16,
    /// The largest flight, as the sender knew it, in bytes.
    pub(crate) flight_known_bytes: i64,
    pub(crate) window_bytes: Maybe<i32>,
    /// The least wait in the queue before the radio that showed when the first data of the bin passed,
    /// in microseconds.
    pub(super) least_queue_us: Maybe<i32>,
    /// The time in complete round trips that carried more than each one before, in hundredths of a
    /// millisecond.
    pub(super) grown: u16,
    pub(crate) rtt: Maybe<Duration>,
    pub(crate) rtt_min: Maybe<Duration>,
    pub(crate) judged: Judged,
    /// Set when a segment emptied the send buffer because the application had written no more: the
    /// least flight at that time plus two segments, or with the next data if no ACK called for it. A
    /// window with room allows this many bytes.
    pub(crate) emptied_at_bytes: Maybe<i64>,
}

const _: () = assert!(size_of::<Counters>() <= 120, "a sender keeps up to 160 and more");

impl Judged {
    /// A bin in which no data has passed.
    const UNKNOWN: Self = Self {
        flight_bytes: Maybe::NONE,
        flight_max_bytes: 0,
        sent_max_bytes: 0,
        window_least_bytes: 0,
        has_room: false,
        below_initial: false,
        probes_rtt: false,
        below_segment: false,
        bins_since_cut: NEVER_CUT,
    };
}

impl Counters {
    const fn new(bin: i64) -> Self {
        Self {
            bin,
            sent_bytes: 0,
            new_bytes: 0,
            acked_bytes: 0,
            retransmissions: 0,
            upstream_losses: 0,
            flight_known_bytes: 0,
            window_bytes: Maybe::NONE,
            least_queue_us: Maybe::NONE,
            grown: 0,
            rtt: Maybe::NONE,
            rtt_min: Maybe::NONE,
            judged: Judged::UNKNOWN,
            emptied_at_bytes: Maybe::NONE,
        }
    }

    /// The least wait in the queue before the radio that showed when the first data of the bin passed.
    pub(crate) fn least_queue_ms(&self) -> Option<f64> {
        self.least_queue_us.get().map(|us| f64::from(us) / 1e3)
    }

    /// The time in round trips that carried more than each one before, in milliseconds.
    pub(crate) fn grown_ms(&self) -> f64 {
        f64::from(self.grown) / 100.0
    }

    /// The bytes that were new in this bin, if it is the bin before `bin`; otherwise 0.
    #[inline]
    const fn new_before(&self, bin: i64) -> i64 {
        if self.bin == bin - 1 { self.new_bytes } else { 0 }
    }
}

/// The bins that have counters, in order of time.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    older: VecDeque<Counters>,
    /// The two newest bins. They take most packets, and most of what the sender knows one round
    /// trip later.
    newest: [Counters; 2],
    /// The times at which these two bins begin.
    begin: [Instant; 2],
}

airmile_types::held!(Bins { older });

/// A bin with a number that no bin has; it means "no bin".
const NONE: Counters = Counters::new(i64::MAX);

impl Default for Bins {
    fn default() -> Self {
        Self { older: VecDeque::new(), newest: [NONE; 2], begin: [Instant::MAX; 2] }
    }
}

impl Bins {
    /// The bin of an instant, found without a division because every packet needs it.
    #[inline]
    pub(super) fn of(&mut self, at: Instant) -> &mut Counters {
        if holds(self.begin[1], at) {
            &mut self.newest[1]
        } else if holds(self.begin[0], at) {
            &mut self.newest[0]
        } else {
            self.find_or_begin(at)
        }
    }

    /// Whether an instant lies in one of the two newest bins.
    #[inline]
    pub(super) fn has_newest(&self, at: Instant) -> bool {
        holds(self.begin[1], at) || holds(self.begin[0], at)
    }

    /// Whether two instants lie in the same one of the two newest bins; `false` also when both lie
    /// in an older bin.
    #[inline]
    pub(super) fn are_one(&self, at: Instant, other: Instant) -> bool {
        let both = |begin: Instant| holds(begin, at) && holds(begin, other);
        both(self.begin[1]) || both(self.begin[0])
    }

    /// The bin of an instant, and the bytes that were new in the bin before that.
    #[inline]
    pub(super) fn of_and_new_before(&mut self, at: Instant) -> (&mut Counters, i64) {
        if holds(self.begin[1], at) {
            let new = self.newest[0].new_before(self.newest[1].bin);
            (&mut self.newest[1], new)
        } else if holds(self.begin[0], at) {
            let bin = self.newest[0].bin;
            let new = self.older.back().map_or(0, |before| before.new_before(bin));
            (&mut self.newest[0], new)
        } else {
            self.find_with_new_before(at)
        }
    }

    #[inline(never)]
    fn find_with_new_before(&mut self, at: Instant) -> (&mut Counters, i64) {
        let new = self.get(at.bin(BIN) - 1).map_or(0, |c| c.new_bytes);
        (self.find_or_begin(at), new)
    }

    /// The counters of `bin`, if any packet changed them.
    pub(super) fn get(&self, bin: i64) -> Option<&Counters> {
        let newest = self.newest.iter().rev().find(|c| c.bin == bin);
        newest.or_else(|| {
            self.older.get(self.older.partition_point(|c| c.bin < bin)).filter(|c| c.bin == bin)
        })
    }

    /// The counters of the bins of `[from, bin)`, the newest first.
    pub(super) fn before(&self, bin: i64, from: i64) -> impl Iterator<Item = &Counters> {
        let newest = self.newest.iter().rev();
        let older = self.older.range(..self.older.partition_point(|c| c.bin < bin)).rev();
        newest.filter(move |c| c.bin < bin).chain(older).take_while(move |c| c.bin >= from)
    }

    /// The first bin from `bin` on that has counters.
    pub(super) fn next(&self, bin: i64) -> Option<i64> {
        let older = self.older.get(self.older.partition_point(|c| c.bin < bin));
        let newest = || self.newest.iter().map(|c| c.bin).filter(|b| *b >= bin).min();
        older.map(|c| c.bin).or_else(newest).filter(|bin| *bin != NONE.bin)
    }

    #[inline(never)]
    fn find_or_begin(&mut self, at: Instant) -> &mut Counters {
        let bin = at.bin(BIN);
        if bin < self.newest[0].bin && self.newest[0].bin != NONE.bin {
            return self.find_or_insert(bin);
        }
        self.forget(bin);
        let [before, newest] = self.newest;
        // The newer bin may be later than the instant, because it holds what the sender was to know
        // one round trip later.
        let ahead = newest.bin != NONE.bin && bin < newest.bin;
        if before.bin != NONE.bin {
            if self.older.is_empty() {
                self.older.reserve(FIRST_BINS);
            }
            self.older.push_back(before);
        }
        let counters = Counters::new(bin);
        self.newest = if ahead { [counters, newest] } else { [newest, counters] };
        self.begin = self.newest.map(|c| begin_of(c.bin));
        &mut self.newest[usize::from(!ahead)]
    }

    fn find_or_insert(&mut self, bin: i64) -> &mut Counters {
        let mut index = self.older.partition_point(|c| c.bin < bin);
        if self.older.get(index).is_none_or(|c| c.bin != bin) {
            self.forget(bin);
            index = self.older.partition_point(|c| c.bin < bin);
            self.older.insert(index, Counters::new(bin));
        }
        &mut self.older[index]
    }

    /// Forgets old bins; the bins before a silence are judged after it.
    fn forget(&mut self, bin: i64) {
        while self.older.len() + self.newest.len() > KEPT_BINS
            && self.older.front().is_some_and(|c| (c.bin - bin).abs() > 2 * HORIZON_BINS)
        {
            self.older.pop_front();
        }
    }
}

#[inline]
fn holds(begin: Instant, at: Instant) -> bool {
    (at.as_nanos().wrapping_sub(begin.as_nanos()) as u64) < BIN.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Bins may be touched in any order: a sender learns of ACKs later, and a clock may step
        /// back.
        #[test]
        fn bins_are_a_map_in_order(
            packets in prop::collection::vec((0i64..3_000, 0i64..500), 1..200),
            (bin, back) in (-2i64..40, 0i64..25),
        ) {
            let mut bins = Bins::default();
            let mut naive = BTreeMap::new();
            for (ms, bytes) in packets {
                let at = Instant::from_nanos(ms * 1_000_000);
                let before = naive.get(&(at.bin(BIN) - 1)).copied().unwrap_or(0);
                let (counters, new_before) = bins.of_and_new_before(at);
                prop_assert_eq!(new_before, before);
                counters.new_bytes += bytes;
                *naive.entry(at.bin(BIN)).or_insert(0) += bytes;
            }
            let of = |c: &Counters| (c.bin, c.new_bytes);
            prop_assert_eq!(bins.get(bin).map(of), naive.get(&bin).map(|bytes| (bin, *bytes)));
            prop_assert_eq!(bins.next(bin), naive.range(bin..).next().map(|(bin, _)| *bin));
            let earlier: Vec<_> = bins.before(bin, bin - back).map(of).collect();
            let expected: Vec<_> =
                naive.range(bin - back..bin).rev().map(|(bin, bytes)| (*bin, *bytes)).collect();
            prop_assert_eq!(earlier, expected);
        }

        #[test]
        fn any_clock_is_taken(instants in prop::collection::vec(any::<i64>(), 1..400)) {
            let mut bins = Bins::default();
            for at in instants {
                bins.of(Instant::from_nanos(at)).new_bytes += 1;
                prop_assert!(bins.older.len() <= KEPT_BINS);
            }
        }
    }

    #[test]
    fn what_is_two_minutes_old_is_kept_only_while_little_passes() {
        let mut bins = Bins::default();
        let first = 1_300;
        for bin in first..first + KEPT_BINS as i64 {
            bins.of(begin_of(bin));
        }
        bins.of(begin_of(10_000));
        assert_eq!(bins.next(0), Some(first));
        bins.of(begin_of(10_001));
        assert_eq!(bins.next(0), Some(first + 1), "one comes, one goes");
    }
}
