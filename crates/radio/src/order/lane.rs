//! Places the blocks of one lane: those whose counters and stamps have one origin.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use airmile_read::modem::{Tti, User};

use super::epoch::{Epoch, Place};
use super::phase::{Counter, stamp};
use super::run::{Run, Waiting};
use super::sequence;
use super::times::Times;

/// The greatest number of runs that wait; the oldest is given up first.
const MOST_RUNS: usize = 8;
/// The number of epochs, the newest ones and those about its time, in which a block is looked for.
const LOOKED_THROUGH: usize = 64;
/// How far before its epoch a block may be, in microseconds.
const BEFORE: i64 = 10_000_000;
/// How long a phone may be silent at the beginning of a file, in milliseconds.
const SILENT_MS: i64 = 300_000;
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
    /// How many epochs there were when the file began.
    epochs_before: usize,
    counter: Counter,
    /// The epoch of the newest block; `None` at the beginning of a file.
    current: Option<usize>,
    /// The epochs by their earliest stamps, without those that are the beginning of another one.
    by_time: BTreeSet<(i64, usize)>,
    /// The epoch that began last, and the one that comes next after it in time.
    meeting: Option<(usize, (i64, usize))>,
    runs: Vec<Run>,
    cells: BTreeMap<User, u16>,
    known_cells: BTreeSet<u16>,
    pub(super) seen: Seen,
}

