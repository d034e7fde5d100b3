//! Defines the progress of a run, for callers that show it.

use std::cell::Cell;
use std::ops::ControlFlow;

/// The number of bytes read between two calls of the progress function.
pub(super) const PROGRESS_BYTES: u64 = 2 << 20;

/// The number of bytes read from a pipe, which may be slow, between two calls.
pub(super) const PIPE_PROGRESS_BYTES: u64 = 64 << 10;

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read, as stored.
    pub bytes: u64,
    /// The size of all inputs, in bytes; `None` when one is a pipe.
    pub total_bytes: Option<u64>,
    /// The number of IP packets taken.
    pub packets: u64,
}

/// Makes the first break of a progress function its answer to all later calls, and notes it in
/// `stopped`: a run that reads several inputs one after the other ends as a whole.
pub(crate) fn lasting(
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    stopped: &Cell<bool>,
) -> impl FnMut(Progress) -> ControlFlow<()> {
    move |at| {
        stopped.set(stopped.get() || progress(at).is_break());
        if stopped.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
