//! How a layout is proved, and what was known of it before.

use super::bench::Bench;
use crate::modem::diag::outcome::Misfit;
use crate::modem::diag::packet::LogPacket;

/// What was known of a layout before the log was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Another decoder gives the same for real logs, field by field: it is used, and a check that
    /// fails is reported.
    Proved,
    /// Its checks held for real logs: it is used until they fail.
    Sampled,
    /// It was published, but no log was at hand: it is used where its checks hold.
    Published,
}

/// The version that most messages begin with.
pub(crate) fn first_byte(payload: &[u8]) -> Option<u32> {
    payload.first().map(|byte| u32::from(*byte))
}

/// How a message is proved.
pub(crate) struct Proof {
    /// The version that names its layout.
    pub(crate) version: fn(payload: &[u8]) -> Option<u32>,
    /// What is known of the layout of a version; `None` where it is unknown.
    pub(crate) standing: fn(version: u32) -> Option<Standing>,
    /// Compares what a message says with the rest of the log.
    pub(crate) check: fn(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit>,
}
