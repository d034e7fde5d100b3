//! Defines a burst: the time from the millisecond in which the queue at the base station is seen to
//! be busy to the millisecond that empties the queue.

use airmile_types::Instant;

use crate::tti::Ms;

/// A burst (methods G2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// The number of the first scheduled millisecond, counted as in [`Ms`].
    pub start_tti: i64,
    /// The begin of the first scheduled millisecond.
    pub start: Instant,
    /// The number of the last scheduled millisecond, which is LAST ACTIVE if the burst is closed.
    pub end_tti: i64,
    /// The begin of the last scheduled millisecond.
    pub end: Instant,
    /// The physical cell identity of the primary carrier at the beginning.
    pub cell: Option<u16>,
    /// The number of scheduled milliseconds, including the last one.
    pub scheduled_ms: u64,
    /// The bytes of decoded blocks, except those of the last millisecond; `None` if the size of a
    /// block is not known.
    pub bytes: Option<u64>,
    /// Whether the end was seen. If not, the records end, or are missing, before the burst does.
    pub closed: bool,
}

impl Burst {
    /// The number of ACTIVE and CONTENTION milliseconds, without LAST ACTIVE (BT19 section 2.1.1).
    pub const fn throughput_time_ms(&self) -> u64 {
        self.end_tti.abs_diff(self.start_tti)
    }

    /// The number of ACTIVE milliseconds: all scheduled ones except the last.
    pub const fn active_ms(&self) -> u64 {
        self.scheduled_ms.saturating_sub(1)
    }

    /// The number of CONTENTION milliseconds, in which data waited while other users were
    /// scheduled.
    pub const fn contention_ms(&self) -> u64 {
        self.throughput_time_ms().saturating_sub(self.active_ms())
    }

    /// The bytes divided by Throughput Time, in bit/s; `None` for a burst of one millisecond, or if
    /// the bytes are not known.
    pub fn throughput_bps(&self) -> Option<f64> {
        let bytes = self.bytes.filter(|_| self.throughput_time_ms() > 0)?;
        Some(bytes as f64 * 8e3 / self.throughput_time_ms() as f64)
    }
}

/// A burst that has not ended yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnfinishedBurst {
    burst: Burst,
    last_bytes: Option<u64>,
}

impl UnfinishedBurst {
    pub(super) const fn begin(ms: &Ms) -> Self {
        let burst = Burst {
            start_tti: ms.tti,
            start: ms.time,
            end_tti: ms.tti,
            end: ms.time,
            cell: ms.cell,
            scheduled_ms: 1,
            bytes: Some(0),
            closed: false,
        };
        Self { burst, last_bytes: ms.bytes }
    }

    /// Adds a scheduled millisecond, which shows that the previous one was not the last of the
    /// burst.
    pub(super) fn extend(&mut self, ms: &Ms) {
        self.burst.bytes =
            self.burst.bytes.zip(self.last_bytes).map(|(sum, more)| sum.saturating_add(more));
        self.last_bytes = ms.bytes;
        self.burst.end_tti = ms.tti;
        self.burst.end = ms.time;
        self.burst.scheduled_ms += 1;
    }

    pub(super) const fn end(self, closed: bool) -> Burst {
        Burst { closed, ..self.burst }
    }
}
