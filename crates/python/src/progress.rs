//! Calls Python's progress function, and handles Ctrl-C.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use airmile_dataset::{Progress, Stop};
use pyo3::prelude::*;

/// Calls Python now and then, and remembers an exception that it raised.
pub(crate) struct Reporter {
    function: Option<Py<PyAny>>,
    raised: Raised,
}

/// The first exception that any of Python's functions raised; it ends the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    pub(crate) fn happened(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Reporter {
    pub(crate) fn new(function: Option<Py<PyAny>>) -> Arc<Self> {
        Arc::new(Self { function, raised: Raised::default() })
    }

    /// The place where other functions store an exception that Python raised.
    pub(crate) fn raised(&self) -> Raised {
        self.raised.clone()
    }

    /// Calls `function(bytes, total_bytes or None, packets)`. Ends the run when the function raises
    /// or returns `False`, and when a signal came.
    pub(crate) fn report(&self, at: Progress) -> ControlFlow<()> {
        let result = Python::attach(|py| {
            py.check_signals()?;
            let Some(function) = &self.function else {
                return Ok(true);
            };
            let answer = function.bind(py).call1((at.bytes, at.total_bytes, at.packets))?;
            Ok(answer.is_none() || answer.is_truthy()?)
        });
        self.follow(result)
    }

    /// Ends the run when a signal came, also while an input sends nothing.
    pub(crate) fn stop(self: &Arc<Self>) -> Stop {
        let asked = Arc::clone(self);
        Stop::new(move || asked.check())
    }

    fn check(&self) -> ControlFlow<()> {
        let result = Python::attach(|py| py.check_signals().map(|()| true));
        self.follow(result)
    }

    /// Fails with the exception that Python raised, if it did.
    pub(crate) fn outcome(&self) -> PyResult<()> {
        self.raised.take().map_or(Ok(()), Err)
    }

    fn follow(&self, result: PyResult<bool>) -> ControlFlow<()> {
        match result {
            Ok(true) if !self.raised.happened() => ControlFlow::Continue(()),
            Ok(_) => ControlFlow::Break(()),
            Err(error) => {
                self.raised.keep(error);
                ControlFlow::Break(())
            }
        }
    }
}
