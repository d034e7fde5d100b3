//! Limits how much memory the live flows and phones of all shards may use (`--memory`), and decides
//! which flows are ended when they use more.
//!
//! The limit is checked only between two epochs, and memory is counted in entries. So neither the
//! number of threads nor the machine decides which flow ends.

use airmile_track::{Held, Opened, Turn};

use crate::error::Error;

/// The default limit, in bytes.
pub(crate) const DEFAULT_BYTES: u64 = 4 << 30;
/// The smallest limit that is allowed; a smaller one would not help, because the engine itself
/// takes about as much.
const LEAST_BYTES: u64 = 64 << 20;
/// The most memory of a flow that has shown at most one packet in each direction, with its phone,
/// in bytes.
const BRIEF_BYTES: u64 = 2 << 10;
/// The additional memory of a flow that has its own state, in bytes.
const WHOLE_BYTES: u64 = 14 << 10;
/// The most memory that a packet adds to a flow on average, in bytes, including the spare room of
/// growing lists: a range, an edge, a sample, and what its SACK blocks report.
const PACKET_BYTES: u64 = 512;
/// Memory is counted again at the earliest after this part of the budget may have been added.
/// Counting visits every flow, and must cost little compared with the packets between two counts.
const LEAST_SHARE: u64 = 4;
/// The number of quarters of the budget that remain in use after flows were ended, so that flows
/// are not ended at each count.
const LEFT_OF_FOUR: u64 = 3;

/// The numbers of packets and flows that have arrived so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Come {
    pub(crate) packets: u64,
    pub(crate) opened: Opened,
}

impl Come {
    /// The most memory that was added since `before`, in bytes.
    fn bytes_since(self, before: Self) -> u64 {
        let times = |now: u64, before: u64, bytes| now.saturating_sub(before).saturating_mul(bytes);
        times(self.packets, before.packets, PACKET_BYTES)
            .saturating_add(times(self.opened.flows, before.opened.flows, BRIEF_BYTES))
            .saturating_add(times(self.opened.whole, before.opened.whole, WHOLE_BYTES))
    }
}

/// Decides when memory is counted again, by what has arrived since the last count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    bytes: u64,
    /// The memory that may be added until the next count, in bytes.
    room: u64,
    /// The packets and flows that had arrived at the last count.
    seen: Come,
    now: Come,
}

impl Budget {
    /// A budget of this number of bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self { bytes, room: bytes / 2, seen: Come::default(), now: Come::default() }
    }

    /// Whether it is time to count memory again.
    pub(crate) fn is_due(&mut self, now: Come) -> bool {
        self.now = now;
        now.bytes_since(self.seen) >= self.room
    }

    /// Whether `held` bytes exceed the budget. The next count comes when half of the rest may have
    /// been used, because a list that grows takes as much again as it has.
    pub(crate) fn is_exceeded(&mut self, held: u64) -> bool {
        let left = self.bytes.saturating_sub(held) / 2;
        self.room = left.max(self.bytes / LEAST_SHARE);
        self.seen = self.now;
        held > self.bytes
    }

    /// The last flow to end, so that three quarters of the budget remain in use.
    pub(crate) fn last_to_leave(&self, held: impl Iterator<Item = Held>) -> Option<Turn> {
        let mut held: Vec<Held> = held.collect();
        held.sort_unstable_by_key(|each| each.turn);
        let all: u64 = held.iter().map(|each| each.bytes).sum();
        let mut excess = all.saturating_sub(self.bytes / 4 * LEFT_OF_FOUR);
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
}

