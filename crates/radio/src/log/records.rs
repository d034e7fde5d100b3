//! Keeps the records of modem logs, in one list for each kind.

use std::collections::HashMap;

use airmile_read::modem::{
    BufferStatus, CellInfo, CellMeasurement, Record, RrcEvent, Subframe, Tti,
};
use airmile_types::Instant;

use super::merge::merge;
use crate::order::{Order, Unplaced};

/// The memory of an allocation with what is computed from it, in bytes (measured).
const TTI_BYTES: usize = 320;

/// The records of all modem logs of a run.
#[derive(Debug, Default)]
pub struct RadioLog {
    /// One row per transport block, in the order of time.
    pub ttis: Vec<Tti>,
    /// All rows of all sources in the order of the logs, which `--compat online` reads; empty if
    /// that was not requested.
    pub in_log_order: Vec<Tti>,
    /// The properties that cells announce.
    pub infos: Vec<CellInfo>,
    /// Measurements of cells.
    pub cells: Vec<CellMeasurement>,
    /// RRC procedures in the order of the log. The completion of a procedure may have an earlier
    /// time than its command.
    pub rrc: Vec<RrcEvent>,
    /// Reports of the amount of data that waits in the phone.
    pub buffers: Vec<BufferStatus>,
    pub(super) order: Order,
    /// The lengths of the other lists when the current log began.
    pub(super) before: Lengths,
}

/// The lengths of lists of records.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lengths {
    infos: usize,
    cells: usize,
    rrc: usize,
    buffers: usize,
}

impl RadioLog {
    /// Appends a record of the current log to the list of its kind.
    pub fn take(&mut self, record: Record) {
        match record {
            Record::Tti(tti) => self.ttis.push(tti),
            Record::CellInfo(info) => self.infos.push(info),
            Record::Cell(cell) => self.cells.push(cell),
            Record::Rrc(event) => self.rrc.push(event),
            Record::Buffer(buffer) => self.buffers.push(buffer),
        }
    }

    /// The memory of the records with what is computed from them, in bytes.
    pub fn held_bytes(&self) -> u64 {
        let ttis = self.ttis.len() + self.in_log_order.len() + self.order.len();
        let others = self.infos.len() * size_of::<CellInfo>()
            + self.cells.len() * size_of::<CellMeasurement>()
            + self.rrc.len() * size_of::<RrcEvent>()
            + self.buffers.len() * size_of::<BufferStatus>();
        // A list that grows has up to twice the capacity that it needs.
        (ttis * TTI_BYTES + 2 * others) as u64
    }

    /// The records of the current log that are about a subframe.
    pub fn subframes(&mut self) -> impl Iterator<Item = Subframe<'_>> {
        let buffers = self.buffers.iter_mut().skip(self.before.buffers);
        self.ttis.iter_mut().map(Tti::subframe).chain(buffers.filter_map(BufferStatus::subframe))
    }

    /// Ends the current log, puts its blocks in order, and returns what was found beside them. With
    /// `online`, also keeps the rows in the order of the logs, for the published program.
    pub fn end_log(&mut self, online: bool) -> Unplaced {
        if online {
            self.in_log_order.extend_from_slice(&self.ttis);
        }
        self.ttis.drain(..).for_each(|tti| self.order.push(tti));
        let found = self.order.end_log();
        Unplaced { copies: found.copies + self.leave_out_copies(), ..found }
    }

    /// Removes the records of the current log that an earlier log had too; returns their number.
    fn leave_out_copies(&mut self) -> u64 {
        let Lengths { infos, cells, rrc, buffers } = self.before;
        let copies = leave_out(&mut self.infos, infos, |info| info.time)
            + leave_out(&mut self.cells, cells, |cell| cell.time)
            + leave_out(&mut self.rrc, rrc, |event| event.time)
            + leave_out(&mut self.buffers, buffers, |buffer| buffer.time);
        self.before = Lengths {
            infos: self.infos.len(),
            cells: self.cells.len(),
            rrc: self.rrc.len(),
            buffers: self.buffers.len(),
        };
        copies
    }

    /// Sorts each list by time, after the last log.
    pub fn sort(&mut self) {
        self.infos.sort_by_key(|info| info.time);
        self.cells.sort_by_key(|cell| cell.time);
        self.buffers.sort_by_key(|buffer| buffer.time);
        self.ttis = std::mem::take(&mut self.order).finish();
        merge(&mut self.ttis);
    }
}

/// Removes those records from `before` on that equal an earlier one; returns their number.
fn leave_out<T: PartialEq>(all: &mut Vec<T>, before: usize, time: fn(&T) -> Instant) -> u64 {
    let new = all.split_off(before.min(all.len()));
    let mut known: HashMap<Instant, Vec<usize>> = HashMap::new();
    for (at, record) in all.iter().enumerate() {
        known.entry(time(record)).or_default().push(at);
    }
    let count = new.len();
    let is_known = |record: &T| {
        let same_time = known.get(&time(record)).into_iter().flatten();
        same_time.filter_map(|at| all.get(*at)).any(|earlier| earlier == record)
    };
    let new: Vec<T> = new.into_iter().filter(|record| !is_known(record)).collect();
    let copies = count - new.len();
    all.extend(new);
    copies as u64
}

#[cfg(test)]
mod tests {
    use airmile_read::modem::{RrcStep, User};

    use super::*;

    const fn event(s: i64, cell: u16) -> Record {
        Record::Rrc(RrcEvent {
            time: Instant::from_nanos(s * 1_000_000_000),
            user: User(0),
            step: RrcStep::Complete,
            cell: Some(cell),
            earfcn: None,
            target_cell: None,
            target_earfcn: None,
            nr: false,
        })
    }

    #[test]
    fn records_of_every_kind_take_memory() {
        let mut log = RadioLog::default();
        assert_eq!(log.held_bytes(), 0);
        log.take(event(1, 7));
        let events = log.held_bytes();
        assert!(events >= size_of::<RrcEvent>() as u64);
        for ms in 0..10 {
            let time = Instant::from_nanos(ms * 1_000_000);
            log.take(Record::Tti(Tti::plain(time, ms, User(0), "a test")));
        }
        let reading = log.held_bytes();
        assert!(reading > events);
        log.end_log(false);
        assert_eq!(log.held_bytes(), reading, "what was placed counts too");
    }

    #[test]
    fn what_a_second_log_repeats_counts_once() {
        let mut log = RadioLog::default();
        [event(1, 7), event(1, 7), event(2, 8)].into_iter().for_each(|record| log.take(record));
        assert_eq!(log.end_log(false).copies, 0, "a log may say the same twice");
        [event(2, 8), event(2, 9), event(3, 8)].into_iter().for_each(|record| log.take(record));
        assert_eq!((log.end_log(false).copies, log.rrc.len()), (1, 5));
    }
}
