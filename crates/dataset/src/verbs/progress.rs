//! How far a run is.

/// Bytes read between two calls of the progress function.
pub(super) const PROGRESS_BYTES: u64 = 2 << 20;

/// The same for a pipe, which may be a slow one.
pub(super) const PIPE_PROGRESS_BYTES: u64 = 64 << 10;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read, as stored.
    pub bytes: u64,
    /// Bytes of all inputs; unknown when one is a pipe.
    pub total_bytes: Option<u64>,
    /// IP packets taken.
    pub packets: u64,
}
