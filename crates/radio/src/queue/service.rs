//! Finds, in a modem log, the blocks that left the queue in each millisecond.

use airmile_types::{Duration, Instant};

use crate::tti::Ms;

/// The length of a subframe in nanoseconds (TS 36.211 section 4).
pub(super) const TICK: i64 = 1_000_000;

/// What the queue estimate reads from a modem log.
#[derive(Clone, Copy, Debug)]
pub struct QueueLog<'a> {
    /// The scheduled downlink milliseconds of one phone, in order.
    pub downlink: &'a [Ms],
    /// The times of uplink grants, in order; empty when the log does not contain them.
    pub uplink: &'a [Instant],
}

/// The allocation of one millisecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Allocation {
    /// The milliseconds since the first one of the log.
    pub(super) at: i64,
    /// Whether it contains first transmissions.
    pub(super) is_new: bool,
    /// The greatest number of bytes that left the queue: those of first transmissions, without
    /// padding if that is known. `None` if their size is not known.
    pub(super) bytes: Option<u64>,
    /// The bytes of padding; `None` when they are not known.
    pub(super) padding: Option<u64>,
    /// The share of the PRBs of its carrier; 1 when it is not known.
    pub(super) share: f64,
    /// Whether nothing is known of the time before this millisecond.
    pub(super) after_gap: bool,
}

/// An allocation with more than this share has the whole carrier (BT19 section 3.2: 90 %).
const WHOLE: f64 = 0.9;

/// Padding up to this size does not show that the queue is empty: it may be a BSR, a timing advance
/// and their subheaders, or the rest of a block that is too short for another RLC segment (TS
/// 36.321 section 6.1.2, TS 36.322 section 6.2.1).
const HEADERS_BYTES: u64 = 8;

impl Allocation {
    /// Whether the allocation has the whole carrier.
    pub(super) fn is_whole(&self) -> bool {
        self.share > WHOLE
    }

    /// Whether the padding of the allocation shows that nothing was left to send.
    pub(super) fn is_padded(&self) -> bool {
        self.padding.is_some_and(|padding| padding > HEADERS_BYTES)
    }
}

/// All allocations of a log, and the conversion of their milliseconds to times.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) allocations: Vec<Allocation>,
    pub(super) axis: Axis,
    /// Whether the log contains padding.
    pub(super) has_padding: bool,
}

impl Service {
    pub(super) fn new(log: &QueueLog<'_>) -> Option<Self> {
        let first = log.downlink.first()?.tti;
        let allocations: Vec<_> = log.downlink.iter().map(|ms| allocation(ms, first)).collect();
        let has_padding = allocations.iter().any(|block| block.padding.is_some());
        Some(Self { axis: Axis::new(log.downlink), has_padding, allocations })
    }

    /// The milliseconds with first transmissions.
    pub(super) fn new_blocks(&self) -> impl Iterator<Item = &Allocation> {
        self.allocations.iter().filter(|block| block.is_new)
    }
}

fn allocation(ms: &Ms, first: i64) -> Allocation {
    let is_new = ms.retransmission != Some(true);
    // A block leaves the queue when it is first sent, whether or not it is decoded. A HARQ
    // retransmission carries bytes that were sent before. If the log does not distinguish the two,
    // decoded blocks count.
    let failed = if ms.retransmission == Some(false) { ms.failed_bytes } else { 0 };
    let padding = ms.padding_bytes.filter(|_| failed == 0);
    let size = ms.bytes.map(|bytes| bytes.saturating_add(failed));
    Allocation {
        at: ms.tti.saturating_sub(first),
        is_new,
        bytes: size.map(|size| size.saturating_sub(padding.unwrap_or(0))),
        padding: padding.filter(|_| is_new),
        share: ms.share.unwrap_or(1.0),
        after_gap: ms.after_gap,
    }
}

/// Converts milliseconds of the log to times and back. The times of the log are never early and
/// sometimes late, because DIAG stamps packets, not subframes. The modem's clock also drifts
/// against that of the network. Therefore the least difference in every ten seconds is used.
#[derive(Clone, Debug, Default)]
pub(super) struct Axis {
    /// The first millisecond of each piece, and the time that millisecond 0 of the log has by that
    /// piece.
    pieces: Vec<(i64, i64)>,
    end: i64,
}

const PIECE_MS: i64 = 10_000;

impl Axis {
    fn new(all: &[Ms]) -> Self {
        let first = all.first().map_or(0, |ms| ms.tti);
        let mut axis = Self::default();
        for ms in all {
            let at = ms.tti.saturating_sub(first);
            let zero = ms.time.as_nanos().saturating_sub(at.saturating_mul(TICK));
            axis.end = at.saturating_add(1);
            match axis.pieces.last_mut() {
                Some((start, base)) if at - *start < PIECE_MS && !ms.after_gap => {
                    *base = zero.min(*base);
                }
                _ => axis.pieces.push((at, zero)),
            }
        }
        axis
    }

    /// The number of milliseconds in the log.
    pub(super) const fn end(&self) -> i64 {
        self.end
    }

    /// The time at which the millisecond `at` begins.
    pub(super) fn time(&self, at: i64) -> Instant {
        let index = self.pieces.partition_point(|(start, _)| *start <= at);
        let zero = self.pieces.get(index.saturating_sub(1)).map_or(0, |(_, zero)| *zero);
        Instant::from_nanos(zero.saturating_add(at.saturating_mul(TICK)))
    }

    /// The position of a time in nanoseconds, counted from the first millisecond of the log.
    pub(super) fn nanos(&self, time: Instant) -> i64 {
        let index = self.pieces.partition_point(|(at, zero)| {
            zero.saturating_add(at.saturating_mul(TICK)) <= time.as_nanos()
        });
        let zero = self.pieces.get(index.saturating_sub(1)).map_or(0, |(_, zero)| *zero);
        time.as_nanos().saturating_sub(zero)
    }

    /// The position `nanos` shifted by a duration.
    pub(super) const fn shift(nanos: i64, by: Duration) -> i64 {
        nanos.saturating_add(by.as_nanos())
    }
}
