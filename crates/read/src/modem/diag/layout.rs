//! A layout that is held against the rest of the log, by its version.

use super::bench::Bench;
use super::misfit::Misfit;
use super::packet::LogPacket;

/// What was known of a layout before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Another decoder said the same of real logs, field by field: it is used, and a check that
    /// fails is told.
    Proved,
    /// Its checks held on real logs: it is used until they fail.
    Sampled,
    /// It was published, and no log here has it: it is used where its checks hold.
    Published,
}

/// How a message is proved.
pub(crate) struct Proof {
    /// The version that names its layout.
    pub(crate) version: fn(payload: &[u8]) -> Option<u32>,
    /// What is known of a version; `None`: its layout is not known.
    pub(crate) standing: fn(version: u32) -> Option<Standing>,
    /// Holds what a message says against the rest.
    pub(crate) check: fn(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit>,
}

/// The version that most messages begin with.
pub(crate) fn first_byte(payload: &[u8]) -> Option<u32> {
    payload.first().map(|byte| u32::from(*byte))
}
