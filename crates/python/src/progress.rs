//! The progress function of Python, and Ctrl-C.

use std::ops::ControlFlow;

use airmile_dataset::Progress;
use pyo3::prelude::*;

/// Calls Python now and then; remembers what it raised.
pub(crate) struct Reporter {
    function: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl Reporter {
    pub(crate) const fn new(function: Option<Py<PyAny>>) -> Self {
        Self { function, raised: None }
    }

    /// `function(bytes, total_bytes or None, packets)`; breaks when it raises, returns `False`,
    /// or a signal came.
    pub(crate) fn report(&mut self, at: Progress) -> ControlFlow<()> {
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

    /// Breaks when a signal came.
    pub(crate) fn check(&mut self) -> ControlFlow<()> {
        let result = Python::attach(|py| py.check_signals().map(|()| true));
        self.follow(result)
    }

    /// What Python raised, if it did.
    pub(crate) fn outcome(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }

    fn follow(&mut self, result: PyResult<bool>) -> ControlFlow<()> {
        match result {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
