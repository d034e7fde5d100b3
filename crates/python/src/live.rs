//! Gives Python a modem log that is read while another program writes the log.

use std::sync::{Mutex, PoisonError};
use std::time::Duration as Wait;

use airmile_dataset::Live;
use airmile_types::Duration;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{exception, json};
use crate::options;

/// Adds the class to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ModemStream>()
}

/// A modem log that is being followed: a path, or `-` for standard input.
#[pyclass(frozen, module = "airmile._engine")]
struct ModemStream {
    live: Mutex<Live>,
}

#[pymethods]
impl ModemStream {
    #[new]
    fn new(py: Python<'_>, path: &str, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = options::read(options, false)?;
        let live = Live::open(path, &options).map_err(|error| exception(py, &error))?;
        Ok(Self { live: Mutex::new(live) })
    }

    /// Waits up to `timeout_s` for the next piece of the log; returns `bursts` and `state` as JSON,
    /// or None when the log has ended. `silent_s` is how long nothing has come.
    #[pyo3(signature = (timeout_s, silent_s=0.0))]
    fn read(&self, py: Python<'_>, timeout_s: f64, silent_s: f64) -> PyResult<Option<String>> {
        let wait = Wait::try_from_secs_f64(timeout_s).unwrap_or_default();
        let silent = Duration::from_secs_f64(silent_s);
        let batch = py.detach(|| {
            let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
            live.take(wait, silent)
        });
        let batch = batch.map_err(|error| exception(py, &error))?;
        batch.as_ref().map(json).transpose()
    }

    /// The report on the log so far, as in the manifest of a dataset.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let report = py.detach(|| {
            let live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
            live.report()
        });
        json(&report)
    }
}
