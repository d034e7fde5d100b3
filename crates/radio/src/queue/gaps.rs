//! Estimates the queue without a capture, in milliseconds without an allocation for the phone.
//!
//! After a block that emptied the queue, nothing waits. After a block with the whole carrier, more
//! data waits, or the block happened to be exactly enough. Gaps after blocks that emptied the queue
//! show how many gaps of a length are idle, because the rest of a queue is as likely to fill its
//! last block as not.

use airmile_types::Instant;

use super::blocks::{FirstTransmission, Remainder, classify};
use super::service::Service;
use super::timeline::{QueueRun, QueueState, Runs};

/// Gaps are counted by length: 1, 2, 3-4, 5-8 ms and so on, in powers of two.
const BINS: usize = 12;
/// From this bin on (9 ms) a gap is longer than a HARQ round (8 ms, TS 36.213 sections 7 and 8) and
/// than the time in which a few other users are scheduled.
const LONG_BIN: usize = 4;
/// From this bin on (513 ms) a gap is longer than the time for which any cell lets a connected
/// phone wait.
const IDLE_BIN: usize = 10;
/// A phone without an uplink allocation for this long has left the radio, because arriving data
/// would be acknowledged sooner (SR period and grant: below 50 ms; TS 36.213 table 10.1.5-1: up to
/// 80).
const AWAY_MS: i64 = 80;
/// With fewer gaps of a length than this, their number shows little (our choice).
const FEW: u32 = 5;
/// A share above this is not doubtful (our choice).
const SURE: f64 = 0.95;

/// Statistics of the gaps of a log.
#[derive(Clone, Debug, Default)]
struct Gaps {
    /// The number of gaps after whole blocks, by length.
    whole: [u32; BINS],
    /// The share of these gaps in which data waits.
    waits: [f64; BINS],
    /// How long a phone with waiting data waits until it is scheduled, in milliseconds: the mean,
    /// and the maximum.
    turn_ms: i64,
    longest_ms: i64,
}

/// The states of the queue, from the allocations alone.
pub(super) fn without_capture(service: &Service, uplink: &[Instant]) -> Runs {
    let all = classify(service);
    let away: Vec<bool> = all.iter().map(|sent| is_away(sent, service, uplink)).collect();
    let gaps = Gaps::of(&all, &away);
    let mut out = Runs::default();
    for (sent, away) in all.iter().zip(away) {
        if let Some(last) = out.0.last().filter(|last| last.to < sent.at).copied() {
            out.push(last.to, sent.at, QueueState::Unknown);
        }
        gaps.block(sent, away, &mut out);
        match sent.next {
            Some(next) if next > sent.at + 1 => gaps.gap(sent, next, away, &mut out),
            _ => {}
        }
    }
    out
}

/// Whether the phone has left the radio, so that arriving data is not acknowledged.
fn is_away(sent: &FirstTransmission, service: &Service, uplink: &[Instant]) -> bool {
    let Some(next) = sent.next.filter(|_| sent.unscheduled >= AWAY_MS) else { return false };
    let first = uplink.partition_point(|time| *time <= service.axis.time(sent.at));
    let is_silent = uplink.get(first).is_none_or(|time| *time >= service.axis.time(next));
    !uplink.is_empty() && is_silent && sent.remainder != Remainder::Emptied
}

const fn bin(unscheduled: i64) -> usize {
    let length = if unscheduled < 1 { 1 } else { unscheduled };
    // Lengths 1, 2, 3-4, 5-8: the number of bits of the length minus one.
    let bin = (64 - (length - 1).leading_zeros()) as usize;
    if bin < BINS { bin } else { BINS - 1 }
}

impl Gaps {
    fn of(all: &[FirstTransmission], away: &[bool]) -> Self {
        let mut gaps = Self::default();
        let mut emptied = [0u32; BINS];
        for (sent, _) in all.iter().zip(away).filter(|(s, away)| s.unscheduled > 0 && !**away) {
            let count = match sent.remainder {
                Remainder::Emptied => emptied.get_mut(bin(sent.unscheduled)),
                _ => gaps.whole.get_mut(bin(sent.unscheduled)),
            };
            if let Some(count) = count {
                *count += 1;
            }
        }
        gaps.waits = waits(&gaps.whole, &emptied);
        gaps.measure_turns(all, away);
        gaps
    }

    fn share(&self, sent: &FirstTransmission) -> f64 {
        self.waits.get(bin(sent.unscheduled)).copied().unwrap_or(0.0)
    }

