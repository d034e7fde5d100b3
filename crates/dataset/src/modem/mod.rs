//! Reads modem logs, makes one list of allocations, and writes it as tables.
//!
//! logs -> [`load`] -> [`RadioLog`] -> [`CellBandwidths`] and [`UserLog`], which `airmile-radio`
//! computes from it -> rows.

mod cell_prbs;
mod facts;
mod formats;
mod load;
pub(crate) mod order_report;
mod rows;

use std::ops::ControlFlow;
use std::sync::Arc;

use airmile_analyze::{Output, TableInfo};
use airmile_radio::{
    BufferStatusRow, CellBandwidths, CellRow, HandoverRow, Joined, PhoneRadios, RadioLog, TtiRow,
    UserLog, handovers, join, phone_radios,
};
use airmile_read::Source;
use airmile_read::modem::User;
use airmile_types::{EventTable, Instant};

use crate::error::Error;
use crate::manifest::{ModemInput, PrbTotal, UplinkReport, UserReport};
use crate::options::Options;
use crate::shards::memory::LEAST_BYTES;
use crate::verbs::progress::Progress;
use crate::write::batches::{Batches, Ready};

pub(crate) use cell_prbs::cell_prbs;
use facts::phones;
pub use formats::modem_formats;
use load::{Logs, load};
use rows::RadioRows;

/// The modem logs of a run.
pub(crate) struct Radio {
    log: RadioLog,
    inputs: Vec<ModemInput>,
    totals: CellBandwidths,
    users: Vec<UserLog>,
    /// The result of the join for each user.
    joined: Vec<Joined>,
    evidence: Arc<PhoneRadios>,
}

impl Radio {
    /// Reads the logs, finds the bursts of every user, and joins users with the captures, if there
    /// are any.
    ///
    /// # Errors
    /// Fails for a cell bandwidth that is not understood, when no log can be read, when the logs
    /// leave no memory for captures, and for a capture that cannot be read twice.
    pub(crate) fn load(
        options: &Options,
        captures: &[Source],
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, Error> {
        let given = cell_prbs(&options.cell_prbs)?;
        let at = |bytes| Progress { bytes, ..Progress::default() };
        let most_bytes = match captures {
            [] => u64::MAX,
            _ => options.memory_bytes().saturating_sub(LEAST_BYTES),
        };
        let Logs { log, inputs } = load(options, most_bytes, &mut |bytes| progress(at(bytes)))?;
        let totals = CellBandwidths::new(given, &log);
        let users = UserLog::all(&log, &totals, &options.parameters, options.compat_online);
        let phones = match captures {
            [] => None,
            captures => Some(phones(captures, options, progress)?),
        };
        let joined = join(&users, phones.as_ref());
        let evidence =
            phones.map(|phones| phone_radios(&users, &joined, &log, &phones)).unwrap_or_default();
        Ok(Self { log, inputs, totals, users, joined, evidence: Arc::new(evidence) })
    }

    /// The memory of the logs, in bytes.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.log.held_bytes()
    }

    /// The evidence of the logs for the verdict.
    pub(crate) fn evidence(&self) -> &Arc<PhoneRadios> {
        &self.evidence
    }

    /// Passes the rows of every table to `put`, in batches.
    ///
    /// # Errors
    /// Fails when `put` refuses a batch, for example because the disk is full.
    pub(crate) fn batches(
        &self,
        tables: &[TableInfo],
        put: &mut dyn FnMut(Ready) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let clock = |user, time| self.time(user, time);
        let rows = RadioRows::new(&self.log, &self.totals, &clock);
        let mut out = Tables { batches: Batches::new(tables), put };
        out.put::<TtiRow>(rows.ttis())?;
        for (user, joined) in self.users.iter().zip(&self.joined) {
            let ruled = user.rows(&|time| joined.time(time));
            out.put(ruled.into_iter().chain(joined.bursts.iter().cloned()))?;
        }
        out.put::<CellRow>(rows.cells())?;
        out.put(self.handovers())?;
        out.put::<BufferStatusRow>(rows.buffers())?;
        out.close()
    }

    fn handovers(&self) -> impl Iterator<Item = HandoverRow> {
        handovers(&self.log.rrc, &self.log.cells).into_iter().map(|row| {
            let user = User(u32::try_from(row.user).unwrap_or_default());
            HandoverRow {
                start_ns: self.time(user, row.start_ns),
                end_ns: row.end_ns.map(|end| self.time(user, end)),
                ..row
            }
        })
    }

    /// Converts a time of the modem's clock to the clock of the tables.
    fn time(&self, user: User, time: Instant) -> Instant {
        // Users are sorted by their numbers.
        let number = self.users.binary_search_by_key(&user, |known| known.user).ok();
        let joined = number.and_then(|number| self.joined.get(number));
        joined.map_or(time, |joined| joined.time(time))
    }

    /// The manifest's entry for each log.
    pub(crate) fn inputs(&self) -> Vec<ModemInput> {
        self.inputs.clone()
    }

    /// The totals of each user's allocations.
    pub(crate) fn reports(&self) -> Vec<UserReport> {
        let mut totals = self.totals.in_use(&self.log.ttis);
        let users = self.users.iter().zip(&self.joined);
        let report = |(user, joined): (&UserLog, &Joined)| {
            let uplink = UplinkReport::new(user.user, &self.log.ttis);
            let totals = totals.remove(&user.user).unwrap_or_default().into_iter();
            UserReport {
                uplink,
                ..UserReport::new(user, joined, totals.map(PrbTotal::of).collect())
            }
        };
        users.map(report).collect()
    }
}

/// The rows of all tables until they are passed on as batches.
struct Tables<'a> {
    batches: Batches,
    put: &'a mut dyn FnMut(Ready) -> Result<(), Error>,
}

/// The number of rows that are made before they are passed on; their records are all in memory
/// already.
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
        self.batches.take_ready()?.into_iter().try_for_each(&mut self.put)
    }

    fn close(mut self) -> Result<(), Error> {
        self.batches.close();
        self.write()
    }
}
