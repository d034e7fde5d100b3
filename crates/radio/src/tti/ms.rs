//! A scheduled millisecond, which the rules for allocations read.

use airmile_types::Instant;

/// A millisecond in which the user was scheduled on at least one carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ms {
    /// The number of the millisecond. It is the unwrapped subframe, shifted after a change of the
    /// primary cell, because every cell counts its frames separately.
    pub tti: i64,
    /// The begin of the millisecond by the clock of the modem.
    pub time: Instant,
    /// The physical cell identity of the primary carrier.
    pub cell: Option<u16>,
    /// PRBs over the cell bandwidth of their carrier, the largest of the carriers; `None` when
    /// either is not known for a carrier.
    pub share: Option<f64>,
    /// The bytes of the blocks that were decoded; `None` when a size is not known.
    pub bytes: Option<u64>,
    /// The bytes of the blocks that were not decoded: they were allocated and do not count as
    /// volume.
    pub failed_bytes: u64,
    /// The bytes of the decoded blocks that carry nothing; `None` when the padding of a block is
    /// not known.
    pub padding_bytes: Option<u64>,
    /// Whether every block is a HARQ retransmission; `None` when that is not known.
    pub retransmission: Option<bool>,
    /// Whether nothing is known of the time between the millisecond before and this one, because
    /// another log begins or the clock stepped back.
    pub after_gap: bool,
}
