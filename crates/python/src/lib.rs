//! `airmile._engine`: the engine for Python. It contains no texts and no rules of its own; the
//! Python package `airmile` around it does.

mod check;
mod errors;
mod link;
mod live;
mod memory;
mod options;
mod progress;
mod rrc;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use airmile_dataset::{Aligned, Columns, Manifest, Options, RrcDecoder, Trace};
use arrow_array::{RecordBatchIterator, RecordBatchReader};
use arrow_pyarrow::IntoPyArrow;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use errors::exception;
use progress::Reporter;
use rrc::Decoder;

/// Reads captures and writes the dataset `out`; returns where it is, which is beside `out` for a
/// partial dataset. `rrc(nr, message)` decodes a whole RRC message; `check(manifest)` returns what is
/// wrong with the text of the manifest, or None. If another function of Python raised, the attribute
/// `kept` of the exception is the place of what was finished.
#[pyfunction]
#[pyo3(signature = (inputs, out, overwrite, options, progress=None, rrc=None, check=None))]
#[expect(clippy::too_many_arguments, reason = "each is a named argument in Python")]
fn analyze(
    py: Python<'_>,
    inputs: Vec<String>,
    out: PathBuf,
    overwrite: bool,
    options: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
    rrc: Option<Py<PyAny>>,
    check: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let reporter = Reporter::new(progress);
    let rrc = decoder(rrc, &reporter);
    let (check, stop) = (check::check(check, &reporter), reporter.stop());
    let options = Options { rrc, stop, check, ..options::read(options, overwrite)? };
    let manifest = py.detach(|| {
        let done = airmile_dataset::analyze(&inputs, &out, &options, &mut |at| reporter.report(at));
        memory::mi_collect(true);
        done
    });
    placed(py, &reporter, manifest)
}

/// Reads modem logs and writes the dataset `out`, as [`analyze`] does.
#[pyfunction]
#[pyo3(signature = (logs, out, overwrite, options, progress=None, rrc=None, check=None))]
#[expect(clippy::too_many_arguments, reason = "each is a named argument in Python")]
fn radio(
    py: Python<'_>,
    logs: Vec<String>,
    out: PathBuf,
    overwrite: bool,
    options: &Bound<'_, PyDict>,
    progress: Option<Py<PyAny>>,
    rrc: Option<Py<PyAny>>,
    check: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let reporter = Reporter::new(progress);
    let rrc = decoder(rrc, &reporter);
    let (check, stop) = (check::check(check, &reporter), reporter.stop());
    let options = Options { modem: logs, rrc, stop, check, ..options::read(options, overwrite)? };
    let manifest =
        py.detach(|| airmile_dataset::radio(&out, &options, &mut |at| reporter.report(at)));
    placed(py, &reporter, manifest)
}

/// Where a run put its dataset. If Python raised, the exception says so. If nothing was finished
/// then, the input is not at fault; if it could not be put there, a note says where it is.
fn placed(
    py: Python<'_>,
    reporter: &Reporter,
    done: Result<Manifest, airmile_dataset::Error>,
) -> PyResult<PathBuf> {
    match (reporter.outcome(), done) {
        (Err(raised), Ok(manifest)) => Err(errors::keeping(py, raised, &manifest.place)),
        (Err(raised), Err(error)) => Err(errors::noting(py, raised, &error)),
        (Ok(()), done) => Ok(done.map_err(|error| exception(py, &error))?.place),
    }
}

/// Moves the complete dataset `new` in a folder to its place, or beside it if it is a partial one;
/// returns where it is.
#[pyfunction]
fn put(py: Python<'_>, folder: PathBuf, target: PathBuf, overwrite: bool) -> PyResult<PathBuf> {
    airmile_dataset::put(&folder, &target, overwrite).map_err(|error| exception(py, &error))
}

/// Moves a dataset to its place if a run was killed just before it had done so; returns whether
/// something is in the place.
#[pyfunction]
fn recover(target: PathBuf) -> bool {
    airmile_dataset::recover(&target)
}

fn decoder(function: Option<Py<PyAny>>, reporter: &Reporter) -> Option<Arc<dyn RrcDecoder>> {
    function.map(|function| Arc::new(Decoder::new(function, reporter.raised())) as Arc<_>)
}

/// Describes the inputs as JSON: format, link types, time span, counts, problems.
#[pyfunction]
fn info(py: Python<'_>, inputs: Vec<String>) -> PyResult<String> {
    let reporter = Reporter::new(None);
    let report = py.detach(|| airmile_dataset::info(&inputs, &reporter.stop()));
    reporter.outcome()?;
    errors::json(&report.map_err(|error| exception(py, &error))?)
}

/// Returns the packets of some TCP flows by uid: for each flow a stream of Arrow batches
/// (`pyarrow.RecordBatchReader`). The inputs are read once; a flow that they do not contain is absent.
#[pyfunction]
fn trace<'py>(
    py: Python<'py>,
    inputs: Vec<String>,
    uids: Vec<u64>,
    options: &Bound<'py, PyDict>,
) -> PyResult<BTreeMap<u64, Stream<'py>>> {
    let reporter = Reporter::new(None);
    let options = Options { stop: reporter.stop(), ..options::read(options, false)? };
    let traces = py.detach(|| airmile_dataset::trace(&inputs, &uids, &options));
    reporter.outcome()?;
    let traces = traces.map_err(|error| exception(py, &error))?.into_iter();
    let streams = traces.map(|(uid, Trace { schema, batches })| {
        Ok((uid, stream(py, Columns { schema, batches })?))
    });
    streams.collect()
}

