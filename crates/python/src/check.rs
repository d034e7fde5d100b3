//! Calls Python's check of a manifest.

use std::sync::Arc;

use airmile_dataset::Check;
use pyo3::prelude::*;

use crate::progress::Reporter;

/// A check by a function of Python, which takes the text of a manifest.
pub(crate) fn check(function: Option<Py<PyAny>>, reporter: &Arc<Reporter>) -> Check {
    let raised = reporter.raised();
    let Some(function) = function else { return Check::default() };
    Check::new(move |manifest| {
        let fault = || {
            let answer = Python::attach(|py| function.bind(py).call1((manifest,))?.extract());
            answer.unwrap_or_else(|error: PyErr| {
                let said = error.to_string();
                raised.keep(error);
                Some(said)
            })
        };
        // A signal raises in whichever function of Python runs, and once. It is not a fault of the
        // manifest.
        let had_raised = raised.happened();
        fault().filter(|_| had_raised || !raised.happened()).or_else(fault)
    })
}
