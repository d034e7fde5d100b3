//! Defines a scheduled millisecond, which every rule for allocations reads.

use airmile_types::Instant;

/// A millisecond in which the user was scheduled on at least one carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ms {
    /// The number of the millisecond: the unwrapped subframe number. After a change of the primary
    /// cell it is shifted, because each cell counts its frames separately.
    pub tti: i64,
    /// The begin of the millisecond by the clock of the modem.
    pub time: Instant,
    /// The physical cell identity of the primary carrier.
    pub cell: Option<u16>,
    /// The PRBs divided by the cell bandwidth of their carrier, for the carrier where that is
    /// largest; `None` if either is not known for a carrier.
    pub share: Option<f64>,
    /// The bytes of the blocks that were decoded; `None` when a size is not known.
    pub bytes: Option<u64>,
    /// The bytes of the blocks that were not decoded; they were allocated, but do not count as
    /// volume.
    pub failed_bytes: u64,
    /// The bytes of padding in the decoded blocks; `None` if the padding of a block is not known.
    pub padding_bytes: Option<u64>,
    /// Whether every block is a HARQ retransmission; `None` when that is not known.
    pub retransmission: Option<bool>,
    /// Whether nothing is known of the time between the previous millisecond and this one, because
    /// another log begins or the clock stepped back.
    pub after_gap: bool,
}
