//! Models hybrid ARQ: blocks that are not decoded are retransmitted, and blocks are delivered in
//! order (TS 36.321 section 5.3.2, TS 36.322 section 5.1.3).

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

use crate::bounds::is_air_time;
use crate::config::{ConfigError, HarqConfig};
use crate::random::Random;

/// The number of TTIs from a transmission to its HARQ retransmission: there are 8 processes; the
/// answer comes after 4 TTIs, the retransmission 4 TTIs later (TS 36.213 sections 7 and 8).
const ROUND_TTIS: u64 = 8;

/// The greatest number of blocks on the way until the oldest is delivered (TS 36.322 section 7.2,
/// AM_Window_Size); RLC sends no new block beyond it.
const WINDOW_BLOCKS: usize = 512;

/// A block on the air.
#[derive(Debug)]
struct Block<P> {
    number: u64,
    packets: Vec<P>,
    prbs: u32,
    transmissions: u32,
    decoded: Option<Instant>,
}

#[derive(Debug)]
pub(crate) struct Harq<P> {
    config: HarqConfig,
    air: Duration,
    /// The time between the instants at which the receiver passes packets on; zero if it passes
    /// each on at once.
    aggregation: Duration,
    rlc_ttis: u64,
    next_number: u64,
    /// The blocks, in the order of their first transmission.
    blocks: VecDeque<Block<P>>,
    /// The TTI and the block of each HARQ retransmission to come, in order of TTI.
    repetitions: Vec<(u64, u64)>,
    /// The numbers of the blocks that were decoded since the last call of `take_decoded`.
    decoded: Vec<u64>,
    delivered: VecDeque<(Instant, P)>,
    /// The time at which the last block was delivered; that block may have contained no packet's
    /// end.
    last_delivery: Instant,
}

impl<P> Harq<P> {
    pub(crate) fn new(
        config: &HarqConfig,
        (air_ms, aggregation_ms): (f64, f64),
        tti: Duration,
        name: &str,
    ) -> Result<Self, ConfigError> {
        if !(0.0..1.0).contains(&config.failure) || config.transmissions == 0 {
            let problem = "failure is 0 to below 1, transmissions at least 1";
            return Err(ConfigError::new(format!("{name}.harq"), problem));
        }
        if !(is_air_time(air_ms) && is_air_time(config.rlc_ms)) {
            return Err(ConfigError::new(name, "air_ms and harq.rlc_ms are 0 to 10000"));
        }
        if !is_air_time(aggregation_ms) {
            return Err(ConfigError::new(
                format!("{name}.aggregation_ms"),
                "a time is 0 to 10000 ms",
            ));
        }
        Ok(Self {
            config: *config,
            air: Duration::from_secs_f64(air_ms / 1e3),
            aggregation: Duration::from_secs_f64(aggregation_ms / 1e3),
            rlc_ttis: (config.rlc_ms / 1e3 / tti.as_secs_f64()).ceil() as u64,
            next_number: 0,
            blocks: VecDeque::new(),
            repetitions: Vec::new(),
            decoded: Vec::new(),
            delivered: VecDeque::new(),
            last_delivery: Instant::MIN,
        })
    }

