//! Reads a modem log while it is being written, and reports bursts as they end (methods G4).
//!
//! One thread reads ([`reader`]); the calling thread does the rest: records -> [`Order`] ->
//! [`follower`] of their user -> bursts by BurstTracker's rule, with the moving average over the last five. Times
//! are those of the log. While the log is silent, the caller reports how much time has passed.

mod burst;
mod follower;
mod once;
mod reader;
mod state;
mod totals;

use std::collections::BTreeMap;
use std::time::Duration as Wait;

use airmile_radio::{LogTime, Order};
use airmile_read::modem::{Record, Tti, User};
use airmile_types::{Duration, Parameters};

use crate::error::Error;
use crate::manifest::ModemInput;
use crate::modem::{cell_prbs, order_report};
use crate::options::Options;
use burst::LiveBurst;
use follower::Follower;
use reader::{Piece, Reader};

pub use state::{Batch, State};
use totals::Totals;

/// The greatest number of users. A sniffer sees thousands of RNTIs; beyond this number, the user
/// who was not scheduled for longest is dropped.
const MOST_USERS: usize = 1024;

/// The greatest number of pieces taken at a time, so that a fast log does not delay the report of
/// its bursts.
const MOST_PIECES: usize = 1024;

/// A modem log that is being followed.
pub struct Live {
    reader: Reader,
    parameters: Parameters,
    totals: Totals,
    order: Order,
    users: BTreeMap<User, Follower>,
    time: LogTime,
    /// The number of late blocks of users who are not followed any more.
    late: u64,
    over: bool,
}

impl Live {
    /// Begins to follow the log at a path, or at `-`. [`Self::take`] reports a log that cannot be
    /// opened, because a pipe opens only when its writer does.
    ///
    /// # Errors
    /// Fails for a cell bandwidth that is not understood, and when no thread can be started.
    pub fn open(path: &str, options: &Options) -> Result<Self, Error> {
        Ok(Self {
            totals: Totals::new(cell_prbs(&options.cell_prbs)?),
            reader: Reader::begin(path)?,
            parameters: options.parameters.clone(),
            order: Order::default(),
            users: BTreeMap::new(),
            time: LogTime::default(),
            late: 0,
            over: false,
        })
    }

    /// Waits for the next piece of the log, and returns the bursts that ended; `None` when the log
    /// has ended. `silent` is how long, by the caller's clock, nothing has come: in that time
    /// nothing was scheduled.
    ///
    /// # Errors
    /// Fails when the log cannot be opened.
    pub fn take(&mut self, wait: Wait, silent: Duration) -> Result<Option<Batch>, Error> {
        if self.over {
            return Ok(None);
        }
        let mut bursts = Vec::new();
        for piece in self.reader.take(wait, MOST_PIECES) {
            match piece {
                Piece::Records(records, newest) => {
                    self.feed(records, &mut bursts);
                    newest.into_iter().for_each(|time| self.time.heard(time));
                }
                Piece::Failed(error) => return Err(error),
                Piece::Over => self.over = true,
            }
        }
        self.over |= self.reader.gone();
        if self.over {
            self.order.end();
            self.placed(&mut bursts);
        }
        self.pass(silent, &mut bursts);
        let state = self.state();
        if self.over {
            self.finish(&mut bursts);
        }
        Ok(Some(Batch { bursts, state }))
    }

    /// The entry of the log so far; `None` before the log is open.
    pub fn report(&self) -> Option<ModemInput> {
        let mut report = self.reader.report()?;
        order_report::add(&mut report.notes, &self.order.unplaced());
        order_report::add_late(&mut report.notes, self.late());
        Some(ModemInput::new(&report))
    }

    fn feed(&mut self, records: Vec<Record>, bursts: &mut Vec<LiveBurst>) {
        for record in records {
            match record {
                Record::Tti(tti) => {
                    self.order.push(tti);
                    self.placed(bursts);
                }
                Record::CellInfo(info) => self.totals.add(&info),
                _ => {}
            }
        }
    }

    /// Takes the blocks that have their place now.
    fn placed(&mut self, bursts: &mut Vec<LiveBurst>) {
        for tti in self.order.take() {
            self.time.placed(tti.time);
            self.allocation(&tti, bursts);
        }
    }

    fn allocation(&mut self, tti: &Tti, bursts: &mut Vec<LiveBurst>) {
        if !follower::counts(tti) {
            return;
        }
        self.totals.seen(tti);
        if !self.users.contains_key(&tti.user) {
            self.make_room(bursts);
        }
        let follower =
            self.users.entry(tti.user).or_insert_with(|| Follower::new(tti.user, &self.parameters));
        follower.push(tti, &self.totals, bursts);
    }

    fn make_room(&mut self, bursts: &mut Vec<LiveBurst>) {
        if self.users.len() < MOST_USERS {
            return;
        }
        let silent = self.users.iter().min_by_key(|(_, user)| user.newest()).map(|(user, _)| *user);
        if let Some((user, follower)) = silent.and_then(|user| self.users.remove_entry(&user)) {
            self.end(follower, bursts);
            self.totals.forget(user);
        }
    }

    /// Advances the time, by the log's messages or by its silence.
    fn pass(&mut self, silent: Duration, bursts: &mut Vec<LiveBurst>) {
        let Some(now) = self.time.newest().map(|newest| newest + silent) else { return };
        for follower in self.users.values_mut() {
            follower.passed(now, &self.totals, bursts);
        }
    }

    fn finish(&mut self, bursts: &mut Vec<LiveBurst>) {
        for (_, follower) in std::mem::take(&mut self.users) {
            self.end(follower, bursts);
        }
    }

    fn end(&mut self, follower: Follower, bursts: &mut Vec<LiveBurst>) {
        self.late += follower.late();
        follower.finish(&self.totals, bursts);
    }

    /// The number of blocks that came too late to be counted.
    fn late(&self) -> u64 {
        self.late + self.users.values().map(Follower::late).sum::<u64>()
    }

    fn state(&self) -> State {
        let report = self.reader.report();
        let users = self.users.values();
        let mut state = State::of(report.as_ref(), users, self.time.newest(), self.totals.unsure());
        state.add(&self.order.unplaced(), self.late());
        state
    }
}

#[cfg(test)]
mod tests;
