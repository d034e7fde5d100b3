//! Decides in which order the blocks of a log were on the air, and when (methods G10).
//!
//! Input: blocks in the order of the log, with the stamp and the counter that the log or its reader
//! gives. Output: blocks whose numbers ([`Tti::tti`]) count milliseconds without wrapping, go on at
//! a change of the cell, and go on by the time from one epoch to the next. Stamps go on too, so that
//! neither goes back. Blocks that fit nothing, and copies, are counted. `airmile radio`, `airmile
//! analyze --modem` and `airmile live` all take their blocks from here.
//!
//! Bias: a file is read once, from the front, so that a stretch of fewer than 3 blocks between
//! others is taken for damaged, whatever it is.

mod copies;
mod epoch;
mod lane;
mod phase;
mod run;
mod sequence;
#[cfg(test)]
mod tests;
mod times;

use std::collections::BTreeMap;

use airmile_read::modem::{Tti, User};
use airmile_types::Duration;

use copies::Copies;
use epoch::Epoch;
use lane::{Lane, Placed};
use phase::FRAMES_MS;
use sequence::Shift;
pub use times::{LogTime, Times};

/// The greatest number of blocks among which copies are looked for while a log is being written; a
/// second of four blocks in each millisecond, ten times.
const MOST_LIVE: usize = 40_000;

/// What was found beside the blocks that were placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unplaced {
    /// The number of blocks whose stamp and counter fit no other block.
    pub stray: u64,
    /// The number of blocks that were there before.
    pub copies: u64,
    /// How many times the clock was set back while the counter went on.
    pub set_back: u64,
    /// The number of epochs that began; one is usual.
    pub epochs: u64,
    /// The number of these whose stamps are those of other epochs too, so that they were placed behind.
    pub moved: u64,
    /// The stamps of stray blocks.
    pub stray_times: Times,
    /// The stamps of the blocks that were placed.
    pub times: Times,
}

/// Orders the blocks of logs.
#[derive(Debug, Default)]
pub struct Order {
    lanes: BTreeMap<Origin, (Lane, Lined)>,
}

/// What has one origin of counters and stamps: the log of a phone's subscription, or the log of a
/// program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Modem(User),
    Program(&'static str),
}

/// The blocks of a lane that were placed.
#[derive(Debug, Default)]
struct Lined {
    blocks: Vec<Placed>,
    copies: Copies,
    number_of_copies: u64,
    /// The blocks before this one are known to be no copies.
    checked: usize,
    /// The shifts of the epochs of a log that is being written.
    shifts: Vec<Shift>,
}

/// Orders the blocks of one log that was read to its end.
pub fn ordered(ttis: impl IntoIterator<Item = Tti>) -> Vec<Tti> {
    let mut order = Order::default();
    ttis.into_iter().for_each(|tti| order.push(tti));
    order.end_log();
    order.finish()
}

impl Order {
    /// Takes the next block of a log.
    pub fn push(&mut self, tti: Tti) {
        let origin = Origin::of(&tti);
        let (lane, lined) =
            self.lanes.entry(origin).or_insert_with(|| (origin.lane(), Lined::default()));
        lane.push(tti, &mut lined.blocks);
        lined.leave_out_copies(&lane.epochs);
    }

    /// The number of blocks that were placed.
    pub(crate) fn len(&self) -> usize {
        self.lanes.values().map(|(_, lined)| lined.blocks.len()).sum()
    }

    /// Places the blocks that wait, because the log has ended.
    pub fn end(&mut self) {
        for (lane, lined) in self.lanes.values_mut() {
            lane.end(&mut lined.blocks);
            lined.leave_out_copies(&lane.epochs);
        }
    }

    /// Ends a log, and returns what was found in it beside the blocks that were placed. What comes
    /// next has counters of its own.
    pub fn end_log(&mut self) -> Unplaced {
        self.end();
        let found = self.unplaced();
        for (lane, lined) in self.lanes.values_mut() {
            lane.begin_file();
            lined.number_of_copies = 0;
        }
        found
    }

