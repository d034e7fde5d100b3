//! What rules on allocations read.

use airmile_types::Instant;

/// A millisecond in which the user was scheduled on at least one carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ms {
    /// Which millisecond. It is the unwrapped subframe, shifted after a change of the primary
    /// cell: every cell counts its frames by itself.
    pub tti: i64,
    /// When, by the modem's clock.
    pub time: Instant,
    /// Physical cell identity of the primary carrier.
    pub cell: Option<u16>,
    /// PRBs over PRBs of that carrier's cell, the largest of the carriers; `None` when the PRBs
    /// or the total of a carrier are not known.
    pub share: Option<f64>,
    /// Bytes of the blocks that were decoded; `None` when a size is not known.
    pub bytes: Option<u64>,
    /// Bytes of the blocks that were not decoded: an allocation, but no volume.
    pub failed_bytes: u64,
    /// Bytes of the decoded blocks that carry nothing; `None` when a block does not tell.
    pub padding_bytes: Option<u64>,
    /// Whether every block was sent before; `None` when that is not known.
    pub retransmission: Option<bool>,
    /// Nothing is known of the time between the millisecond before and this one: another log
    /// begins, or the clock stepped back.
    pub after_gap: bool,
}
