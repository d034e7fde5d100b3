//! Estimates the queue without a capture: what each block shows about the queue after it.

use super::service::{Allocation, Service};

/// What a block shows about the data that it leaves in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remainder {
    /// The block emptied the queue: it was padded, or it was not whole and nothing followed.
    Emptied,
    /// The block had the whole carrier: more data waits, or the block happened to be exactly
    /// enough.
    Whole,
    /// The block had a part of the carrier, and similar blocks follow directly: the scheduler
    /// divides the milliseconds among users, and most likely more data waits.
    Part,
    /// The block had a part of the carrier, and different blocks follow: most likely each emptied
    /// the queue.
    Odd,
}

/// A block that was sent for the first time, and the gap after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstTransmission {
    pub(super) at: i64,
    pub(super) remainder: Remainder,
    /// The millisecond of the next first transmission; `None` at the end of the log and before
    /// missing records.
    pub(super) next: Option<i64>,
    /// The number of unscheduled milliseconds until the next first transmission; HARQ
    /// retransmissions use the others.
    pub(super) unscheduled: i64,
}

/// Two shares that differ by less than this are alike (our choice).
const ALIKE: f64 = 0.25;
/// The shortest run of divided milliseconds (our choice). Shorter runs may be packets that come
/// singly, which leave pauses, or in pairs.
const STEADY_MS: usize = 8;
/// A share of at least this fraction of the largest share before it counts as the whole carrier
/// (BT19 section 3.2: 90 %).
const AS_WHOLE: f64 = 0.9;
/// After this number of blocks, their largest share shows how much the scheduler gives (our
/// choice).
const LEVEL_MS: usize = 2;

/// All first transmissions of a log, with what each leaves in the queue.
pub(super) fn classify(service: &Service) -> Vec<FirstTransmission> {
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

fn sent(service: &Service) -> Vec<FirstTransmission> {
    let mut all: Vec<FirstTransmission> = Vec::new();
    let mut retransmissions = 0;
    for block in &service.allocations {
        if block.after_gap {
            // Transmissions in the time before were not logged.
            retransmissions = i64::MAX;
        } else if !block.is_new {
            retransmissions = i64::saturating_add(retransmissions, 1);
        }
        if !block.is_new {
            continue;
        }
        if let Some(last) = all.last_mut().filter(|_| retransmissions != i64::MAX) {
            last.next = Some(block.at);
            last.unscheduled = block.at - last.at - 1 - retransmissions;
        }
        let (at, remainder) = (block.at, Remainder::Emptied);
        all.push(FirstTransmission { at, remainder, next: None, unscheduled: 0 });
        retransmissions = 0;
    }
    all
}

/// Classifies the blocks of consecutive milliseconds.
fn classify_run(run: &mut [FirstTransmission], blocks: &[&Allocation], shares: &[f64]) {
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
