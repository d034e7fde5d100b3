//! Finds the offset to within a millisecond: after a pause, the first block directly follows the
//! first packet.

use airmile_types::{Duration, Instant};

use super::byte_curves::MOST_PPM;
use super::search::Range;
use super::served::Volume;

/// An offset, and how exact it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fine {
    pub(super) offset: Duration,
    pub(super) at: Instant,
    pub(super) drift_ppm: Option<f64>,
    pub(super) uncertainty: Duration,
}

const MS: i64 = 1_000_000;
/// The lengths of pauses, the most reliable first.
const PAUSES_MS: [i64; 5] = [200, 100, 50, 30, 10];
/// How far pairs may lie outside the range, because of other users that are scheduled and of three
/// HARQ rounds.
const SMEAR: Duration = Duration::from_millis(40);
/// How much pairs with the same offset differ: a subframe, the scheduling of another user, and a
/// drift of 100 ppm over a chunk.
const ALIKE: i64 = 4 * MS;
const CHUNK: Duration = Duration::from_secs(30);
/// The time needed to measure a drift; 50 ppm are one millisecond in this time.
const SHOWS_DRIFT: Duration = Duration::from_secs(20);
/// The least number of pairs of equal pauses from which an offset is found (our choice).
const ENOUGH: usize = 5;
/// The time from the begin of a subframe until the phone has decoded the subframe and passes its
/// data up. TS 36.213 section 7.3 allows this time before the acknowledgement.
pub(super) const DECODING: Duration = Duration::from_millis(4);

/// A pair of a first packet and a first block: the time of the modem's clock, and the difference
/// between the time of the capture's clock and that time.
type Pair = (Instant, i64);

/// The offset within a range, and the drift; `None` if first blocks do not follow first packets at
/// any offset.
pub(super) fn refine(
    served: &[Volume],
    passed: &[Volume],
    modem_first: bool,
    within: Range,
) -> Option<Fine> {
    let mut found: Option<PairLine> = None;
    for pause in PAUSES_MS {
        let pause = Duration::from_millis(pause);
        let pairs = pairs(&firsts(served, pause), &firsts(passed, pause), within);
        let line = PairLine::through(&pairs, modem_first, within);
        let more = |line: &PairLine| found.as_ref().is_none_or(|found| line.pairs > found.pairs);
        if let Some(line) = line.filter(more) {
            found = Some(line);
        }
        if found.as_ref().is_some_and(|found| found.pairs >= ENOUGH) {
            break;
        }
    }
    found.map(|line| line.fine(modem_first))
}

/// The times that follow a pause of at least the length `pause`.
fn firsts(side: &[Volume], pause: Duration) -> Vec<Instant> {
    let mut last = None;
    let mut starts = Vec::new();
    for (time, _) in side {
        if last.is_none_or(|last| *time - last >= pause) {
            starts.push(*time);
        }
        last = Some(*time);
    }
    starts
}

/// All pairs whose offset may lie in the range.
fn pairs(blocks: &[Instant], packets: &[Instant], within: Range) -> Vec<Pair> {
    let drifted = blocks.first().zip(blocks.last()).map_or(0, |(a, b)| allowed(*b - *a));
    let early = Duration::from_nanos(within.0.saturating_sub(drifted)) - SMEAR;
    let late = Duration::from_nanos(within.1.saturating_add(drifted)) + SMEAR;
    let mut pairs = Vec::new();
    for block in blocks {
        let from = packets.partition_point(|packet| *packet < *block + early);
        let near = packets.iter().skip(from).take_while(|packet| **packet <= *block + late);
        pairs.extend(near.map(|packet| (*block, (*packet - *block).as_nanos())));
    }
    pairs
}

/// The line on which the differences of pairs lie.
#[derive(Clone, Copy, Debug)]
struct PairLine {
    at: Instant,
    offset: f64,
    slope: f64,
    knows_drift: bool,
    /// How far the pairs lie from the edge, in nanoseconds.
    spread: f64,
    length: Duration,
    pairs: usize,
}

impl PairLine {
    /// The line through the pairs. In most pairs, packet and block do not belong together. The
    /// pairs in which they do agree with each other in each chunk.
    fn through(pairs: &[Pair], modem_first: bool, within: Range) -> Option<Self> {
        let first = pairs.first()?.0;
        let last = pairs.last()?.0;
        let width = ALIKE;
        let reach = within.1.saturating_sub(within.0).saturating_add(2 * SMEAR.as_nanos());
        let whole = vote(pairs, first, 0.0, allowed(last - first).max(width), reach)?;
        let mut line = Self::flat(first, last - first, whole);
        if last - first >= SHOWS_DRIFT {
            line.slope = drift(pairs, first, &whole).unwrap_or(0.0);
            line.knows_drift = true;
        }
        let best = vote(pairs, first, line.slope, width, reach)?;
        let mut rest: Vec<f64> = near(pairs, first, line.slope, &best).collect();
        rest.sort_unstable_by(f64::total_cmp);
        // A block follows its packet, so the difference is at most the offset. On the phone, a
        // packet follows its block, so the difference is at least the offset.
        let edge = rest.len() / 20;
        let at = |index: usize| rest.get(index).copied();
        line.offset = if modem_first {
            at(edge)? - DECODING.as_nanos() as f64
        } else {
            at(rest.len().checked_sub(1 + edge)?)?
        };
        line.spread = (at(rest.len() / 2)? - at(edge)?)
            .max(at(rest.len().checked_sub(1 + edge)?)? - at(rest.len() / 2)?);
        line.pairs = rest.len();
        Some(line)
    }

