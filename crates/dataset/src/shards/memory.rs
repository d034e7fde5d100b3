//! Limits how much memory the whole process may use (`--memory`), and decides which flows are ended
//! when it would use more.
//!
//! The limit is checked only between two rounds of the shards, and memory is computed from the
//! numbers and capacities of what is kept, with a fixed part for the program itself. It is not
//! taken from the operating system. So neither the number of threads nor the machine decides which
//! flow ends.

use std::collections::BTreeMap;

use airmile_track::{Held, Opened, Turn};

use crate::error::Error;
use crate::shards::epoch::EPOCH_BYTES;

/// The limit if neither the user nor the caller has set one, in bytes.
pub(crate) const DEFAULT_BYTES: u64 = 4 << 30;
/// The memory of a process before its first packet, in bytes: the interpreter with the modules that
/// `airmile analyze` imports, the engine, its threads, and what encoding a row group takes.
const FIXED_BYTES: u64 = 60 << 20;
/// The smallest limit that is allowed: with less, hardly a flow would live.
pub(crate) const LEAST_BYTES: u64 = 128 << 20;
/// The largest limit: a manifest has no larger number.
const MOST_BYTES: u64 = i64::MAX as u64;
/// Of so many parts of the memory beside the fixed part, one is left to the allocator, which rounds
/// sizes up, cannot reuse every gap, and has a list twice while it grows.
const ALLOCATOR_SHARE: u64 = 4;
/// The most memory of a flow that has shown at most one packet in each direction, with its phone,
/// in bytes.
const BRIEF_BYTES: u64 = 2 << 10;
/// The additional memory of a flow that has its own state, in bytes.
const WHOLE_BYTES: u64 = 14 << 10;
/// The additional memory of a flow that has begun to move payload: its transfers, and what its
/// phone keeps of queues and the link, in bytes.
const BEGUN_BYTES: u64 = 10 << 10;
/// The most memory that a packet adds to a flow on average, in bytes: a range, an edge, a sample,
/// what its SACK blocks report, and the spare room of lists. The lists of flows that advance
/// together also grow together, so this is twice what a packet adds in the long run.
const PACKET_BYTES: u64 = 1024;
/// Memory is counted again at the earliest after this part of the budget may have been added.
/// Counting visits every flow, and must cost little compared with the packets between two counts.
const LEAST_SHARE: u64 = 8;
/// The fewest packets between two looks. If each opened a flow, they would add some megabytes.
const LEAST_PACKETS: usize = 256;
/// The payload of an epoch takes at most this part of the budget: one epoch is analysed while the
/// next is read, and the list of each may have twice the capacity that it needs.
const EPOCH_SHARE: u64 = 16;
/// The number of quarters of the budget that remain in use after flows were ended, so that flows
/// are not ended at each count.
const LEFT_OF_FOUR: u64 = 3;

/// The numbers of packets and flows that have arrived so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Come {
    pub(crate) packets: u64,
    /// The payload that analyses may keep, in bytes.
    pub(crate) payload_bytes: u64,
    pub(crate) opened: Opened,
    /// The flows that have begun to move payload.
    pub(crate) begun: u64,
}

impl Come {
    /// The most memory that was added since `before`, in bytes.
    pub(crate) fn bytes_since(self, before: Self) -> u64 {
        let times = |now: u64, before: u64, bytes| now.saturating_sub(before).saturating_mul(bytes);
        times(self.packets, before.packets, PACKET_BYTES)
            .saturating_add(times(self.payload_bytes, before.payload_bytes, 1))
            .saturating_add(times(self.opened.flows, before.opened.flows, BRIEF_BYTES))
            .saturating_add(times(self.opened.whole, before.opened.whole, WHOLE_BYTES))
            .saturating_add(times(self.begun, before.begun, BEGUN_BYTES))
    }
}

impl std::ops::Add for Come {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            packets: self.packets + more.packets,
            payload_bytes: self.payload_bytes + more.payload_bytes,
            opened: Opened {
                flows: self.opened.flows + more.opened.flows,
                whole: self.opened.whole + more.opened.whole,
            },
            begun: self.begun + more.begun,
        }
    }
}

/// Decides when memory is counted again, by what has arrived since the last count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// The memory for everything that grows with the capture, in bytes.
    bytes: u64,
    /// The memory that may be added until the next count, in bytes.
    room: u64,
    /// The packets and flows that had arrived at the last count.
    seen: Come,
    now: Come,
}

impl Budget {
    /// The budget of a process that may use this number of bytes.
    pub(crate) const fn of_process(bytes: u64) -> Self {
        let rest = bytes.saturating_sub(FIXED_BYTES);
        Self::new(rest - rest / ALLOCATOR_SHARE)
    }

    const fn new(bytes: u64) -> Self {
        const OPENED: Opened = Opened { flows: 0, whole: 0 };
        const NOTHING: Come = Come { packets: 0, payload_bytes: 0, opened: OPENED, begun: 0 };
        Self { bytes, room: bytes / 2, seen: NOTHING, now: NOTHING }
    }

