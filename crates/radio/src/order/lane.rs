//! Places the blocks of one lane: those whose counters and stamps have one origin.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use airmile_read::modem::{Tti, User};

use super::epoch::{Epoch, Place};
use super::phase::{Counter, stamp};
use super::run::{Run, Waiting};
use super::times::Times;

/// The greatest number of runs that wait; the oldest is given up first.
const MOST_RUNS: usize = 8;
/// The number of epochs, the newest ones, in which a late block is looked for.
const LOOKED_THROUGH: usize = 64;
/// How far a counter may have gone on while its clock was set back, in milliseconds. Disorder may
/// make it seem to have gone back a little.
const GONE_ON: RangeInclusive<i64> = -50..=1000;
/// A stamp earlier than the newest one by more than this, in microseconds, shows that the clock was
/// set back.
const SET_BACK: i64 = 350_000;

/// A block that was placed: its number in an epoch, and the epoch.
pub(super) type Placed = (Tti, usize);

/// What happened to blocks that were not placed, and to clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) stray: u64,
    pub(super) set_back: u64,
    /// The stamps of stray blocks, and of those that were placed.
    pub(super) stray_times: Times,
    pub(super) times: Times,
}

impl Seen {
    /// Counts blocks that fit nothing.
    fn give_up(&mut self, blocks: &[Waiting]) {
        self.stray += blocks.len() as u64;
        blocks.iter().for_each(|block| self.stray_times.saw(block.tti.time));
    }
}

/// The blocks of a lane.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) epochs: Vec<Epoch>,
    counter: Counter,
    /// The epoch of the newest block; `None` at the beginning of a file.
    current: Option<usize>,
    runs: Vec<Run>,
    cells: BTreeMap<User, u16>,
    pub(super) seen: Seen,
}

impl Lane {
    /// A lane whose counters have a period, if it is known, and whose stamps are perhaps derived
    /// from packets.
    pub(super) fn new(period: Option<i64>, derived: bool) -> Self {
        Self {
            epochs: Vec::new(),
            counter: Counter { period, derived, largest: i64::MIN },
            current: None,
            runs: Vec::new(),
            cells: BTreeMap::new(),
            seen: Seen::default(),
        }
    }

    /// Takes the next block of the log, and appends those that are placed now to `out`.
    pub(super) fn push(&mut self, tti: Tti, out: &mut Vec<Placed>) {
        let moved = self.moves(&tti);
        self.place(Waiting { tti, moved }, out);
    }

    /// Ends the file: what waits is placed or given up, and the next file has counters of its own.
    pub(super) fn end(&mut self, out: &mut Vec<Placed>) {
        let nothing = self.epochs.is_empty();
        for run in std::mem::take(&mut self.runs) {
            // If nothing is known, nothing contradicts a lone block.
            if nothing { self.believe(run, out) } else { self.decide(run, out) }
        }
        self.current = None;
        self.epochs.iter_mut().for_each(|epoch| epoch.is_over = true);
    }

    /// Whether the phone has changed its cell before a block.
    fn moves(&mut self, tti: &Tti) -> bool {
        let Some(cell) = tti.cell.filter(|_| tti.carrier == 0) else { return false };
        self.cells.insert(tti.user, cell).is_some_and(|before| before != cell)
    }

    fn place(&mut self, mut block: Waiting, out: &mut Vec<Placed>) {
        if let Some((at, place)) = self.find(&block) {
            let Some(epoch) = self.epochs.get_mut(at) else { return };
            self.counter.period = self.counter.period.or(place.fit.period);
            self.counter.largest = self.counter.largest.max(block.tti.tti);
            self.seen.times.saw(block.tti.time);
            epoch.take(&mut block.tti, place);
            self.placed(block.tti, at, out);
        } else if let Some(at) = self.hand_over(&mut block) {
            self.placed(block.tti, at, out);
        } else {
            self.wait(block, out);
        }
    }

    fn placed(&mut self, tti: Tti, at: usize, out: &mut Vec<Placed>) {
        if let Some(epoch) = self.epochs.get_mut(at) {
            epoch.is_over = false;
        }
        self.current = Some(at);
        out.push((tti, at));
        self.others(None);
    }

    /// The epoch in which a block has its place, the current one first.
    fn find(&self, block: &Waiting) -> Option<(usize, Place)> {
        let newest = (0..self.epochs.len()).rev().take(LOOKED_THROUGH);
        let all = self.current.into_iter().chain(newest.filter(|at| Some(*at) != self.current));
        all.filter_map(|at| Some((at, self.epochs.get(at)?))).find_map(|(at, epoch)| {
            let place = epoch.find(&block.tti, &self.counter, block.moved)?;
            epoch.is_near(&place).then_some((at, place))
        })
    }