/// Reads a size: a number of bytes, or a number with `K`, `M` or `G` (powers of 1,024).
///
/// # Errors
/// Fails when the text is not a size, is less than 64 MiB, or is 8 EiB or more.
pub(crate) fn size(text: &str) -> Result<u64, Error> {
    let wrong = |why: &str| {
        Error::usage(format!("--memory {text}: {why}")).hint("give a size, as 512M or 4G")
    };
    let text = text.trim();
    let upper = text.to_ascii_uppercase();
    let upper = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
    let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
    let (number, shift) = units
        .iter()
        .find_map(|(unit, shift)| Some((upper.strip_suffix(*unit)?, *shift)))
        .unwrap_or((upper, 0));
    let number: f64 = number.trim().parse().unwrap_or(f64::NAN);
    let bytes = number * 2_f64.powi(shift);
    if !bytes.is_finite() || bytes < 0.0 {
        return Err(wrong("not a size"));
    }
    // A manifest holds numbers of 64 bits with a sign.
    if bytes >= i64::MAX as f64 {
        return Err(wrong("more than any machine has"));
    }
    if bytes < LEAST_BYTES as f64 { Err(wrong("less than 64M")) } else { Ok(bytes as u64) }
}

#[cfg(test)]
mod tests {
    use airmile_types::Instant;

    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        assert_eq!(size("4G").unwrap(), DEFAULT_BYTES);
        assert_eq!(size(" 1.5 gib").unwrap(), 3 << 29);
        assert_eq!(size("64MB").unwrap(), LEAST_BYTES);
        assert_eq!(size("70000000").unwrap(), 70_000_000);
        assert_eq!(size("8388607T").unwrap(), 8_388_607 << 40);
        for wrong in ["", "G", "-1G", "nan", "inf", "1e400", "4X", "63M", "0", "8388608T", "1e300"]
        {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    fn held(second: i64, id: u64, bytes: u64) -> Held {
        Held { turn: Turn { stretch: 0, last: Instant::from_nanos(second), id }, bytes }
    }

    #[test]
    fn the_oldest_leave_until_three_quarters_are_left() {
        let budget = Budget::new(1000);
        let of = |all: &[Held]| budget.last_to_leave(all.iter().copied()).map(|turn| turn.id);
        assert_eq!(of(&[held(1, 7, 700)]), None);
        assert_eq!(of(&[held(2, 7, 500), held(1, 8, 600)]), Some(8));
        assert_eq!(of(&[held(1, 7, 100), held(1, 8, 300), held(2, 9, 700)]), Some(8));
        assert_eq!(of(&[held(1, 7, 2000)]), Some(7));
    }

    #[test]
    fn it_is_looked_at_when_half_of_what_is_left_may_be_taken() {
        let come = |packets, flows, whole| Come { packets, opened: Opened { flows, whole } };
        let mut budget = Budget::new(64 * BRIEF_BYTES);
        assert!(!budget.is_due(come(0, 31, 0)));
        assert!(budget.is_due(come(0, 32, 0)));
        assert!(!budget.is_exceeded(32 * BRIEF_BYTES));
        let packets = 16 * BRIEF_BYTES / PACKET_BYTES;
        assert!(!budget.is_due(come(packets - 1, 32, 0)));
        assert!(budget.is_due(come(packets, 32, 0)));
        assert!(budget.is_due(come(0, 48, 0)));
        assert!(budget.is_due(come(0, 34, 2)), "a state of its own is as seven flows without");
        assert!(budget.is_exceeded(64 * BRIEF_BYTES + 1));
        assert!(!budget.is_due(come(0, 49, 0)), "not with each epoch, although nothing is left");
        assert!(budget.is_due(come(0, 50, 0)));
    }

    #[test]
    fn whoever_was_touched_in_an_earlier_stretch_leaves_first_whatever_its_times_say() {
        let wild = Held { turn: Turn { stretch: 1, last: Instant::MAX, id: 7 }, bytes: 600 };
        let newest = Held { turn: Turn { stretch: 2, last: Instant::MIN, id: 8 }, bytes: 600 };
        let last = Budget::new(1000).last_to_leave([newest, wild].into_iter());
        assert_eq!(last, Some(wild.turn));
    }
}