/// A `pyarrow.RecordBatchReader`.
type Stream<'py> = Bound<'py, PyAny>;

/// Compares two captures. Returns three streams of Arrow batches (the packets that both contain,
/// and the payload to each phone in the first and in the second), and as JSON the counts of packets,
/// the entries of the inputs, and whether the run was stopped.
#[pyfunction]
#[pyo3(signature = (first, second, options, progress=None))]
fn align<'py>(
    py: Python<'py>,
    first: Vec<String>,
    second: Vec<String>,
    options: &Bound<'py, PyDict>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Stream<'py>, Stream<'py>, Stream<'py>, String)> {
    let reporter = Reporter::new(progress);
    let options = Options { stop: reporter.stop(), ..options::read(options, false)? };
    let aligned =
        py.detach(|| airmile_dataset::align(&first, &second, &options, |at| reporter.report(at)));
    reporter.outcome()?;
    let Aligned { pairs, volumes, counts, inputs, interrupted } =
        aligned.map_err(|error| exception(py, &error))?;
    let text = errors::json(&(counts, inputs, interrupted))?;
    Ok((stream(py, pairs)?, stream(py, volumes.0)?, stream(py, volumes.1)?, text))
}

fn stream(py: Python<'_>, Columns { schema, batches }: Columns) -> PyResult<Stream<'_>> {
    let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    let reader: Box<dyn RecordBatchReader + Send> = Box::new(batches);
    reader.into_pyarrow(py)
}

/// Describes every table, column, parameter and cause, as JSON.
#[pyfunction]
fn schema() -> PyResult<String> {
    errors::json(&airmile_dataset::describe())
}

/// Describes every format of modem logs, as JSON.
#[pyfunction]
fn modem_formats() -> PyResult<String> {
    errors::json(&airmile_dataset::modem_formats())
}

/// The present name of a parameter that was renamed; any other name is returned unchanged.
#[pyfunction]
fn present_parameter(name: &str) -> &str {
    airmile_dataset::present_name(name)
}

/// Judges from a modem log alone whether the link was the bottleneck. Question and answer are JSON.
#[pyfunction]
fn judge_log(py: Python<'_>, question: &str) -> PyResult<String> {
    let question =
        serde_json::from_str(question).map_err(|error| errors::usage(py, &error.to_string()))?;
    errors::json(&airmile_dataset::judge_question(&question))
}

/// Says how sure a verdict is, from the time of its slices by cause. Question and answer are JSON;
/// the answer is null without time.
#[pyfunction]
fn how_sure(py: Python<'_>, named_ns: &str) -> PyResult<String> {
    let named_ns =
        serde_json::from_str(named_ns).map_err(|error| errors::usage(py, &error.to_string()))?;
    errors::json(&airmile_dataset::how_sure_of(&named_ns))
}

/// The size and the digest of a file, as in `parts` of a manifest; a signal interrupts the reading.
#[pyfunction]
fn digest_file(py: Python<'_>, path: PathBuf) -> PyResult<(u64, String)> {
    let go_on = || Python::attach(|py| py.check_signals());
    let found = py.detach(|| airmile_dataset::digest_file(&path, go_on))?;
    Ok((found.size_bytes, found.xxh3_128))
}

/// Whether a free lock on a file here proves that nobody uses the file.
#[pyfunction]
fn free_locks_prove(path: PathBuf) -> bool {
    airmile_dataset::free_locks_prove(&path)
}

/// The text of a manifest with its digest as the last entry.
#[pyfunction]
fn seal(manifest: &str) -> String {
    airmile_dataset::seal(manifest)
}

/// Whether a manifest is unchanged since it was sealed; None when it was never sealed.
#[pyfunction]
fn is_sealed(manifest: &str) -> Option<bool> {
    airmile_dataset::is_sealed(manifest)
}

/// The engine of airmile.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(analyze, module)?)?;
    module.add_function(wrap_pyfunction!(radio, module)?)?;
    module.add_function(wrap_pyfunction!(info, module)?)?;
    module.add_function(wrap_pyfunction!(trace, module)?)?;
    module.add_function(wrap_pyfunction!(align, module)?)?;
    module.add_function(wrap_pyfunction!(put, module)?)?;
    module.add_function(wrap_pyfunction!(recover, module)?)?;
    module.add_function(wrap_pyfunction!(schema, module)?)?;
    module.add_function(wrap_pyfunction!(modem_formats, module)?)?;
    module.add_function(wrap_pyfunction!(present_parameter, module)?)?;
    module.add_function(wrap_pyfunction!(judge_log, module)?)?;
    module.add_function(wrap_pyfunction!(how_sure, module)?)?;
    module.add_function(wrap_pyfunction!(digest_file, module)?)?;
    module.add_function(wrap_pyfunction!(free_locks_prove, module)?)?;
    module.add_function(wrap_pyfunction!(seal, module)?)?;
    module.add_function(wrap_pyfunction!(is_sealed, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("__profile__", env!("AIRMILE_PROFILE"))?;
    link::register(module)?;
    live::register(module)?;
    errors::register(module)
}
