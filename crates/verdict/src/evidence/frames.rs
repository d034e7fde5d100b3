//! Finds the frames of the capture that contain the packets of a flow in a span of time.
//!
//! The answer is exact where the other side begins to send, because a request or a wait ends there.
//! Elsewhere it is exact to the millisecond, as all evidence is. When a bin has packets in more
//! than [`BIN_RUNS`] of its milliseconds, the rest of the bin is one run: only a fast transfer
//! fills that many, and the slices of a fast transfer are whole bins.

use std::collections::VecDeque;

use airmile_types::{Direction, Duration, Instant};

use super::timeline::BIN;

/// The greatest number of runs in a bin. A handshake, a request and the first byte of its answer
/// have packets in fewer milliseconds than this.
const BIN_RUNS: u32 = 16;
/// The greatest number of runs that are kept. Slices are written at most 12 s after their packets,
/// unless few packets pass; this number covers 12.8 s of full bins.
const MOST_RUNS: usize = 128 * BIN_RUNS as usize;
/// The number of runs to reserve memory for at first, which is enough for a short flow.
const FIRST_RUNS: usize = 16;
const RUN: Duration = Duration::from_millis(1);

/// The frames of one flow in both directions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    /// The runs in order of time, without the newest.
    runs: VecDeque<Kept>,
    newest: Option<FrameRun>,
    /// The time of the newest packet that is no longer kept.
    forgotten: Option<Instant>,
    /// The direction of the newest payload.
    sending: Option<Direction>,
    /// The begin of the bin of the newest run, and the number of runs that begin in that bin.
    bin_begin: Instant,
    in_bin: u32,
}

airmile_types::held!(Frames { runs });

/// The packets within one millisecond, or within the rest of a bin, while more packets may be
/// added.
#[derive(Clone, Copy, Debug)]
struct FrameRun {
    from: Instant,
    to: Instant,
    /// The time from which packets belong to the next run.
    until: Instant,
    /// Whether the run takes all packets in the rest of its bin.
    rest: bool,
    least: u64,
    greatest: u64,
}

/// A run that is complete. Both differences fit into 32 bits, because a run is shorter than a bin
/// and no link carries 2^32 packets in a bin.
#[derive(Clone, Copy, Debug)]
struct Kept {
    from: Instant,
    least: u64,
    more: u32,
    length_ns: u32,
}

const _: () = assert!(size_of::<Kept>() <= 24, "a flow keeps up to 2048");

impl From<FrameRun> for Kept {
    fn from(run: FrameRun) -> Self {
        let least = run.least;
        let more = u32::try_from(run.greatest - least).unwrap_or(u32::MAX);
        let length_ns = u32::try_from((run.to - run.from).as_nanos()).unwrap_or(u32::MAX);
        Self { from: run.from, least, more, length_ns }
    }
}

impl Kept {
    fn to(&self) -> Instant {
        self.from + Duration::from_nanos(i64::from(self.length_ns))
    }

    /// The frames of the part in `[from, to]`. When the run only touches the span, this is the
    /// packet at the run's edge.
    fn within(&self, from: Instant, to: Instant) -> (u64, u64) {
        let all = (self.least, self.least.saturating_add(self.more.into()));
        let least = if self.to() == from { all.1 } else { all.0 };
        let greatest = if self.from == to { all.0 } else { all.1 };
        (least.min(greatest), greatest.max(least))
    }
}

impl FrameRun {
    /// Whether the run takes a packet at `now`, when neither its time nor its direction leaves a
    /// doubt.
    #[inline]
    fn goes_on(&self, now: Instant, turns: bool) -> bool {
        self.from <= now && now < self.until && !turns
    }

    #[inline]
    fn add(&mut self, now: Instant, frame: u64) {
        if self.to < now {
            self.to = now;
        }
        if self.greatest < frame {
            self.greatest = frame;
        } else {
            self.least = self.least.min(frame);
        }
    }

    fn takes(&self, now: Instant, turns: bool) -> bool {
        let apart = turns && !self.rest && now >= self.to;
        now < self.until && (now >= self.from || self.from - now < BIN) && !apart
    }
}

impl Frames {
    /// Notes a packet of the flow; `payload` is its direction if it has payload.
    #[inline]
    pub(crate) fn note(&mut self, now: Instant, frame: u64, payload: Option<Direction>) {
        let mut turns = false;
        if let Some(way) = payload {
            turns = self.sending != Some(way);
            self.sending = Some(way);
        }
        match &mut self.newest {
            Some(run) if run.goes_on(now, turns) => run.add(now, frame),
            _ => self.note_apart(now, frame, turns),
        }
    }

    /// Notes a packet that may begin a new run.
    #[inline(never)]
    fn note_apart(&mut self, now: Instant, frame: u64, turns: bool) {
        match &mut self.newest {
            Some(run) if run.takes(now, turns) => run.add(now, frame),
            _ => self.begin(now, frame),
        }
    }

    /// The least and the greatest frame in `[from, to]`; `None` when the span has no packet or lies
    /// too far back.
    pub(crate) fn within(&self, from: Instant, to: Instant) -> Option<(u64, u64)> {
        if self.forgotten.is_some_and(|forgotten| from <= forgotten) {
            return None;
        }
        let first = match self.runs.back() {
            Some(last) if last.to() >= from => self.runs.partition_point(|run| run.to() < from),
            _ => self.runs.len(),
        };
        let newest = self.newest.filter(|run| run.to >= from).map(Kept::from);
        let kept = self.runs.range(first..).copied();
        let there = kept.chain(newest).take_while(|run| run.from <= to);
        there
            .map(|run| run.within(from, to))
            .reduce(|sum, run| (sum.0.min(run.0), sum.1.max(run.1)))
    }