    fn hand_over(&mut self, block: &mut Waiting) -> Option<usize> {
        let at = self.current.filter(|_| block.moved)?;
        self.epochs.get_mut(at)?.hand_over(&mut block.tti).then_some(at)
    }

    /// Lets a block wait with others that agree with it.
    fn wait(&mut self, block: Waiting, out: &mut Vec<Placed>) {
        let at = self.join(block);
        self.others(Some(at));
        let first = self.current.is_none();
        // The run may have moved to the left.
        let proof = self.runs.iter().position(|run| run.is_proof(first));
        if let Some(at) = proof {
            let run = self.runs.remove(at);
            let before: Vec<Run> = self.runs.drain(..at).collect();
            before.into_iter().for_each(|run| self.decide(run, out));
            self.believe(run, out);
        }
    }

    /// Adds a block to a run, or begins one; returns its number.
    fn join(&mut self, block: Waiting) -> usize {
        for (at, run) in self.runs.iter_mut().enumerate() {
            if let Some(place) = run.place(&block, &self.counter) {
                run.take(block, place);
                return at;
            }
            if block.moved && run.hand_over(&block) {
                return at;
            }
        }
        if self.runs.len() >= MOST_RUNS {
            let oldest = self.runs.remove(0);
            self.seen.give_up(&oldest.blocks);
        }
        let continues = self.current.filter(|at| self.agrees(*at, &block));
        self.runs.push(Run::new(block, continues));
        self.runs.len() - 1
    }

    /// Whether a block that is far from an epoch agrees with its counter.
    fn agrees(&self, at: usize, block: &Waiting) -> bool {
        let epoch = self.epochs.get(at).filter(|epoch| !epoch.is_over);
        epoch.is_some_and(|epoch| epoch.find(&block.tti, &self.counter, block.moved).is_some())
    }

    /// Notes that a block came that is not of the runs except `own`.
    fn others(&mut self, own: Option<usize>) {
        let (mut at, seen) = (0, &mut self.seen);
        self.runs.retain_mut(|run| {
            let keep = Some(at) == own || !run.other(own.is_none());
            at += 1;
            if !keep {
                seen.give_up(&run.blocks);
            }
            keep
        });
    }

    /// Places the blocks of a run that is over, or gives them up.
    fn decide(&mut self, run: Run, out: &mut Vec<Placed>) {
        if run.is_end() {
            self.believe(run, out);
        } else {
            self.seen.give_up(&run.blocks);
        }
    }

    /// Places the blocks of a run.
    fn believe(&mut self, run: Run, out: &mut Vec<Placed>) {
        let Some(first) = run.blocks.first() else { return };
        let known = run.continues.or_else(|| self.step(&first.tti));
        let at = known.unwrap_or_else(|| {
            self.epochs.push(Epoch::new(&first.tti));
            self.epochs.len() - 1
        });
        self.current = Some(at);
        for mut block in run.blocks {
            let Some(epoch) = self.epochs.get_mut(at) else { return };
            match epoch.find(&block.tti, &self.counter, block.moved) {
                Some(place) => {
                    self.counter.period = self.counter.period.or(place.fit.period);
                    self.counter.largest = self.counter.largest.max(block.tti.tti);
                    self.seen.times.saw(block.tti.time);
                    epoch.take(&mut block.tti, place);
                    out.push((block.tti, at));
                }
                None if block.moved && epoch.hand_over(&mut block.tti) => {
                    out.push((block.tti, at));
                }
                None => self.seen.give_up(&[block]),
            }
        }
    }

    /// The current epoch, if its clock was set back before a block and its counter went on.
    fn step(&mut self, tti: &Tti) -> Option<usize> {
        let at = self.current?;
        let epoch = self.epochs.get_mut(at)?;
        let back = epoch.newest_stamp().saturating_sub(stamp(tti)) > SET_BACK;
        let gone_on = epoch.gone_on(tti, self.counter.period).filter(|ms| GONE_ON.contains(ms))?;
        // A counter that wraps goes on by so little in one of eight logs that were joined too.
        let known = self.counter.period.is_none() || epoch.holds(stamp(tti));
        (back && known).then_some(())?;
        epoch.step(tti, epoch.span().1.saturating_add(gone_on));
        self.seen.set_back += 1;
        Some(at)
    }
}
