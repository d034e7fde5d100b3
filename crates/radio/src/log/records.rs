//! Keeps the records of modem logs, in one list for each kind.

use airmile_read::modem::{BufferStatus, CellInfo, CellMeasurement, Record, RrcEvent, Tti};

use super::merge::merge;

/// The records of all modem logs of a run.
#[derive(Clone, Debug, Default)]
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
}

impl RadioLog {
    /// Appends a record to the list of its kind.
    pub fn take(&mut self, record: Record) {
        match record {
            Record::Tti(tti) => self.ttis.push(tti),
            Record::CellInfo(info) => self.infos.push(info),
            Record::Cell(cell) => self.cells.push(cell),
            Record::Rrc(event) => self.rrc.push(event),
            Record::Buffer(buffer) => self.buffers.push(buffer),
        }
    }

    /// Sorts each list by time. With `online`, also keeps the rows in the order of the logs, for
    /// the published program.
    pub fn sort(&mut self, online: bool) {
        self.infos.sort_by_key(|info| info.time);
        self.cells.sort_by_key(|cell| cell.time);
        self.buffers.sort_by_key(|buffer| buffer.time);
        if online {
            self.in_log_order.clone_from(&self.ttis);
        }
        merge(&mut self.ttis);
    }
}
