//! Estimates the bandwidth by LTE13's rule: it is the receive rate of a window that was sent faster
//! than any link of the network could carry.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant, Parameters};

use super::arrival::Arrival;
use super::raw::{Raw, Source};

/// The greatest number of candidates. Beyond it candidates are thinned, which shortens a window by
/// less than one part in that number.
const CANDIDATES: i64 = 512;
/// An upper limit for C: no link is as fast, and a larger C would not fit into the keys.
const MOST_BPS: f64 = 1e18;

/// The windows since the last event that disqualifies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CRule {
    candidates: VecDeque<Candidate>,
    /// The numbers and keys of the candidates that have no smaller key after them; the first has
    /// the least key of all.
    least: VecDeque<(u64, i128)>,
    /// The number of the first candidate.
    first: u64,
    sampled: Option<Instant>,
    rated: Option<Instant>,
    send_max_bps: Option<f64>,
}

airmile_types::held!(CRule { candidates, least });

#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    arrival: Arrival,
    key: i128,
}

/// The greatest length of a window, the length of a tick, and the least time between two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Limits {
    pub(super) most: Duration,
    pub(super) tick_ns: f64,
    pub(super) spacing: Duration,
}

impl CRule {
    /// Notes an event that no window may contain: a retransmission, a hole, a duplicate ACK,
    /// payload of the receiver, a gap or a SYN.
    pub(super) fn disqualify(&mut self) {
        if !self.candidates.is_empty() {
            self.candidates.clear();
            self.least.clear();
        }
    }

    /// Takes an ACK that was not delayed. Returns the longest window that ends with it and was sent
    /// at `bandwidth.min_send_bps` or faster.
    pub(super) fn on_arrival(&mut self, arrival: &Arrival, limits: Limits, parameters: &Parameters) -> Option<Raw> {
        let sent = arrival.sent?;
        // R_snd >= C between i and j means K(i) <= K(j), with K = 8 ack / C - s. Here K is
        // multiplied by C, so that it is a whole number of bits times 10^9.
        let bits = i128::from(arrival.delivered) * 8 * 1_000_000_000;
        let key = bits - i128::from(parameters.min_send_bps.min(MOST_BPS) as i64) * i128::from(sent.as_nanos());
        self.expire(arrival.time - limits.most);
        self.rate(arrival, limits, parameters);
        let sample = self.sample(arrival, key, limits, parameters);
        self.add(Candidate { arrival: *arrival, key }, limits.most);
        sample
    }

    fn sample(&mut self, arrival: &Arrival, key: i128, limits: Limits, parameters: &Parameters) -> Option<Raw> {
        // In most flows no window was sent that fast; comparing with the least key shows this at
        // once.
        self.least.front().filter(|(_, least)| *least <= key)?;
        if self.sampled.is_some_and(|last| arrival.time - last < limits.spacing) {
            return None;
        }
        let earliest = self.candidates.iter().find(|candidate| candidate.key <= key)?;
        let raw = Raw::between(&earliest.arrival, arrival, Source::CRule);
        if raw.ticks_or_time(limits.tick_ns) < parameters.sample_min_ticks {
            return None;
        }
        self.sampled = Some(arrival.time);
        Some(raw)
    }

    /// The highest sending rate of all windows that were looked at.
    pub(super) const fn send_max_bps(&self) -> Option<f64> {
        self.send_max_bps
    }

    /// Now and then measures the sending rate of the shortest window that is long enough, because
    /// short windows contain the bursts.
    fn rate(&mut self, arrival: &Arrival, limits: Limits, parameters: &Parameters) {
        if self.rated.is_some_and(|last| arrival.time - last < limits.spacing) {
            return;
        }
        self.rated = Some(arrival.time);
        let shortest = Duration::from_nanos((parameters.sample_min_ticks * limits.tick_ns) as i64);
        let after = self.candidates.partition_point(|c| c.arrival.time <= arrival.time - shortest);
        let Some(from) = after.checked_sub(1).and_then(|at| self.candidates.get(at)) else { return };
        let sent_s = arrival.sent.zip(from.arrival.sent).map(|(to, from)| (to - from).as_secs_f64());
        let bits = (arrival.delivered.saturating_sub(from.arrival.delivered)) as f64 * 8.0;
        let bps = sent_s.filter(|sent_s| *sent_s > 0.0).map(|sent_s| bits / sent_s);
        self.send_max_bps = match (self.send_max_bps, bps) {
            (Some(most), Some(bps)) => Some(most.max(bps)),
            (most, bps) => most.or(bps),
        };
    }

    fn expire(&mut self, horizon: Instant) {
        while self.candidates.front().is_some_and(|candidate| candidate.arrival.time < horizon) {
            self.candidates.pop_front();
            if self.least.front().is_some_and(|(number, _)| *number == self.first) {
                self.least.pop_front();
            }
            self.first += 1;
        }
    }

    fn add(&mut self, candidate: Candidate, most: Duration) {
        let near = |last: &Candidate| candidate.arrival.time - last.arrival.time < most.over(CANDIDATES);
        if self.candidates.back().is_some_and(near) {
            return;
        }
        while self.least.back().is_some_and(|(_, key)| *key >= candidate.key) {
            self.least.pop_back();
        }
        self.least.push_back((self.first + self.candidates.len() as u64, candidate.key));
        self.candidates.push_back(candidate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOST: Duration = Duration::from_millis(320);

    fn at(us: i64) -> Instant {
        Instant::from_nanos(us * 1_000)
    }

    /// Follows the definition word by word: of all earlier ACKs within the limit, takes the
    /// earliest from which the sending rate up to this ACK is C or more; then checks the number of
    /// ticks.
    fn naive(acks: &[Arrival], j: usize, parameters: &Parameters) -> Option<Instant> {
        let to = acks[j];
        let fast = |from: &&Arrival| {
            let bits = 8 * (to.delivered - from.delivered) as i64;
            bits * 1_000_000_000 >= 30_000_000 * (to.sent.unwrap() - from.sent.unwrap()).as_nanos()
        };
        let from = acks[..j].iter().filter(|from| to.time - from.time <= MOST).find(fast)?;
        let ticks = to.ticks.unwrap() - from.ticks.unwrap();
        (f64::from(ticks) >= parameters.sample_min_ticks).then_some(from.time)
    }

    proptest! {
        #[test]
        fn the_stack_finds_what_the_definition_finds(
            steps in prop::collection::vec((800_i64..20_000, 0_i64..9, 100_u64..6_000), 2..200),
        ) {
            let parameters = Parameters { sample_spacing_ms: 0.0, ..Parameters::default() };
            let limits = Limits { most: MOST, tick_ns: 1e6, spacing: Duration::ZERO };
            let (mut time, mut sent, mut delivered) = (50_000, 0, 0);
            let acks: Vec<Arrival> = steps.iter().map(|(later, sent_later, bytes)| {
                time += later;
                sent += sent_later * 200;
                delivered += bytes;
                let ticks = Some((time / 1_000) as u32);
                Arrival {
                    time: at(time),
                    served: at(time),
                    uncertainty: Duration::ZERO,
                    ticks,
                    begins: true,
                    delivered,
                    sent: Some(at(sent)),
                    queued: None,
                    busy: Duration::ZERO,
                }
            }).collect();
            let mut rule = CRule::default();
            for (j, ack) in acks.iter().enumerate() {
                let found = rule.on_arrival(ack, limits, &parameters).map(|raw| raw.from);
                prop_assert_eq!(found, naive(&acks, j, &parameters));
            }
        }
    }
}
