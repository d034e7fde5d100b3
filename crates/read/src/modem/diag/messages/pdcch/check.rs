//! Compares control messages with the bandwidth of their carrier, and finds the grants among them.

use super::fields::{ControlChannel, Hypothesis, Search, parse};
use crate::modem::diag::messages::cell::PRBS;
use crate::modem::diag::outcome::Misfit;
use crate::modem::diag::packet::LogPacket;
use crate::modem::diag::proof::{Bench, Check, Grant};

/// The modem's code for formats 0 and 1A, which have the same length (TS 36.212 section 5.3.3.1).
const FORMAT_0: u8 = 0;
const FORMAT_1A: u8 = 2;
/// The modem's code for a message that is addressed to this phone alone.
const C_RNTI: u8 = 0;
/// The modem's code for an accepted message of format 0.
const FOUND_0: u16 = 1;
/// The number of bits of the CRC, which the length of a message includes.
const CRC_BITS: u32 = 16;
/// The greatest number of bits in fields that a cell may add: carrier, channel state and sounding.
const MORE_BITS: u32 = 4;
/// Lengths to which one bit is added because they would be ambiguous (TS 36.212 table 5.3.3.1.2-1).
const AMBIGUOUS: [u32; 10] = [12, 14, 16, 20, 24, 26, 32, 40, 44, 56];

/// Compares the subframe with the time of logging, and lengths of messages with the bandwidth of
/// the carrier. Grants are kept for comparison with the blocks that use them.
pub(super) fn check(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit> {
    let message = parse(packet.payload)?;
    bench.clock(message.frame.into(), message.subframe.into());
    let width = PRBS.get(usize::from(message.bandwidth)).copied();
    let prbs = u32::from(width.ok_or(Misfit::Lies("a bandwidth that no cell has"))?);
    for search in &message.searches {
        let taken = search.hypotheses.iter().filter(|one| (1..8).contains(&one.outcome));
        for found in taken {
            one(&message, search, found, prbs, bench);
        }
    }
    Ok(())
}

fn one(
    message: &ControlChannel,
    search: &Search,
    found: &Hypothesis,
    prbs: u32,
    bench: &mut Bench<'_>,
) {
    if [FORMAT_0, FORMAT_1A].contains(&found.format) {
        let least = length(prbs, message.frame_structure);
        let bits = u32::from(found.payload_bits).saturating_sub(CRC_BITS);
        bench.check(Check::Width, (least..=least + MORE_BITS).contains(&bits));
    }
    // In TDD the delay from grant to transmission depends on the subframe (TS 36.213 table 8-2).
    let fdd = message.frame_structure == 0;
    let grants = found.outcome == FOUND_0 && found.addressed == C_RNTI && message.subframe < 10;
    if let Some(grant) = grant(found, prbs).filter(|_| fdd && grants) {
        let count = u32::from(message.frame) * 10 + u32::from(message.subframe);
        bench.granted(count + u32::from(search.offset.unwrap_or(0)), grant);
    }
}

/// The number of bits of formats 0 and 1A: two flags, the allocation, MCS (5), HARQ (3), new data,
/// redundancy version (2), power (2); in TDD one more for HARQ and two for the assignment index.
fn length(prbs: u32, frame_structure: u8) -> u32 {
    let bits = 15 + allocation_bits(prbs) + if frame_structure == 0 { 0 } else { 3 };
    bits + u32::from(AMBIGUOUS.contains(&bits))
}

/// The number of bits of an allocation of consecutive PRBs.
const fn allocation_bits(prbs: u32) -> u32 {
    let allocations = prbs * (prbs + 1) / 2;
    allocations.next_power_of_two().trailing_zeros()
}

/// The allocation in a message of format 0 without hopping (TS 36.212 section 5.3.3.1.1, TS 36.213
/// section 8.1.1).
fn grant(found: &Hypothesis, prbs: u32) -> Option<Grant> {
    let word = u64::from_le_bytes(found.payload);
    let field = |from: u32, width: u32| (word << from) >> (64 - width);
    let (format_1a, hops) = (field(0, 1) == 1, field(1, 1) == 1);
    if format_1a || hops {
        return None;
    }
    let value = u32::try_from(field(2, allocation_bits(prbs))).ok()?;
    let (length, start) = (value / prbs + 1, value % prbs);
    let (length, start) = if length + start > prbs {
        (prbs + 2 - length.min(prbs + 1), prbs - 1 - start)
    } else {
        (length, start)
    };
    Some(Grant { start: u8::try_from(start).ok()?, prbs: u8::try_from(length).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_follow_from_the_width() {
        // At 10 MHz the length would be 26 bits, which is ambiguous, so it is 27. At 20 MHz it is
        // 28, and at 1.4 MHz 21, because 20 is ambiguous. In TDD, 10 MHz and 20 MHz have 29 and 31
        // bits.
        assert_eq!([50, 100, 6].map(|prbs| length(prbs, 0)), [27, 28, 21]);
        assert_eq!([50, 100].map(|prbs| length(prbs, 1)), [29, 31]);
    }

    #[test]
    fn allocations_are_those_of_the_clause() {
        // The allocation has 11 bits. The first one codes 4 PRBs from PRB 44 on, the second one 40
        // PRBs from PRB 3 on, for which the code counts backwards.
        let coded =
            |value: u64| Hypothesis { payload: (value << (64 - 2 - 11)).to_le_bytes(), ..EMPTY };
        assert_eq!(grant(&coded(50 * 3 + 44), 50), Some(Grant { start: 44, prbs: 4 }));
        assert_eq!(grant(&coded(50 * 11 + 46), 50), Some(Grant { start: 3, prbs: 40 }));
        assert_eq!(grant(&Hypothesis { payload: [0xFF; 8], ..EMPTY }, 50), None);
    }

    const EMPTY: Hypothesis = Hypothesis {
        payload: [0; 8],
        payload_bits: 43,
        aggregation_log2: 0,
        candidate: 0,
        search_space: 0,
        format: 0,
        addressed: 0,
        tail_matches: true,
        wrong_symbols: 0,
        first_element: 0,
        soft_bits: 0,
        full_energy: 0,
        outcome: 1,
        energy: 0,
        energy_share: 0.0,
        symbol_error_rate: 0.0,
    };
}
