//! The offset by cause and effect: at the right one, no byte leaves before it came, and none that
//! came waits while nothing leaves.
//!
//! Byte rates tell nothing of a link that is full all the time; the beginning of its queue does. Both
//! faults are counted in milliseconds: earlier than the truth the log serves what has not come yet,
//! later the first packets wait for nothing.

use airmile_types::{Duration, Instant, Vantage};

use super::Volume;
use super::rates::Coarse;

const MS: i64 = 1_000_000;
/// A queue smears the offset that byte rates tell by so much; ours.
const SMEAR_MS: i64 = 3_000;
const STEP_MS: i64 = 10;
/// Waiting for so long is a turn of others, or three HARQ rounds (TS 36.213 section 7: 8 ms each).
const TURN: i64 = 24 * MS;
/// One wait counts for so much at most: an outage is no proof of an offset; ours.
const MOST_WAIT: i64 = 500 * MS;
/// What waits for longer than this was lost: the longest outage that queues outlive; ours.
const LOST: i64 = 5_000 * MS;
/// So much of the log is enough, and drifts by no more than 12 ms at 200 ppm.
const ENOUGH: Duration = Duration::from_secs(60);
/// Bins and bounds of the search without any hint; ours.
const BIN: i64 = 10 * MS;
const MOST_BINS: usize = 12_000;
const MOST_STEPS: i64 = 200_000_000;
/// Another offset that is at least so far away ...
const OTHER_MS: i64 = 1_000;
/// ... must cost so many times more.
const WORSE: f64 = 1.5;
/// ... and the faults be no more than this part of the time in which something is served; ours.
const MOST_FAULTS: f64 = 0.25;

/// The offset near a coarse one.
pub(super) fn settle(
    served: &[Volume],
    passed: &[Volume],
    vantage: Vantage,
    coarse: &Coarse,
) -> Coarse {
    let sides = Sides::new(served, passed, vantage).near(coarse.offset);
    let middle = coarse.offset.as_nanos();
    let grid = (-SMEAR_MS / STEP_MS..=SMEAR_MS / STEP_MS).map(|step| middle + step * STEP_MS * MS);
    let best = sides.best(grid);
    let best = sides.best((-STEP_MS..=STEP_MS).map(|step| best + step * MS));
    Coarse { offset: Duration::from_nanos(best), ..*coarse }
}

/// The offset of short logs that byte rates and pauses tell nothing of; `None` where no offset is
/// much better than all others.
pub(super) fn coarse(served: &[Volume], passed: &[Volume], vantage: Vantage) -> Option<Coarse> {
    let (served, passed) = (binned(served)?, binned(passed)?);
    let (first, last) = (*served.first()?, *served.last()?);
    let (begin, end) = (passed.first()?.0, passed.last()?.0);
    let sides = Sides::new(&served, &passed, vantage);
    let shorter = (last.0 - first.0).min(end - begin).over(2).as_nanos();
    // At least half of the shorter one is common time.
    let from = (begin - last.0).as_nanos() + shorter;
    let to = (end - first.0).as_nanos() - shorter;
    let steps = ((to - from) / BIN).saturating_mul((served.len() + passed.len()) as i64);
    if steps > MOST_STEPS {
        return None;
    }
    let costs: Vec<(f64, i64)> = (0..=(to - from) / BIN)
        .map(|lag| from + lag * BIN)
        .map(|at| (sides.cost(at), at))
        .collect();
    let best = costs.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let far = costs.iter().filter(|(_, at)| (at - best.1).abs() > OTHER_MS * MS);
    let second = far.map(|(cost, _)| *cost).min_by(f64::total_cmp)?;
    let busy_ms = passed.iter().map(|(_, bytes)| *bytes as f64).sum::<f64>() / sides.bytes_a_ms;
    let told = second > WORSE * best.0 && best.0 < MOST_FAULTS * busy_ms;
    let correlation = 1.0 - best.0 / second;
    let offset = Duration::from_nanos(best.1);
    told.then_some(Coarse { offset, bin: Duration::from_nanos(BIN), correlation })
}

/// Bytes of each bin, at its first time; `None` for a log that is too long for a search.
fn binned(side: &[Volume]) -> Option<Vec<Volume>> {
    let mut bins: Vec<Volume> = Vec::new();
    for (time, bytes) in side {
        let bin = time.as_nanos().div_euclid(BIN);
        match bins.last_mut() {
            Some((last, sum)) if last.as_nanos().div_euclid(BIN) == bin => *sum += bytes,
            _ => bins.push((*time, *bytes)),
        }
        if bins.len() > MOST_BINS {
            return None;
        }
    }
    Some(bins)
}

