//! Modem logs: read, brought to one list of allocations, and written as tables.
//!
//! logs -> [`load`] -> records of every format -> [`merge`] (one row per transport block, whatever
//! messages told of it) -> [`PrbTotals`] -> [`UserLog`] (milliseconds and bursts) -> rows.

mod assumption;
mod load;
mod merge;
mod prbs;
mod report;
mod rows;
mod user;

use std::ops::ControlFlow;

use airmile_analyze::{BufferStatusRow, CellRow, EventTable, Output, TableInfo, TtiRow};
use airmile_types::Instant;

use crate::batches::Batches;
use crate::error::Error;
use crate::options::Options;
use crate::writer::DatasetWriter;

pub use assumption::AssumptionReport;
use load::{RadioLog, load};
pub(crate) use prbs::CellPrbs;
use prbs::PrbTotals;
pub use report::{ModemInput, PrbTotal, UserReport};
use rows::RadioRows;
use user::UserLog;

/// The modem logs of a run.
pub(crate) struct Radio {
    log: RadioLog,
    totals: PrbTotals,
    users: Vec<UserLog>,
}

impl Radio {
    /// Reads the logs and finds the bursts of every user; `go_on` is asked now and then with the
    /// bytes read so far.
    ///
    /// # Errors
    /// A PRB total that is not understood, or no log that can be read.
    pub(crate) fn load(
        options: &Options,
        go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<Self, Error> {
        let given = CellPrbs::read(&options.cell_prbs)?;
        let log = load(&options.modem, go_on)?;
        let totals = PrbTotals::new(given, &log);
        let users = UserLog::all(&log, &totals, &options.parameters, options.compat_online);
        Ok(Self { log, totals, users })
    }

    /// Writes every table.
    ///
    /// # Errors
    /// A row that cannot be written, as on a full disk.
    pub(crate) fn write(
        &self,
        writer: &mut DatasetWriter,
        tables: &[TableInfo],
    ) -> Result<(), Error> {
        let clock = |_, time: Instant| time;
        let rows = RadioRows { log: &self.log, totals: &self.totals, clock: &clock };
        let mut out = Tables { batches: Batches::new(tables)?, writer };
        out.put::<TtiRow>(rows.ttis())?;
        for user in &self.users {
            out.put(user.rows(&|time| clock(user.user, time)).into_iter())?;
        }
        out.put::<CellRow>(rows.cells())?;
        out.put::<BufferStatusRow>(rows.buffers())?;
        out.close()
    }

    /// What became of each log.
    pub(crate) fn inputs(&self) -> Vec<ModemInput> {
        self.log.inputs.clone()
    }

    /// What each user's allocations add up to.
    pub(crate) fn reports(&self) -> Vec<UserReport> {
        self.users.iter().map(|user| UserReport::new(user, &self.log, &self.totals)).collect()
    }
}

/// Rows on their way to the parts of a dataset.
struct Tables<'a> {
    batches: Batches,
    writer: &'a mut DatasetWriter,
}

/// Rows made before they are handed over: they are all in memory as records already.
const STRIDE: usize = 1024;

impl Tables<'_> {
    fn put<T: EventTable>(&mut self, rows: impl Iterator<Item = T>) -> Result<(), Error> {
        let mut some = Vec::with_capacity(STRIDE);
        for row in rows {
            some.push(row);
            if some.len() == STRIDE {
                self.batches.rows(&mut some);
                self.write()?;
            }
        }
        self.batches.rows(&mut some);
        self.write()
    }

    fn write(&mut self) -> Result<(), Error> {
        self.batches.take_ready()?.iter().try_for_each(|ready| self.writer.write(ready))
    }

    fn close(mut self) -> Result<(), Error> {
        self.batches.close();
        self.write()
    }
}