    /// Sends a new block in this TTI; returns its number.
    pub(crate) fn send(
        &mut self,
        tti: u64,
        now: Instant,
        prbs: u32,
        packets: Vec<P>,
        random: &mut Random,
    ) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.blocks.push_back(Block { number, packets, prbs, transmissions: 0, decoded: None });
        self.transmit(tti, now, number, random);
        number
    }

    /// Whether no new block may be sent, because the window is full.
    pub(crate) fn is_stalled(&self) -> bool {
        self.blocks.len() >= WINDOW_BLOCKS
    }

    /// Whether a block is on the air, or waits for its HARQ retransmission.
    pub(crate) fn is_busy(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Returns the blocks that were decoded since the last call.
    pub(crate) fn take_decoded(&mut self) -> std::vec::Drain<'_, u64> {
        self.decoded.drain(..)
    }

    /// The number of PRBs that HARQ retransmissions in `tti` need.
    pub(crate) fn prbs_due(&self, tti: u64) -> u32 {
        let due = self.repetitions.iter().filter(|(at, _)| *at == tti);
        due.filter_map(|(_, number)| self.blocks.get(self.index(*number)?)).map(|b| b.prbs).sum()
    }

    /// Sends the HARQ retransmissions that are due in `tti`, as far as `prbs` PRBs suffice; the
    /// others wait for the TTI `later`. Returns the number of PRBs that they took.
    pub(crate) fn repeat(
        &mut self,
        (tti, later): (u64, u64),
        now: Instant,
        prbs: u32,
        random: &mut Random,
    ) -> u32 {
        let mut taken = 0;
        for index in 0..self.repetitions.len() {
            let (at, number) = self.repetitions[index];
            let Some(block) = self.index(number).and_then(|index| self.blocks.get(index)) else {
                continue;
            };
            if at > tti {
                continue;
            }
            if taken + block.prbs > prbs {
                self.repetitions[index].0 = later;
                continue;
            }
            taken += block.prbs;
            // This entry is done: `transmit` adds another one when the block fails again.
            self.repetitions[index].1 = u64::MAX;
            self.transmit(tti, now, number, random);
        }
        self.repetitions.retain(|(_, number)| *number != u64::MAX);
        taken
    }

    /// Drops everything on the air and returns the lost packets.
    pub(crate) fn clear(&mut self) -> Vec<P> {
        self.repetitions.clear();
        self.blocks.drain(..).flat_map(|block| block.packets).collect()
    }

    /// The time at which the next packet is delivered.
    pub(crate) fn next_release(&self) -> Option<Instant> {
        self.delivered.front().map(|(at, _)| *at)
    }

    /// The next packet that was delivered by `now`, with the time of its delivery.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<(Instant, P)> {
        (self.next_release()? <= now).then(|| self.delivered.pop_front()).flatten()
    }

    fn transmit(&mut self, tti: u64, now: Instant, number: u64, random: &mut Random) {
        let failed = random.chance(self.config.failure);
        let Some(block) = self.index(number).and_then(|index| self.blocks.get_mut(index)) else {
            return;
        };
        block.transmissions += 1;
        if !failed {
            block.decoded = Some(now + self.air);
            self.decoded.push(number);
            self.deliver();
        } else if block.transmissions < self.config.transmissions {
            self.repetitions.push((tti + ROUND_TTIS, number));
        } else {
            // RLC finds the block missing and sends it anew (TS 36.322 section 5.2).
            block.transmissions = 0;
            self.repetitions.push((tti + ROUND_TTIS + self.rlc_ttis, number));
        }
    }

    /// Delivers the decoded blocks before which no block is missing.
    fn deliver(&mut self) {
        while let Some(decoded) = self.blocks.front().and_then(|block| block.decoded) {
            let Some(block) = self.blocks.pop_front() else { break };
            // Blocks that waited for this block are delivered with it.
            let at = self.passed_on(self.last_delivery.max(decoded));
            self.last_delivery = at;
            self.delivered.extend(block.packets.into_iter().map(|packet| (at, packet)));
        }
    }

    /// The time at which the receiver passes on what it has at an instant.
    fn passed_on(&self, at: Instant) -> Instant {
        let (at_ns, step_ns) = (at.as_nanos(), self.aggregation.as_nanos());
        if step_ns == 0 {
            return at;
        }
        let into = at_ns.rem_euclid(step_ns);
        if into == 0 { at } else { Instant::from_nanos(at_ns - into + step_ns) }
    }

    /// The index of a block. Numbers are given in order, and only the first block ever leaves.
    fn index(&self, number: u64) -> Option<usize> {
        number.checked_sub(self.blocks.front()?.number).map(|index| index as usize)
    }
}
