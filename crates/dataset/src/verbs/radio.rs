//! The tables of modem logs without a capture.

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
use crate::verbs::progress::Progress;
use crate::write::gather::Form;
use crate::write::writer::DatasetWriter;

/// Reads modem logs alone and writes the dataset `out`: the tables that they give.
///
/// # Errors
/// An option that is not understood, no log that can be read, or a dataset that cannot be written.
pub fn radio(
    out: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Manifest, Error> {
    let mut flow = ControlFlow::Continue(());
    let radio = Radio::load(options, &[], &mut |at| {
        flow = progress(at);
        flow
    })?;
    let tables = modem_tables();
    let mut writer = DatasetWriter::create(out, options.overwrite, &tables)?;
    radio.batches(&tables, &mut |rows| writer.write(&rows))?;
    let mut manifest = Manifest::new(options, Vec::new(), VantageVotes::default());
    manifest.status = Status::Ok;
    manifest.reasons.clear();
    manifest.interrupted = flow.is_break();
    manifest.add_radio(radio.inputs(), radio.reports());
    finish(writer, manifest)
}

/// Reads modem logs alone and hands the rows of every table that they give to `put`, by the name of
/// the table.
///
/// # Errors
/// An option that is not understood, or no log that can be read.
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