    /// Whether it is time to count memory again.
    pub(crate) fn is_due(&mut self, now: Come) -> bool {
        self.now = now;
        now.bytes_since(self.seen) >= self.room
    }

    /// The number of packets that may come before the next look, even if each opens a flow.
    pub(crate) fn packets(&self) -> usize {
        let room = self.room.saturating_sub(self.now.bytes_since(self.seen));
        ((room / (PACKET_BYTES + BRIEF_BYTES + WHOLE_BYTES)) as usize).max(LEAST_PACKETS)
    }

    /// The most memory of what is kept beside flows, for each kind of it, in bytes.
    pub(crate) const fn side_bytes(&self) -> u64 {
        self.bytes / 4
    }

    /// The number of bytes of payload that ends an epoch.
    #[inline]
    pub(crate) const fn epoch_bytes(&self) -> usize {
        let share = (self.bytes / EPOCH_SHARE) as usize;
        if share < EPOCH_BYTES { share } else { EPOCH_BYTES }
    }

    /// Whether `held` bytes exceed the budget. The next count comes when half of the rest may have
    /// been used, because a list that grows takes as much again as it has.
    pub(crate) fn is_exceeded(&mut self, held: u64) -> bool {
        let left = self.bytes.saturating_sub(held) / 2;
        self.room = left.max(self.bytes / LEAST_SHARE);
        self.seen = self.now;
        held > self.bytes
    }

    /// The last stretch of the capture whose flows end, wholly or in part, so that three quarters of
    /// the budget remain in use, and the bytes of this stretch that must go. `ages` has the bytes of
    /// flows and phones by the stretch of their newest packet, `others` those that stay in any case.
    pub(crate) fn last_stretch(
        &self,
        ages: &BTreeMap<u32, u64>,
        others: u64,
    ) -> Option<(u32, u64)> {
        let left = (self.bytes / 4 * LEFT_OF_FOUR).saturating_sub(others);
        let mut excess = ages.values().sum::<u64>().saturating_sub(left);
        for (stretch, bytes) in ages {
            if excess <= *bytes {
                return (excess > 0).then_some((*stretch, excess));
            }
            excess -= bytes;
        }
        None
    }
}

/// The last of these flows to end so that `excess` bytes are freed.
pub(crate) fn last_to_leave(mut held: Vec<Held>, mut excess: u64) -> Option<Turn> {
    held.sort_unstable_by_key(|each| each.turn);
    let mut last = None;
    for each in held {
        if excess == 0 {
            break;
        }
        excess = excess.saturating_sub(each.bytes);
        last = Some(each.turn);
    }
    last
}

