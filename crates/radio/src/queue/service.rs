//! The modem's side: which blocks left the queue in which millisecond.

use airmile_types::{Duration, Instant};

use crate::tti::Ms;

/// One subframe (TS 36.211 section 4).
pub(super) const TICK: i64 = 1_000_000;

/// What a modem log gives to the estimate.
#[derive(Clone, Copy, Debug)]
pub struct QueueLog<'a> {
    /// Scheduled downlink milliseconds of one phone, in order.
    pub downlink: &'a [Ms],
    /// When it was given something uplink, in order; empty when the log does not tell.
    pub uplink: &'a [Instant],
}

/// An allocation of one millisecond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Allocation {
    /// Milliseconds since the first one of the log.
    pub(super) at: i64,
    /// It holds blocks that were not sent before.
    pub(super) is_new: bool,
    /// Bytes that left the queue, at most: first transmissions, padding taken off where it is
    /// known. `None`: their size is not known.
    pub(super) bytes: Option<u64>,
    /// Bytes that carried nothing.
    pub(super) padding: Option<u64>,
    /// Of the PRBs of its carrier; unknown counts as all of them.
    pub(super) share: f64,
    /// Nothing is known of the time before it.
    pub(super) after_gap: bool,
}

/// Shares above this are the whole carrier (BT19 section 3.2: 90 %).
const WHOLE: f64 = 0.9;

/// Padding up to this much does not tell that the queue is empty: a BSR, a timing advance and their
/// subheaders, or the rest of a block that is too short for another RLC segment (TS 36.321 section
/// 6.1.2, TS 36.322 section 6.2.1).
const HEADERS_BYTES: u64 = 8;

impl Allocation {
    /// It had the whole carrier.
    pub(super) fn is_whole(&self) -> bool {
        self.share > WHOLE
    }

    /// Its padding says that nothing was left to send.
    pub(super) fn is_padded(&self) -> bool {
        self.padding.is_some_and(|padding| padding > HEADERS_BYTES)
    }
}

/// All allocations of a log, and the axis that they lie on.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) allocations: Vec<Allocation>,
    pub(super) axis: Axis,
    /// The log tells of padding.
    pub(super) has_padding: bool,
}

impl Service {
    pub(super) fn new(log: &QueueLog<'_>) -> Option<Self> {
        let first = log.downlink.first()?.tti;
        let allocations: Vec<_> = log.downlink.iter().map(|ms| allocation(ms, first)).collect();
        let has_padding = allocations.iter().any(|block| block.padding.is_some());
        Some(Self { axis: Axis::new(log.downlink), has_padding, allocations })
    }

    /// Milliseconds in which new blocks were sent.
    pub(super) fn new_blocks(&self) -> impl Iterator<Item = &Allocation> {
        self.allocations.iter().filter(|block| block.is_new)
    }
}

fn allocation(ms: &Ms, first: i64) -> Allocation {
    let is_new = ms.retransmission != Some(true);
    // A block leaves the queue when it is first sent, decoded or not. What a repetition brings was
    // sent before; where the log does not tell repetitions, what is decoded counts.
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

/// From milliseconds of the log to time, and back. The log's times are never early, some are late
/// (DIAG stamps packets, not subframes), and the modem's clock drifts against the network's: so the
/// least difference of every ten seconds is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Axis {
    /// Start in milliseconds of the log, and the time of the log's millisecond 0 from there on.
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

    /// Milliseconds of the log.
    pub(super) const fn end(&self) -> i64 {
        self.end
    }

    /// When a millisecond begins.
    pub(super) fn time(&self, at: i64) -> Instant {
        let index = self.pieces.partition_point(|(start, _)| *start <= at);
        let zero = self.pieces.get(index.saturating_sub(1)).map_or(0, |(_, zero)| *zero);
        Instant::from_nanos(zero.saturating_add(at.saturating_mul(TICK)))
    }

    /// Where a time lies, in nanoseconds since the log's first millisecond.
    pub(super) fn nanos(&self, time: Instant) -> i64 {
        let index = self.pieces.partition_point(|(at, zero)| {
            zero.saturating_add(at.saturating_mul(TICK)) <= time.as_nanos()
        });
        let zero = self.pieces.get(index.saturating_sub(1)).map_or(0, |(_, zero)| *zero);
        time.as_nanos().saturating_sub(zero)
    }

    /// Nanoseconds on the axis a while later or earlier.
    pub(super) const fn shift(nanos: i64, by: Duration) -> i64 {
        nanos.saturating_add(by.as_nanos())
    }
}
