//! The records of modem logs, one list of each kind.

use airmile_read::modem::{BufferStatus, CellInfo, CellMeasurement, Record, RrcEvent, Tti};

use super::merge::merge;

/// The records of the modem logs of a run.
#[derive(Clone, Debug, Default)]
pub struct RadioLog {
    /// One row per transport block, by time.
    pub ttis: Vec<Tti>,
    /// All rows of every source in the order of the logs, which `--compat online` reads; empty
    /// where that was not requested.
    pub in_log_order: Vec<Tti>,
    /// What cells announce about themselves.
    pub infos: Vec<CellInfo>,
    /// Measurements of cells.
    pub cells: Vec<CellMeasurement>,
    /// Steps of RRC in the order of the log. A completed step may have an earlier time than its
    /// command.
    pub rrc: Vec<RrcEvent>,
    /// Reports of how much data waits in the phone.
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

    /// Sorts each list by time. Keeps the order of the logs where `online` requests it for the
    /// published program.
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