/// Reads a size: a number of bytes, or a number with `K`, `M` or `G` (powers of 1,024).
///
/// # Errors
/// Fails when the text is not a size, is less than the program itself needs, or is more than a
/// manifest can say.
pub(crate) fn size(text: &str) -> Result<u64, Error> {
    let wrong = |why: &str, hint: &str| {
        Err(Error::usage(format!("--memory {}: {why}", text.trim())).hint(hint))
    };
    let upper = text.trim().to_ascii_uppercase();
    let upper = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let (number, shift) = units
        .iter()
        .find_map(|(unit, shift)| Some((upper.strip_suffix(*unit)?, *shift)))
        .unwrap_or((upper, 0));
    let number: f64 = number.trim().parse().unwrap_or(f64::NAN);
    let bytes = number * 2_f64.powi(shift);
    if !bytes.is_finite() || bytes < 0.0 {
        wrong("not a size", "give a size, as 512M or 4G")
    } else if bytes < LEAST_BYTES as f64 {
        wrong(
            &format!("less than the {}M that airmile needs", LEAST_BYTES >> 20),
            &format!("the least that works is {}M", LEAST_BYTES >> 20),
        )
    } else if bytes >= MOST_BYTES as f64 {
        wrong("more than any machine has", "give a size, as 512M or 4G")
    } else {
        Ok(bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use airmile_types::Instant;

    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        assert_eq!(size("4G").unwrap(), DEFAULT_BYTES);
        assert_eq!(size(" 1.5 gib").unwrap(), 3 << 29);
        assert_eq!(size("128MB").unwrap(), LEAST_BYTES);
        assert_eq!(size("150000000").unwrap(), 150_000_000);
        assert_eq!(size("8388607T").unwrap(), 8_388_607 << 40);
        for wrong in ["", "G", "-1G", "nan", "inf", "1e400", "4X", "127M", "0", "8388608T", "1e300"]
        {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_work_and_what_no_manifest_can_say_is_refused() {
        for small in ["127M", "64M", "1", "0"] {
            let refused = size(small).unwrap_err();
            assert!(format!("{refused:?}").contains("the least that works is 128M"), "{refused:?}");
        }
        for large in ["9223372036854775808", "1e30", "8388608T", "18446744073709551615"] {
            assert!(size(large).is_err(), "{large}");
        }
        assert!(size("8388607T").is_ok_and(|bytes| i64::try_from(bytes).is_ok()));
    }

    #[test]
    fn a_budget_of_the_process_leaves_room_for_the_program_and_its_allocator() {
        let least = Budget::of_process(LEAST_BYTES);
        assert!(least.bytes >= 24 << 20, "some flows live: {least:?}");
        let large = Budget::of_process(4 << 30);
        assert!(large.bytes + FIXED_BYTES < 4 << 30 && large.bytes > 5 << 29);
    }

    #[test]
    fn two_epochs_take_at_most_a_quarter_of_the_budget() {
        for bytes in [LEAST_BYTES, 256 << 20, 1 << 30, DEFAULT_BYTES] {
            let budget = Budget::of_process(bytes);
            // Each of the two lists has up to twice the capacity that it needs.
            assert!(2 * 2 * budget.epoch_bytes() as u64 <= budget.bytes / 4, "{bytes}");
        }
        assert_eq!(Budget::of_process(DEFAULT_BYTES).epoch_bytes(), EPOCH_BYTES);
    }

    fn held(second: i64, id: u64, bytes: u64) -> Held {
        Held { turn: Turn { stretch: 0, last: Instant::from_nanos(second), id }, bytes }
    }

    /// The last of these to leave a budget of 1000 bytes, of which `others` are in use anyway.
    fn last(all: &[Held], others: u64) -> Option<u64> {
        let mut ages = BTreeMap::new();
        for each in all {
            *ages.entry(each.turn.stretch).or_default() += each.bytes;
        }
        let (stretch, excess) = Budget::new(1000).last_stretch(&ages, others)?;
        let of_it = all.iter().copied().filter(|each| each.turn.stretch == stretch);
        last_to_leave(of_it.collect(), excess).map(|turn| turn.id)
    }

    #[test]
    fn the_oldest_leave_until_three_quarters_are_left() {
        assert_eq!(last(&[held(1, 7, 700)], 0), None);
        assert_eq!(last(&[held(2, 7, 500), held(1, 8, 600)], 0), Some(8));
        assert_eq!(last(&[held(1, 7, 100), held(1, 8, 300), held(2, 9, 700)], 0), Some(8));
        assert_eq!(last(&[held(1, 7, 2000)], 0), Some(7));
    }

    #[test]
    fn what_is_kept_beside_flows_leaves_less_for_them() {
        assert_eq!(last(&[held(1, 7, 300), held(2, 8, 400)], 50), None);
        assert_eq!(last(&[held(1, 7, 300), held(2, 8, 400)], 100), Some(7));
        assert_eq!(last(&[held(1, 7, 300), held(2, 8, 400)], 900), Some(8), "nothing is left");
    }

    #[test]
    fn it_is_looked_at_when_half_of_what_is_left_may_be_taken() {
        let come = |packets, flows, whole| Come {
            packets,
            opened: Opened { flows, whole },
            ..Come::default()
        };
        let mut budget = Budget::new(64 * BRIEF_BYTES);
        assert!(!budget.is_due(come(0, 31, 0)));
        assert!(budget.is_due(come(0, 32, 0)));
        assert!(!budget.is_exceeded(32 * BRIEF_BYTES));
        let packets = 16 * BRIEF_BYTES / PACKET_BYTES;
        assert!(!budget.is_due(come(packets - 1, 32, 0)));
        assert!(budget.is_due(come(packets, 32, 0)));
        assert!(budget.is_due(come(0, 48, 0)));
        assert!(budget.is_due(come(0, 34, 2)), "a state of its own is as seven flows without");
        let kept = Come { payload_bytes: 16 * BRIEF_BYTES, ..come(0, 32, 0) };
        assert!(budget.is_due(kept), "what analyses may keep of a payload counts");
        let begun = Come { begun: 4, ..come(0, 32, 0) };
        assert!(budget.is_due(begun), "the first payload adds more than other packets");
        assert!(budget.is_exceeded(64 * BRIEF_BYTES + 1));
        assert!(!budget.is_due(come(0, 39, 0)), "not with each round, although nothing is left");
        assert!(budget.is_due(come(0, 40, 0)));
    }

    #[test]
    fn no_more_packets_come_between_two_looks_than_may_open_flows() {
        let whole = PACKET_BYTES + BRIEF_BYTES + WHOLE_BYTES;
        let mut budget = Budget::new(2000 * whole);
        assert_eq!(budget.packets(), 1000);
        let opened = Opened { flows: 600, whole: 600 };
        assert!(!budget.is_due(Come { packets: 600, opened, ..Come::default() }));
        assert_eq!(budget.packets(), 400);
        assert_eq!(Budget::new(0).packets(), LEAST_PACKETS);
    }

    #[test]
    fn whoever_was_touched_in_an_earlier_stretch_leaves_first_whatever_its_times_say() {
        let wild = Held { turn: Turn { stretch: 1, last: Instant::MAX, id: 7 }, bytes: 600 };
        let newest = Held { turn: Turn { stretch: 2, last: Instant::MIN, id: 8 }, bytes: 600 };
        assert_eq!(last(&[newest, wild], 0), Some(7));
    }
}
