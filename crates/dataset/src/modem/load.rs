//! Every log that was named, as one list of records.

use std::ops::ControlFlow;
use std::sync::Arc;

use airmile_read::modem::rrc::RrcDecoder;
use airmile_read::modem::{
    BufferStatus, CellInfo, CellMeasurement, ModemLog, ModemReport, Record, RrcEvent, Tti,
};
use airmile_read::{OpenError, Source};

use crate::error::Error;
use crate::modem::merge::merge;
use crate::modem::report::ModemInput;
use crate::options::Options;
use crate::run::sources;

/// What the modem logs of a run tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct RadioLog {
    /// One per transport block, by time.
    pub(crate) ttis: Vec<Tti>,
    /// All rows of every source, in the order of the logs: what `--compat online` reads; empty
    /// where that was not asked for.
    pub(crate) in_log_order: Vec<Tti>,
    pub(crate) infos: Vec<CellInfo>,
    pub(crate) cells: Vec<CellMeasurement>,
    pub(crate) rrc: Vec<RrcEvent>,
    pub(crate) buffers: Vec<BufferStatus>,
    /// What became of each log.
    pub(crate) inputs: Vec<ModemInput>,
}

/// Reads every log of a run; `go_on` is asked now and then with the bytes read so far.
///
/// # Errors
/// No log of them could be read.
pub(crate) fn load(
    options: &Options,
    go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<RadioLog, Error> {
    let sources = sources(&options.modem, &options.stop)?;
    let mut log = RadioLog::default();
    let mut failures: Vec<OpenError> = Vec::new();
    for source in &sources {
        match log.read(source, options.rrc.as_ref(), go_on) {
            Ok(report) => log.inputs.push(ModemInput::new(&report)),
            Err(error) => {
                log.inputs.push(ModemInput::failed(source.to_string(), &error));
                failures.push(error);
            }
        }
    }
    if log.inputs.iter().all(ModemInput::is_nothing) {
        return Err(nothing(&log.inputs, &failures));
    }
    log.sort(options.compat_online);
    Ok(log)
}

impl RadioLog {
    /// Appends what a log tells, each kind for itself; steps of RRC stay in the order of the log,
    /// because one that is completed may be stamped before its order.
    fn read(
        &mut self,
        source: &Source,
        rrc: Option<&Arc<dyn RrcDecoder>>,
        go_on: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<ModemReport, OpenError> {
        let mut log = ModemLog::open(source)?;
        if let Some(decoder) = rrc {
            log.decode_rrc(Arc::clone(decoder));
        }
        let (blocks, buffers) = (self.ttis.len(), self.buffers.len());
        let (progress, mut piece) = (log.progress(), Vec::new());
        loop {
            let more = log.read(&mut piece);
            piece.drain(..).for_each(|record| self.take(record));
            if go_on(progress.read()).is_break() || !more {
                break;
            }
        }
        let blocks = self.ttis.iter_mut().skip(blocks).map(Tti::subframe);
        let buffers = self.buffers.iter_mut().skip(buffers).filter_map(BufferStatus::subframe);
        log.refine(&mut blocks.chain(buffers));
        Ok(log.report())
    }

    fn take(&mut self, record: Record) {
        match record {
            Record::Tti(tti) => self.ttis.push(tti),
            Record::CellInfo(info) => self.infos.push(info),
            Record::Cell(cell) => self.cells.push(cell),
            Record::Rrc(event) => self.rrc.push(event),
            Record::Buffer(buffer) => self.buffers.push(buffer),
        }
    }

    /// Puts each kind in the order of time.
    fn sort(&mut self, online: bool) {
        self.infos.sort_by_key(|info| info.time);
        self.cells.sort_by_key(|cell| cell.time);
        self.buffers.sort_by_key(|buffer| buffer.time);
        if online {
            self.in_log_order.clone_from(&self.ttis);
        }
        merge(&mut self.ttis);
    }
}

fn nothing(inputs: &[ModemInput], failures: &[OpenError]) -> Error {
    let told: Vec<String> = inputs.iter().map(ModemInput::first_problem).collect();
    let error = match told.as_slice() {
        [] => Error::input("no modem log: the directories named hold no files"),
        told => Error::input(told.join("; ")),
    };
    match failures.iter().find_map(OpenError::hint) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}