    const fn flat(at: Instant, length: Duration, vote: Vote) -> Self {
        let (offset, spread) = ((vote.from + vote.to) / 2.0, vote.to - vote.from);
        Self { at, offset, slope: 0.0, knows_drift: false, spread, length, pairs: vote.count }
    }

    fn fine(&self, modem_first: bool) -> Fine {
        let few = ENOUGH.saturating_sub(self.pairs) as f64 * 2.0 * MS as f64;
        // Even if no drift was measured, there may be one.
        let unknown_drift = if self.knows_drift { 0 } else { allowed(self.length) };
        let decoding = if modem_first { DECODING.as_nanos() as f64 } else { 0.0 };
        Fine {
            offset: Duration::from_nanos(self.offset as i64),
            at: self.at,
            drift_ppm: self.knows_drift.then_some(self.slope * 1e6),
            uncertainty: Duration::from_nanos(
                ((self.spread + few + decoding) as i64)
                    .saturating_add(unknown_drift)
                    .saturating_add(MS),
            ),
        }
    }
}

/// How much pairs with the same offset may differ over a length of time because of drift, in
/// nanoseconds.
fn allowed(length: Duration) -> i64 {
    (length.as_nanos() as f64 * MOST_PPM * 1e-6) as i64
}

/// The range of differences in which most pairs lie.
#[derive(Clone, Copy, Debug)]
struct Vote {
    from: f64,
    to: f64,
    count: usize,
}

fn flattened(pair: &Pair, at: Instant, slope: f64) -> f64 {
    pair.1 as f64 - slope * (pair.0 - at).as_nanos() as f64
}

fn near<'a>(
    pairs: &'a [Pair],
    at: Instant,
    slope: f64,
    vote: &'a Vote,
) -> impl Iterator<Item = f64> + 'a {
    let all = pairs.iter().map(move |pair| flattened(pair, at, slope));
    all.filter(|value| (vote.from..=vote.to).contains(value))
}

/// The window of `width` that contains the most pairs; `None` if chance alone could put as many
/// there.
fn vote(pairs: &[Pair], at: Instant, slope: f64, width: i64, reach: i64) -> Option<Vote> {
    let mut values: Vec<f64> = pairs.iter().map(|pair| flattened(pair, at, slope)).collect();
    values.sort_unstable_by(f64::total_cmp);
    let count = |from: f64| {
        values.partition_point(|v| *v <= from + width as f64)
            - values.partition_point(|v| *v < from)
    };
    let (best, from) = values.iter().map(|from| (count(*from), *from)).max_by_key(|(n, _)| *n)?;
    let length = pairs.first().zip(pairs.last()).map_or(0, |(a, b)| allowed(b.0 - a.0));
    let chance = values.len() as f64 * width as f64 / (reach as f64 + 2.0 * length as f64);
    let stands_out = best as f64 > 3.0 * chance + 1.0;
    stands_out.then_some(Vote { from, to: from + width as f64, count: best })
}

/// The slope of the differences between chunks: the median over all pairs of chunks (Theil and
/// Sen), which a few wrong chunks do not change.
fn drift(pairs: &[Pair], at: Instant, whole: &Vote) -> Option<f64> {
    let mut chunks: Vec<(f64, f64)> = Vec::new();
    let mut begin = 0;
    while let Some(first) = pairs.get(begin) {
        let rest = pairs.get(begin..).unwrap_or_default();
        let length = rest.partition_point(|pair| pair.0 - first.0 < CHUNK);
        let own: Vec<Pair> = rest
            .iter()
            .take(length)
            .filter(|pair| (whole.from..=whole.to).contains(&(pair.1 as f64)))
            .copied()
            .collect();
        chunks.extend(median_pair(&own, at));
        begin += length.max(1);
    }
    let mut slopes: Vec<f64> = Vec::new();
    for (index, early) in chunks.iter().enumerate() {
        for late in chunks.iter().skip(index + 1).filter(|late| late.0 > early.0) {
            slopes.push((late.1 - early.1) / (late.0 - early.0));
        }
    }
    slopes.sort_unstable_by(f64::total_cmp);
    let slope = slopes.get(slopes.len() / 2).copied()?;
    Some(slope.clamp(-MOST_PPM * 1e-6, MOST_PPM * 1e-6))
}

/// The time since `at`, and the median difference, of a chunk.
fn median_pair(own: &[Pair], at: Instant) -> Option<(f64, f64)> {
    let mut values: Vec<f64> = own.iter().map(|pair| pair.1 as f64).collect();
    values.sort_unstable_by(f64::total_cmp);
    let value = *values.get(values.len() / 2)?;
    let times: i64 = own.iter().map(|pair| (pair.0 - at).as_nanos() / own.len() as i64).sum();
    Some((times as f64, value))
}
