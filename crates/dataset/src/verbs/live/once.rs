//! Counts each block once, however many messages report it: the blocks of the fullest message
//! count, as in a log that is read as a whole.

use airmile_radio::rank;
use airmile_read::modem::Tti;
use airmile_types::{Duration, Instant};

/// The time of the log that is waited for until its kinds of messages are known. A modem fills a
/// message of blocks in a second at most, unless it is hardly scheduled; the value is our choice.
const WAITED: Duration = Duration::from_secs(2);
/// The greatest number of waiting blocks: two carriers with two blocks each, every millisecond.
const MOST_WAITING: usize = 8_192;

/// Decides which kind of message counts for a user.
#[derive(Debug, Default)]
pub(super) struct Once {
    /// The fullest kind of message so far.
    best: Option<usize>,
    waiting: Vec<Tti>,
    /// Whether the choice is final, so that no message waits any more.
    settled: bool,
}

/// Whether a transport block counts in the user's bursts.
#[derive(Debug, PartialEq)]
pub(super) enum Counted {
    /// The block counts now.
    Now,
    /// The block counts, and the blocks that other messages reported from its millisecond on do
    /// not.
    Instead,
    /// These blocks, which have waited, count; the new block is the last of them.
    Waited(Vec<Tti>),
    /// The block does not count, or not yet.
    Not,
}

impl Once {
    pub(super) fn push(&mut self, tti: &Tti) -> Counted {
        let Some(rank) = rank(tti.source) else { return Counted::Now };
        let fuller = self.best.is_none_or(|best| rank < best);
        if fuller {
            self.best = Some(rank);
            self.waiting.clear();
        }
        if self.best != Some(rank) {
            return Counted::Not;
        }
        if self.settled {
            return if fuller { Counted::Instead } else { Counted::Now };
        }
        self.waiting.push(tti.clone());
        let is_enough = rank == 0 || self.waiting.len() >= MOST_WAITING;
        if is_enough { Counted::Waited(self.settle()) } else { Counted::Not }
    }

    /// Notes that the log has come to this time; returns the blocks that have waited for long
    /// enough.
    pub(super) fn passed(&mut self, time: Instant) -> Vec<Tti> {
        let waited = self.waiting.first().is_some_and(|first| time - first.time >= WAITED);
        if waited { self.settle() } else { Vec::new() }
    }

    /// Returns the waiting blocks, which now count.
    pub(super) fn settle(&mut self) -> Vec<Tti> {
        self.settled = true;
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airmile_read::modem::User;

    fn block(ms: i64, source: &'static str) -> Tti {
        let time = Instant::from_nanos(0) + Duration::from_millis(ms);
        Tti::plain(time, ms, User(0), source)
    }

    fn counted(blocks: &[Tti]) -> Vec<(i64, &'static str)> {
        let mut once = Once::default();
        let mut found = Vec::new();
        for block in blocks {
            found.extend(once.passed(block.time));
            match once.push(block) {
                Counted::Now => found.push(block.clone()),
                Counted::Instead => {
                    found.retain(|other: &Tti| other.tti < block.tti);
                    found.push(block.clone());
                }
                Counted::Waited(some) => found.extend(some),
                Counted::Not => {}
            }
        }
        found.extend(once.settle());
        found.iter().map(|tti| (tti.tti, tti.source)).collect()
    }

    #[test]
    fn the_fullest_message_counts_in_whatever_order_they_come() {
        let (mac, phy) = ("0xB063", "0xB173");
        let first = [block(0, mac), block(5, mac), block(0, phy), block(6, mac), block(5, phy)];
        assert_eq!(counted(&first), [(0, phy), (5, phy)]);
        assert_eq!(counted(&[block(0, mac), block(3, mac)]), [(0, mac), (3, mac)]);
        assert_eq!(counted(&[block(0, "emulator")]), [(0, "emulator")]);
    }

    #[test]
    fn a_fuller_message_that_begins_late_counts_from_then_on() {
        let late = [block(0, "0xB126"), block(2_500, "0xB126"), block(2_400, "0xB173")];
        assert_eq!(counted(&late), [(0, "0xB126"), (2_400, "0xB173")]);
    }
}
