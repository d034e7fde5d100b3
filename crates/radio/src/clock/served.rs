//! What was served when, by the modem's clock.

use airmile_types::Instant;

use crate::tti::Ms;

/// Bytes at a time: of blocks by the modem's clock, or of packets by the capture's.
pub(super) type Volume = (Instant, u64);

/// Scheduled milliseconds of one phone, in order.
#[derive(Clone, Copy, Debug)]
pub struct ServedLog<'a> {
    /// To the phone.
    pub downlink: &'a [Ms],
    /// From the phone; empty when the log does not tell.
    pub uplink: &'a [Ms],
}
