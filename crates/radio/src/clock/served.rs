//! Defines the blocks that were served, by the clock of the modem.

use airmile_types::Instant;

use crate::tti::Ms;

/// A number of bytes at a time: a block by the modem's clock, or a packet by the capture's.
pub(super) type Volume = (Instant, u64);

/// The scheduled milliseconds of one phone, in order.
#[derive(Clone, Copy, Debug)]
pub struct ServedLog<'a> {
    /// The scheduled milliseconds of the downlink.
    pub downlink: &'a [Ms],
    /// The scheduled milliseconds of the uplink; empty when the log does not contain the uplink.
    pub uplink: &'a [Ms],
}
