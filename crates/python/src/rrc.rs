//! Calls Python's decoder of whole RRC messages.

use airmile_dataset::{RrcDecoder, RrcOrder};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::progress::Raised;

/// Python's answer: whether the phone is to move, the cell, and the cell's EARFCN.
type Answer = Option<(bool, Option<u16>, Option<u32>)>;

/// Calls `function(nr, message)`. The message exists only during the call.
#[derive(Debug)]
pub(crate) struct Decoder {
    function: Py<PyAny>,
    raised: Raised,
}

impl Decoder {
    /// An exception that the function raises, such as an interrupt, ends the run.
    pub(crate) const fn new(function: Py<PyAny>, raised: Raised) -> Self {
        Self { function, raised }
    }

    fn ask(&self, nr: bool, message: &[u8]) -> PyResult<Answer> {
        Python::attach(|py| {
            let answer = self.function.bind(py).call1((nr, PyBytes::new(py, message)))?;
            answer.extract()
        })
    }
}

impl RrcDecoder for Decoder {
    fn name(&self) -> &'static str {
        "pycrate"
    }

    fn order(&self, nr: bool, message: &[u8]) -> Option<RrcOrder> {
        if self.raised.happened() {
            return None;
        }
        let answer = self.ask(nr, message).unwrap_or_else(|error| {
            self.raised.keep(error);
            None
        });
        answer.map(|(moves, cell, earfcn)| match moves {
            true => RrcOrder::Moves(cell.map(|cell| (cell, earfcn))),
            false => RrcOrder::Stays,
        })
    }
}
