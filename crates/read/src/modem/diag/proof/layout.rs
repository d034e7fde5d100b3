//! Defines how a layout is proved, and what was known of it before the log was read.

use super::bench::Bench;
use crate::modem::diag::outcome::Misfit;
use crate::modem::diag::packet::LogPacket;

/// What was known of a layout before the log was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Another decoder reads the same values from real logs, field by field. The layout is used,
    /// and a failing check is reported.
    Proved,
    /// The checks of the layout held for real logs. It is used until they fail.
    Sampled,
    /// The layout was published, but no log was available. It is used if its checks hold.
    Published,
}

/// The first byte of the payload, which is the version of most messages.
pub(crate) fn first_byte(payload: &[u8]) -> Option<u32> {
    payload.first().map(|byte| u32::from(*byte))
}

/// How the layout of a message is proved.
pub(crate) struct Proof {
    /// The version that determines the layout.
    pub(crate) version: fn(payload: &[u8]) -> Option<u32>,
    /// What is known of the layout of a version; `None` if it is not known.
    pub(crate) standing: fn(version: u32) -> Option<Standing>,
    /// Compares a message with the rest of the log.
    pub(crate) check: fn(packet: &LogPacket<'_>, bench: &mut Bench<'_>) -> Result<(), Misfit>,
}