    /// What was found in the current log so far beside the blocks that were placed.
    pub fn unplaced(&self) -> Unplaced {
        let mut sum = Unplaced::default();
        for (lane, lined) in self.lanes.values() {
            sum.stray += lane.seen.stray;
            sum.copies += lined.number_of_copies;
            sum.set_back += lane.seen.set_back;
            let (epochs, moved) = lane.new_epochs();
            sum.epochs += epochs;
            sum.moved += moved;
            sum.stray_times.add(lane.seen.stray_times);
            sum.times.add(lane.seen.times);
        }
        sum
    }

    /// The blocks of all logs, in the order of their origins, epochs and milliseconds.
    pub fn finish(self) -> Vec<Tti> {
        let mut all = Vec::new();
        for (lane, lined) in self.lanes.into_values() {
            let shifts = sequence::in_time_order(&lane.epochs);
            let from = all.len();
            all.extend(lined.blocks.into_iter().map(|block| shifted(block, &shifts)));
            if let Some(own) = all.get_mut(from..) {
                own.sort_by_key(|tti: &Tti| tti.tti);
            }
        }
        all
    }

    /// The blocks that were placed since the last call, for a log that is being written. Epochs
    /// follow each other as they come.
    pub fn take(&mut self) -> Vec<Tti> {
        let mut all = Vec::new();
        for (lane, lined) in self.lanes.values_mut() {
            while let Some(shift) = sequence::as_it_comes(&lane.epochs, &lined.shifts) {
                lined.shifts.push(shift);
            }
            lined.checked = 0;
            let blocks = std::mem::take(&mut lined.blocks).into_iter();
            all.extend(blocks.map(|block| shifted(block, &lined.shifts)));
            if lined.copies.len() > MOST_LIVE {
                lined.copies = Copies::default();
            }
        }
        all
    }
}

impl Origin {
    /// Messages of modems are named by their code, the tables of programs by the program.
    fn of(tti: &Tti) -> Self {
        if tti.source.starts_with("0x") { Self::Modem(tti.user) } else { Self::Program(tti.source) }
    }

    fn lane(self) -> Lane {
        match self {
            Self::Modem(_) => Lane::new(Some(FRAMES_MS), true),
            // The emulator's counter wraps where a program that imitates it lets it wrap.
            Self::Program("emulator" | "ns3") => Lane::new(None, false),
            Self::Program(_) => Lane::new(Some(FRAMES_MS), false),
        }
    }
}

impl Lined {
    /// Removes the copies among the newest blocks.
    fn leave_out_copies(&mut self, epochs: &[Epoch]) {
        let Self { blocks, copies, number_of_copies, checked, .. } = self;
        let mut kept = *checked;
        for at in *checked..blocks.len() {
            let Some((tti, epoch)) = blocks.get(at) else { break };
            if copies.is_copy(tti, origin(*epoch, tti.tti, epochs)) {
                *number_of_copies += 1;
            } else {
                blocks.swap(kept, at);
                kept += 1;
            }
        }
        blocks.truncate(kept);
        *checked = kept;
    }
}

/// The epoch in which a millisecond was first numbered, and its number there: files that were given
/// in the wrong order have one epoch, but the blocks before were numbered in another.
fn origin(mut at: usize, mut ms: i64, epochs: &[Epoch]) -> (usize, i64) {
    while let Some(before) = epochs.get(at).and_then(|epoch| epoch.beginning(ms, epochs)) {
        (at, ms) = before;
    }
    (at, ms)
}

/// A block with its number and its time among all epochs.
fn shifted((tti, epoch): Placed, shifts: &[Shift]) -> Tti {
    let Some(shift) = shifts.get(epoch) else { return tti };
    Tti {
        epoch: shift.epoch,
        tti: tti.tti.saturating_add(shift.ms),
        time: tti.time + Duration::from_nanos(shift.us.saturating_mul(1000)),
        ..tti
    }
}