/// What comes first and what follows from it.
struct Sides<'a> {
    /// Packets that pass the tap, or on the phone the blocks.
    cause: &'a [Volume],
    /// Blocks that are served, or on the phone the packets.
    effect: &'a [Volume],
    /// Whether the modem's side is the cause.
    modem_first: bool,
    /// Bytes that leave in a millisecond in which something does.
    bytes_a_ms: f64,
    /// Both begin with the same traffic: where one began earlier, what it has alone is left out.
    together: bool,
    /// Faults are counted in this time of the effect.
    counted: (Instant, Instant),
}

impl<'a> Sides<'a> {
    fn new(served: &'a [Volume], passed: &'a [Volume], vantage: Vantage) -> Self {
        let modem_first = vantage == Vantage::Ue;
        let (cause, effect) = if modem_first { (served, passed) } else { (passed, served) };
        let bytes: u64 = effect.iter().map(|(_, bytes)| bytes).sum();
        let mut busy: Vec<i64> = effect.iter().map(|(at, _)| at.as_nanos() / MS).collect();
        busy.dedup();
        let bytes_a_ms = bytes as f64 / busy.len().max(1) as f64;
        let counted = (Instant::MIN, Instant::MAX);
        let bytes_a_ms = bytes_a_ms.max(1.0);
        Self { cause, effect, modem_first, bytes_a_ms, together: true, counted }
    }

    /// The first part of the time that both have, and of it what no offset near this one moves out.
    fn near(self, offset: Duration) -> Self {
        let shift = if self.modem_first { offset } else { Duration::ZERO - offset };
        let (Some(first), Some(last)) = (self.effect.first(), self.effect.last()) else {
            return self;
        };
        let (Some(begin), Some(end)) = (self.cause.first(), self.cause.last()) else {
            return self;
        };
        let slack = Duration::from_millis(SMEAR_MS);
        // By the effect's clock.
        let from = first.0.max(begin.0 + shift);
        let to = last.0.min(end.0 + shift).min(from + ENOUGH);
        let together = (first.0 - (begin.0 + shift)).abs() <= slack;
        let cut = |side: &'a [Volume], from: Instant, to: Instant| {
            let begin = side.partition_point(|(at, _)| *at < from - slack);
            let end = side.partition_point(|(at, _)| *at < to + slack);
            side.get(begin..end).unwrap_or_default()
        };
        let (cause, effect) =
            (cut(self.cause, from - shift, to - shift), cut(self.effect, from, to));
        let whole = to - from < slack.times(4);
        let counted = (
            if together { Instant::MIN } else { from + slack },
            if whole { Instant::MAX } else { to - slack },
        );
        Self { cause, effect, together, counted, ..self }
    }

    fn best(&self, offsets: impl Iterator<Item = i64>) -> i64 {
        let costs = offsets.map(|offset| (self.cost(offset), offset));
        costs.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |(_, offset)| offset)
    }

    /// Milliseconds of bytes that leave before they come, and of bytes that wait in vain.
    fn cost(&self, offset: i64) -> f64 {
        let shift = if self.modem_first { offset } else { -offset };
        let mut queue = Queue::default();
        let mut causes =
            self.cause.iter().map(|(at, bytes)| (at.as_nanos() + shift, *bytes)).peekable();
        let first = self.effect.first().map_or(i64::MIN, |(at, _)| at.as_nanos());
        for (time, bytes) in self.effect {
            let at = time.as_nanos();
            while let Some((came, more)) = causes.next_if(|(came, _)| *came <= at) {
                if self.together || came >= first {
                    queue.come(came, more as f64);
                }
            }
            let counted = (self.counted.0..=self.counted.1).contains(time);
            queue.leave(at, *bytes as f64, counted);
        }
        let mut faulty_bytes = queue.early_bytes;
        if self.counted.1 == Instant::MAX {
            let never: u64 = causes.map(|(_, bytes)| bytes).sum();
            faulty_bytes += queue.lost_bytes + queue.bytes + never as f64;
        }
        faulty_bytes / self.bytes_a_ms + queue.waited as f64 / MS as f64
    }
}

#[derive(Default)]
struct Queue {
    bytes: f64,
    /// Since when nothing has left while something waits.
    since: i64,
    early_bytes: f64,
    /// What waited for longer than anything does.
    lost_bytes: f64,
    waited: i64,
}

impl Queue {
    fn come(&mut self, at: i64, bytes: f64) {
        if self.bytes <= 0.0 {
            self.since = at;
        } else if at - self.since > LOST {
            self.lost_bytes += self.bytes;
            (self.bytes, self.since) = (0.0, at);
        }
        self.bytes += bytes;
    }

    fn leave(&mut self, at: i64, bytes: f64, counted: bool) {
        if self.bytes > 0.0 && counted {
            self.waited += (at - self.since - TURN).clamp(0, MOST_WAIT);
        }
        if counted {
            self.early_bytes += (bytes - self.bytes).max(0.0);
        }
        self.bytes = (self.bytes - bytes).max(0.0);
        self.since = at;
    }
}