    fn begin(&mut self, now: Instant, frame: u64) {
        if let Some(newest) = self.newest {
            if now < newest.from {
                // The clock of the capture point went back, so the earlier packets cannot be found
                // by time any more.
                *self = Self { sending: self.sending, ..Self::default() };
            } else {
                self.keep(newest);
            }
        }
        if self.in_bin == 0 || now - self.bin_begin >= BIN {
            self.bin_begin = Instant::from_nanos(now.bin(BIN).saturating_mul(BIN.as_nanos()));
            self.in_bin = 0;
        }
        let full = self.in_bin >= BIN_RUNS - 1;
        self.in_bin += 1;
        let bin_end = self.bin_begin + BIN;
        let until = if full { bin_end } else { bin_end.min(now + RUN) };
        self.newest =
            Some(FrameRun { from: now, to: now, until, rest: full, least: frame, greatest: frame });
    }

    /// Keeps a run that is complete.
    fn keep(&mut self, run: FrameRun) {
        if self.runs.len() == MOST_RUNS - 1 {
            self.forgotten = self.runs.pop_front().map(|run| run.to());
        }
        if self.runs.is_empty() {
            self.runs.reserve(FIRST_RUNS);
        }
        self.runs.push_back(run.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(us: i64) -> Instant {
        Instant::from_nanos(1_700_000_000_000_000_000 + us * 1000)
    }

    proptest! {
        /// A span of whole bins gives exact frames. Any other span contains all of its packets, and
        /// no packet more than a bin away.
        #[test]
        fn a_span_has_the_frames_of_its_packets(
            gaps in prop::collection::vec((0i64..30_000, 0..6usize), 1..300),
            (from, length) in (0i64..2_000_000, 0i64..300_000),
            bin in 0i64..30,
        ) {
            let mut frames = Frames::default();
            let mut packets: Vec<(i64, u64)> = Vec::new();
            for (index, (gap, way)) in gaps.iter().enumerate() {
                let time = packets.last().map_or(0, |(time, _)| time + 1 + gap * gap / 60_000);
                packets.push((time, 3 * index as u64 + 1));
                let payload = [Direction::Uplink, Direction::Downlink].get(*way).copied();
                frames.note(at(time), 3 * index as u64 + 1, payload);
            }
            let of = |from: i64, to: i64| {
                let mut inside = packets.iter().filter(|(time, _)| (from..=to).contains(time));
                let first = inside.next()?;
                Some((first.1, inside.next_back().unwrap_or(first).1))
            };
            let (begin, end) = (bin * 100_000, (bin + 1) * 100_000 - 1);
            prop_assert_eq!(frames.within(at(begin), at(end)), of(begin, end));
            if let Some((first, last)) = of(from, from + length) {
                let (least, greatest) = frames.within(at(from), at(from + length)).expect("packets");
                prop_assert!(least <= first && last <= greatest);
                let around = of(from - 100_000, from + length + 100_000).expect("packets");
                prop_assert!(around.0 <= least && greatest <= around.1);
            }
        }
    }

    #[test]
    fn sparse_packets_are_distinguished_to_the_millisecond() {
        let mut frames = Frames::default();
        for (frame, us) in [(1, 0), (4, 1000), (9, 2000), (12, 2500), (13, 3000)] {
            frames.note(at(us), frame, None);
        }
        assert_eq!(frames.within(at(0), at(1000)), Some((1, 4)));
        assert_eq!(frames.within(at(1000), at(1999)), Some((4, 4)));
        assert_eq!(frames.within(at(2000), at(2999)), Some((9, 12)));
        assert_eq!(frames.within(at(1001), at(1999)), None);
    }

    #[test]
    fn a_request_and_its_answer_are_distinguished_exactly() {
        use Direction::{Downlink, Uplink};
        let packets = [
            (0, None),
            (10, Some(Uplink)),
            (20, Some(Uplink)),
            (50, None),
            (60, Some(Downlink)),
            (70, Some(Downlink)),
        ];
        let mut frames = Frames::default();
        for (frame, (us, payload)) in (1..).zip(packets) {
            frames.note(at(us), frame, payload);
        }
        assert_eq!(frames.within(at(0), at(5)), Some((1, 1)));
        assert_eq!(frames.within(at(10), at(60)), Some((2, 5)));
        assert_eq!(frames.within(at(60), at(100)), Some((5, 6)));
        assert_eq!(frames.within(at(70), at(100)), Some((6, 6)));
    }

    #[test]
    fn what_is_forgotten_is_unknown() {
        let mut frames = Frames::default();
        for frame in 1..=3 * MOST_RUNS as u64 {
            frames.note(at(10_000 * frame as i64), frame, None);
        }
        assert_eq!(frames.runs.len() + 1, MOST_RUNS);
        assert_eq!(frames.within(at(0), at(1_000_000_000)), None);
        let last = 30_000 * MOST_RUNS as i64;
        let greatest = 3 * MOST_RUNS as u64;
        assert_eq!(frames.within(at(last), at(last)), Some((greatest, greatest)));
    }

    #[test]
    fn a_clock_that_goes_back_begins_anew() {
        let mut frames = Frames::default();
        for (frame, us) in [(1, 900_000), (2, 899_990), (3, 100_000), (4, 200_000)] {
            frames.note(at(us), frame, None);
        }
        assert_eq!(frames.within(at(0), at(300_000)), Some((3, 4)));
        assert_eq!(frames.within(at(800_000), at(1_000_000)), None);
    }
}
