//! Defines the progress of a run, for callers that show it.

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
