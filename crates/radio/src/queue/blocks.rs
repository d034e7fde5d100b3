//! Without a capture: what each block tells of the queue behind it.

use super::service::{Allocation, Service};

/// What a block tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remainder {
    /// It emptied the queue: padded, or not whole and followed by nothing.
    Emptied,
    /// It was whole: more waits, or it happened to be enough.
    Whole,
    /// It was not whole, and others like it follow at once: a scheduler that divides the
    /// millisecond; most likely more waits.
    Part,
    /// It was not whole, and others unlike it follow: most likely each emptied the queue.
    Odd,
}

/// A block that was not sent before, and the gap behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) at: i64,
    pub(super) remainder: Remainder,
    /// The next one; `None` at the end of the log and before missing records.
    pub(super) next: Option<i64>,
    /// Unscheduled milliseconds until then: repetitions take the others.
    pub(super) unscheduled: i64,
}

/// Shares that differ by less than this are alike; ours.
const ALIKE: f64 = 0.25;
/// A run that a divided millisecond explains is so long; ours: packets that come one by one leave
/// pauses, or come two at a time.
const STEADY_MS: usize = 8;
/// As much of what the blocks before had is as good as whole (BT19 section 3.2: 90 %).
const AS_WHOLE: f64 = 0.9;
/// Blocks after which their largest is what the scheduler gives; ours.
const LEVEL_MS: usize = 2;

/// All new blocks of a log.
pub(super) fn classify(service: &Service) -> Vec<Sent> {
    let mut all = sent(service);
    let shares: Vec<f64> = service.new_blocks().map(|block| block.share).collect();
    let blocks: Vec<&Allocation> = service.new_blocks().collect();
    let mut begin = 0;
    while begin < all.len() {
        let rest = all.get(begin..).unwrap_or_default();
        let length = 1 + rest.windows(2).take_while(|w| w[0].next == Some(w[0].at + 1)).count();
        let end = (begin + length).min(all.len());
        let run = begin..end;
        if let (Some(all), Some(blocks), Some(shares)) =
            (all.get_mut(run.clone()), blocks.get(run.clone()), shares.get(run))
        {
            classify_run(all, blocks, shares);
        }
        begin = end;
    }
    all
}

fn sent(service: &Service) -> Vec<Sent> {
    let mut all: Vec<Sent> = Vec::new();
    let mut repetitions = 0;
    for block in &service.allocations {
        if block.after_gap {
            // What came between was not logged.
            repetitions = i64::MAX;
        } else if !block.is_new {
            repetitions = i64::saturating_add(repetitions, 1);
        }
        if !block.is_new {
            continue;
        }
        if let Some(last) = all.last_mut().filter(|_| repetitions != i64::MAX) {
            last.next = Some(block.at);
            last.unscheduled = block.at - last.at - 1 - repetitions;
        }
        let (at, remainder) = (block.at, Remainder::Emptied);
        all.push(Sent { at, remainder, next: None, unscheduled: 0 });
        repetitions = 0;
    }
    all
}

/// Blocks of consecutive milliseconds.
fn classify_run(run: &mut [Sent], blocks: &[&Allocation], shares: &[f64]) {
    let alike = |w: &&[f64]| (w[1] - w[0]).abs() <= ALIKE * w[0].max(w[1]);
    let near = shares.windows(2).filter(alike).count();
    let steady = run.len() >= STEADY_MS && 2 * near >= run.len() - 1;
    let mut level: f64 = 0.0;
    for (index, (sent, block)) in run.iter_mut().zip(blocks).enumerate() {
        let as_before = index >= LEVEL_MS && block.share >= AS_WHOLE * level;
        let follows = sent.next.is_some() && sent.unscheduled == 0;
        sent.remainder = if block.is_padded() {
            Remainder::Emptied
        } else if block.is_whole() || as_before && !follows {
            Remainder::Whole
        } else if !follows {
            Remainder::Emptied
        } else if block.padding.is_some() || steady {
            Remainder::Part
        } else {
            Remainder::Odd
        };
        level = level.max(block.share);
    }
}
