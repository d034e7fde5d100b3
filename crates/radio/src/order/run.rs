//! Blocks that wait, because neither stamp nor counter continues what is known.

use airmile_read::modem::Tti;

use super::epoch::{Epoch, Place};
use super::phase::{Counter, stamp};

/// This many blocks in a row show a new epoch, or fewer over `LONG_US`. A damaged packet holds up to
/// 25 blocks of a second.
const MANY: usize = 50;
const SOME: usize = 5;
const LONG_US: i64 = 1_500_000;
/// At the beginning or the end of a file and before another epoch, where nothing contradicts them, so
/// many blocks show one.
const FEW: usize = 3;
/// Blocks that wait while this many others were placed are damaged.
const OTHERS: usize = 50;

/// Blocks that agree with each other.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) blocks: Vec<Waiting>,
    /// The blocks as an epoch of their own.
    alone: Epoch,
    /// The epoch with whose counter the blocks agree although they are far from it.
    pub(super) continues: Option<usize>,
    /// How many blocks came without another one between them, and the stamp of the first.
    streak: (usize, i64),
    /// Whether another block has come since the last one.
    is_broken: bool,
    /// How many blocks were placed since the last one.
    placed: usize,
}

/// A block that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) tti: Tti,
    /// Whether the phone has changed its cell before the block.
    pub(super) moved: bool,
}

impl Run {
    pub(super) fn new(first: Waiting, continues: Option<usize>) -> Self {
        let alone = Epoch::new(&first.tti);
        let streak = (0, stamp(&first.tti));
        let mut run =
            Self { blocks: Vec::new(), alone, continues, streak, is_broken: false, placed: 0 };
        run.push(first);
        run
    }

    /// Where a block is in the run; `None` if it does not agree with the blocks.
    pub(super) fn place(&self, block: &Waiting, counter: &Counter) -> Option<Place> {
        let place = self.alone.find(&block.tti, counter, block.moved)?;
        self.alone.is_near(&place).then_some(place)
    }

    /// Where a block is that comes later than all of the run, however much; `None` if it does not
    /// agree with the blocks.
    pub(super) fn later(&self, block: &Waiting, counter: &Counter, most_ms: i64) -> Option<Place> {
        let place = self.alone.find(&block.tti, counter, block.moved)?;
        let after = place.fit.ms.saturating_sub(self.alone.span().1);
        let is_later = stamp(&block.tti) > self.alone.newest_stamp();
        (is_later && (1..=most_ms).contains(&after)).then_some(place)
    }

    /// Takes a block that agrees.
    pub(super) fn take(&mut self, block: Waiting, place: Place) {
        self.alone.take(&mut block.tti.clone(), place);
        self.push(block);
    }

    /// Takes the first block of another cell; returns whether it is near enough.
    pub(super) fn hand_over(&mut self, block: &Waiting) -> bool {
        let near = self.alone.hand_over(&mut block.tti.clone());
        if near {
            self.push(block.clone());
        }
        near
    }

    fn push(&mut self, block: Waiting) {
        if self.is_broken {
            self.streak = (0, stamp(&block.tti));
        }
        (self.is_broken, self.placed) = (false, 0);
        self.streak.0 += 1;
        self.blocks.push(block);
    }

    /// Notes that a block came that is not of this run, and whether it was placed. Returns whether
    /// the run is given up.
    pub(super) const fn other(&mut self, placed: bool) -> bool {
        self.is_broken = true;
        self.placed += placed as usize;
        self.placed >= OTHERS
    }

    /// Whether the blocks show where they are. `first` says that nothing else is known of the file.
    pub(super) fn is_proof(&self, first: bool) -> bool {
        let (count, since) = self.streak;
        let last = self.blocks.last().map_or(since, |block| stamp(&block.tti));
        let long = last.saturating_sub(since) >= LONG_US;
        let least = match (first, self.continues, long) {
            (_, Some(_), _) => 2,
            (true, None, _) => FEW,
            (false, None, true) => SOME,
            (false, None, false) => MANY,
        };
        !self.is_broken && count >= least
    }

    /// Whether another run that goes on with the same epoch shows that the log returned to a time
    /// before these blocks.
    pub(super) fn is_ahead_of(&self, other: &Self) -> bool {
        let same = self.continues.is_some() && self.continues == other.continues;
        same && self.blocks.len() < FEW && self.alone.begin > other.alone.end
    }

    /// Whether the blocks are believed at the end of the file or before another epoch, because the
    /// log did not return to the time before them.
    pub(super) const fn is_end(&self) -> bool {
        self.placed == 0 && (self.continues.is_some() || self.blocks.len() >= FEW)
    }
}