impl Lane {
    /// A lane whose counters have a period, if it is known, and whose stamps are perhaps derived
    /// from packets.
    pub(super) fn new(period: Option<i64>, derived: bool) -> Self {
        Self {
            epochs: Vec::new(),
            epochs_before: 0,
            counter: Counter { period, derived, largest: i64::MIN },
            current: None,
            by_time: BTreeSet::new(),
            meeting: None,
            runs: Vec::new(),
            cells: BTreeMap::new(),
            known_cells: BTreeSet::new(),
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
        let nothing = self.current.is_none();
        for run in std::mem::take(&mut self.runs) {
            // If nothing is known of the file, nothing contradicts a lone block.
            if nothing { self.believe(run, out) } else { self.decide(run, out) }
        }
        (self.current, self.meeting, self.counter.largest) = (None, None, i64::MIN);
        self.epochs.iter_mut().for_each(|epoch| epoch.is_over = true);
    }

    /// The epochs of the file, and how many of them have to be moved because others are of the same
    /// time.
    pub(super) fn new_epochs(&self) -> (u64, u64) {
        let corrections = sequence::corrections(&self.epochs).into_iter();
        let new = self.epochs.iter().zip(corrections).skip(self.epochs_before);
        let alone = new.filter(|(epoch, _)| epoch.united.is_none());
        alone.fold((0, 0), |(all, moved), (_, us)| (all + 1, moved + u64::from(us != 0)))
    }

    /// Lets the next file begin.
    pub(super) fn begin_file(&mut self) {
        self.epochs_before = self.epochs.len();
        self.seen = Seen::default();
    }

    /// Whether the phone has changed its cell before a block, or is the first one in a cell.
    fn moves(&mut self, tti: &Tti) -> bool {
        let Some(cell) = tti.cell.filter(|_| tti.carrier == 0) else { return false };
        let is_new = self.known_cells.insert(cell) && self.known_cells.len() > 1;
        self.cells.insert(tti.user, cell).map_or(is_new, |before| before != cell)
    }

    fn place(&mut self, mut block: Waiting, out: &mut Vec<Placed>) {
        if let Some((at, place)) = self.find(&block) {
            let (at, place) = self.meet(at, &block.tti).unwrap_or((at, place));
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
        let before = (stamp(&block.tti).saturating_add(BEFORE), usize::MAX);
        let of_its_time = self.by_time.range(..before).rev().map(|(_, at)| *at);
        let newest = (0..self.epochs.len()).rev().take(LOOKED_THROUGH);
        let others = of_its_time.take(LOOKED_THROUGH).chain(newest);
        let all = self.current.into_iter().chain(others.filter(|at| Some(*at) != self.current));
        all.filter_map(|at| Some((at, self.epochs.get(at)?))).find_map(|(at, epoch)| {
            if epoch.united.is_some() {
                return None;
            }
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
        let at = self.join(block, out);
        self.others(Some(at));
        let first = self.current.is_none();
        // The run may have moved to the left.
        let proof = self.runs.iter().position(|run| run.is_proof(first));
        if let Some(at) = proof {
            let run = self.runs.remove(at);
            let before: Vec<Run> = self.runs.drain(..at).collect();
            for earlier in before {
                if earlier.is_ahead_of(&run) {
                    self.seen.give_up(&earlier.blocks);
                } else {
                    self.decide(earlier, out);
                }
            }
            self.believe(run, out);
        }
    }

    /// Adds a block to a run, or begins one; returns its number.
    fn join(&mut self, block: Waiting, out: &mut Vec<Placed>) -> usize {
        let continues = self.current.filter(|at| self.agrees(*at, &block));
        // Nothing contradicts a silence at the beginning of a file, or within an epoch.
        let silent_ms = match (self.current, continues) {
            (None, _) => SILENT_MS,
            (Some(_), Some(_)) => i64::MAX,
            (Some(_), None) => 0,
        };
        for (at, run) in self.runs.iter_mut().enumerate() {
            let most_ms = if run.continues == continues { silent_ms } else { 0 };
            let near = run.place(&block, &self.counter);
            if let Some(place) = near.or_else(|| run.later(&block, &self.counter, most_ms)) {
                run.take(block, place);
                return at;
            }
            if block.moved && run.hand_over(&block) {
                return at;
            }
        }
        if self.runs.len() >= MOST_RUNS {
            let oldest = self.runs.remove(0);
            self.decide(oldest, out);
        }
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
        let known = known.or_else(|| self.beside(&first.tti));
        let at = known.unwrap_or_else(|| self.begin(&first.tti));
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

    /// Begins an epoch; returns its number.
    fn begin(&mut self, tti: &Tti) -> usize {
        let (at, begin) = (self.epochs.len(), (stamp(tti), self.epochs.len()));
        self.meeting = self.by_time.range(begin..).next().map(|next| (at, *next));
        self.by_time.insert(begin);
        self.epochs.push(Epoch::new(tti));
        at
    }

    /// The epoch of another file and of the same time, if that file is of other cells.
    fn beside(&mut self, tti: &Tti) -> Option<usize> {
        let before = self.by_time.range(..(stamp(tti), usize::MAX)).next_back();
        let at = before.map(|(_, at)| *at)?;
        let epoch = self.epochs.get_mut(at)?;
        let is_beside = epoch.is_over && epoch.holds(stamp(tti));
        (is_beside && epoch.count_beside(tti)).then_some(at)
    }

    /// Unites the epoch that began last with one of another file whose beginning it has reached, if
    /// their counters agree. Returns where the block is then.
    fn meet(&mut self, at: usize, tti: &Tti) -> Option<(usize, Place)> {
        let (_, next) = self.meeting.filter(|(own, next)| *own == at && stamp(tti) >= next.0)?;
        self.meeting = self.by_time.range(next..).nth(1).map(|next| (at, *next));
        let [earlier, later] = self.epochs.get_disjoint_mut([at, next.1]).ok()?;
        if !later.is_over {
            return None;
        }
        let here = earlier.find(tti, &self.counter, false)?;
        let beside = later.find(tti, &self.counter, false);
        let there = match beside {
            None if later.count_beside(tti) => later.find(tti, &self.counter, false)?,
            found => found?,
        };
        let ahead = there.fit.ms.saturating_sub(here.fit.ms);
        if !later.unite(at, earlier, ahead) {
            return None;
        }
        earlier.united = Some((next.1, ahead));
        self.by_time.remove(&(earlier.listed, at));
        self.by_time.remove(&next);
        later.listed = later.begin;
        self.by_time.insert((later.listed, next.1));
        self.meeting = None;
        Some((next.1, there))
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
