//! Makes the tables of modem logs without a capture.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;

use airmile_analyze::modem_tables;
use airmile_track::VantageVotes;
use arrow_array::RecordBatch;

use super::finish::finish;
use crate::error::Error;
use crate::manifest::{Manifest, Status};
use crate::modem::Radio;
use crate::options::Options;
use crate::verbs::progress::{Progress, lasting};
use crate::write::gather::Form;
use crate::write::writer::DatasetWriter;

/// Reads modem logs without a capture and writes their tables as the dataset `out`.
///
/// # Errors
/// Fails for an option that is not understood, when no log can be read, and for a dataset that
/// cannot be written.
pub fn radio(
    out: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Manifest, Error> {
    let stopped = Cell::new(false);
    let radio = Radio::load(options, &[], &mut lasting(progress, &stopped))?;
    let tables = modem_tables();
    let mut writer = DatasetWriter::create(out, options.overwrite, &tables)?;
    radio.batches(&tables, &mut |rows| writer.write(&rows))?;
    let mut manifest = Manifest::new(options, Vec::new(), VantageVotes::default());
    manifest.status = Status::Ok;
    manifest.reasons.clear();
    manifest.interrupted = stopped.get();
    manifest.add_radio(radio.inputs(), radio.reports());
    finish(writer, manifest, &options.check)
}

/// Reads modem logs without a capture, and passes the rows of each of their tables to `put`, with
/// the name of the table.
///
/// # Errors
/// Fails for an option that is not understood, and when no log can be read.
pub fn radio_batches(
    options: &Options,
    put: &mut dyn FnMut(&'static str, RecordBatch),
) -> Result<(), Error> {
    let radio = Radio::load(options, &[], &mut |_| ControlFlow::Continue(()))?;
    let tables = modem_tables();
    let forms: Vec<_> = tables.iter().map(|table| (table.name, Form::new(table))).collect();
    radio.batches(&tables, &mut |ready| {
        if let Some((table, form)) = forms.get(ready.table) {
            put(table, form.batch(&ready.rows)?);
        }
        Ok(())
    })
}