    fn waits_in(&self, sent: &FirstTransmission) -> bool {
        sent.remainder != Remainder::Emptied && self.share(sent) > 0.5
    }

    /// Measures the mean remaining wait of a phone whose data arrives while other users are
    /// scheduled (renewal theory). Long waits are due to bad radio conditions, which a packet that
    /// finds an empty queue need not meet.
    fn measure_turns(&mut self, all: &[FirstTransmission], away: &[bool]) {
        let pairs = all.iter().zip(away).filter(|(sent, away)| sent.unscheduled > 0 && !**away);
        let mut waits: Vec<i64> = pairs
            .map(|(sent, _)| sent)
            .filter(|s| self.waits_in(s))
            .map(|s| s.unscheduled)
            .collect();
        waits.sort_unstable();
        let served =
            all.iter().filter(|s| matches!(s.remainder, Remainder::Whole | Remainder::Part));
        let turns = waits.iter().filter(|ms| bin(**ms) < LONG_BIN);
        let busy = turns.clone().sum::<i64>() + served.count() as i64;
        let rests: i64 = turns.map(|ms| ms * (ms + 1) / 2).sum();
        self.turn_ms = if busy > 0 { (2 * rests + busy) / (2 * busy) } else { 0 };
        self.longest_ms = waits.get(waits.len() * 19 / 20).copied().unwrap_or(0);
    }

    fn block(&self, sent: &FirstTransmission, away: bool, out: &mut Runs) {
        let gap = sent.unscheduled > 0 && !away;
        let share = if gap { self.share(sent) } else { 1.0 };
        let (state, surely, perhaps) = match sent.remainder {
            Remainder::Emptied => (QueueState::Draining, false, false),
            Remainder::Odd => (QueueState::Draining, false, true),
            Remainder::Part => (QueueState::Backlogged, true, true),
            Remainder::Whole if share > 0.5 => {
                (QueueState::Backlogged, share >= SURE && !away, true)
            }
            Remainder::Whole => (QueueState::Draining, false, self.is_doubtful(sent)),
        };
        out.push_run(QueueRun { from: sent.at, to: sent.at + 1, state, surely, perhaps });
    }

    /// Whether a state is in doubt. A length of gap that was seen rarely decides nothing.
    fn is_doubtful(&self, sent: &FirstTransmission) -> bool {
        let bin = bin(sent.unscheduled);
        let few = self.whole.get(bin).is_some_and(|count| *count < FEW) && bin < IDLE_BIN;
        self.share(sent) > 1.0 - SURE || few
    }

    fn gap(&self, sent: &FirstTransmission, to: i64, away: bool, out: &mut Runs) {
        let from = sent.at + 1;
        let run = |from, to, state, surely, perhaps| QueueRun { from, to, state, surely, perhaps };
        let emptied = sent.remainder == Remainder::Emptied;
        if away || !emptied && sent.unscheduled == 0 {
            out.push_run(run(from, to, QueueState::Backlogged, !away, true));
        } else if self.waits_in(sent) {
            let sure = self.share(sent) >= SURE;
            out.push_run(run(from, to, QueueState::Backlogged, sure, true));
        } else {
            // The packet that ended the gap arrived about one mean wait before the end of the gap.
            let doubtful = !emptied && self.is_doubtful(sent);
            let turn = (to - self.turn_ms).max(from);
            let longest = (to - self.longest_ms).clamp(from, turn);
            out.push_run(run(from, longest, QueueState::Empty, false, doubtful));
            out.push_run(run(longest, turn, QueueState::Empty, false, true));
            out.push_run(run(turn, to, QueueState::Backlogged, false, true));
        }
    }
}

/// The shares of the gaps after whole blocks in which data waits: the gaps that exceed the number
/// of gaps after blocks that emptied the queue. Long waits count only if there are short ones,
/// because a scheduler that sometimes lets a phone wait for long makes it wait briefly more often.
fn waits(whole: &[u32; BINS], emptied: &[u32; BINS]) -> [f64; BINS] {
    let mut shares = [0.0; BINS];
    let mut most = 0;
    for (bin, share) in shares.iter_mut().enumerate().take(IDLE_BIN) {
        let (all, idle) = (whole.get(bin).copied(), emptied.get(bin).copied());
        let (Some(all), Some(idle)) = (all, idle) else { continue };
        let mut waits = all.saturating_sub(idle);
        if bin < LONG_BIN {
            most = most.max(waits);
        } else {
            waits = waits.min(most);
        }
        if all > 0 {
            *share = f64::from(waits) / f64::from(all);
        }
    }
    shares
}
