//! Defines the exceptions that the engine raises in Python.

use std::path::Path;

use airmile_dataset::{Error, ErrorKind};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;

create_exception!(airmile._engine, UsageError, PyException, "An option is not understood.");
create_exception!(airmile._engine, InputError, PyException, "No input can be read.");
create_exception!(airmile._engine, OutputError, PyException, "The dataset cannot be written.");

/// Adds the exceptions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("UsageError", py.get_type::<UsageError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("OutputError", py.get_type::<OutputError>())
}

/// The exception for an error, with its `message` and `hint` (or None) as attributes.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let message = error.message.clone();
    let raised = match error.kind {
        ErrorKind::Usage => UsageError::new_err(message),
        ErrorKind::Input => InputError::new_err(message),
        ErrorKind::Output => OutputError::new_err(message),
    };
    let value = raised.value(py);
    let attributes = value
        .setattr("message", &error.message)
        .and_then(|()| value.setattr("hint", error.hint.as_deref()));
    attributes.err().unwrap_or(raised)
}

/// Makes the exception for a wrong setting.
pub(crate) fn usage(py: Python<'_>, message: &str) -> PyErr {
    let raised = UsageError::new_err(message.to_owned());
    let value = raised.value(py);
    let attributes =
        value.setattr("message", message).and_then(|()| value.setattr("hint", py.None()));
    attributes.err().unwrap_or(raised)
}

/// An exception of Python, with the place of what was finished as its attribute `kept`.
pub(crate) fn keeping(py: Python<'_>, raised: PyErr, place: &Path) -> PyErr {
    raised.value(py).setattr("kept", place).err().unwrap_or(raised)
}

/// An exception of Python, with a note if the dataset of what was finished could not be put in its
/// place.
pub(crate) fn noting(py: Python<'_>, raised: PyErr, error: &Error) -> PyErr {
    if error.kind != ErrorKind::Output {
        return raised;
    }
    let hint = error.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
    let note = format!("{}{hint}", error.message);
    let noted = raised.value(py).call_method1("add_note", (note,));
    noted.err().unwrap_or(raised)
}

/// The JSON text of a value.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
