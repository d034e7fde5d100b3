//! Keeps the rows of a flow until the flow's own row has been written.

use airmile_types::{Cause, CauseSource, Direction, Second};
use airmile_verdict::{SliceRow, TransferRow};

use super::cells::Cells;

/// A cause with its other possible causes.
pub(super) type Named = (Cause, Option<Second>);

/// The rows of a live flow that have been written already.
#[derive(Default)]
pub(super) struct Live {
    pub(super) transfers: Vec<Moved>,
    pub(super) slices: Vec<Piece>,
}

/// A flow that has ended.
pub(super) struct Ended {
    pub(super) live: Live,
    pub(super) cells: Cells,
}

/// The fields of a transfer that the sums need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub(super) id: u64,
    pub(super) direction: Direction,
    pub(super) request_ns: i64,
    pub(super) first_byte_ns: Option<i64>,
    pub(super) end_ns: i64,
    pub(super) bytes: i64,
    pub(super) control: bool,
    pub(super) round_trips: i64,
    pub(super) loop_ms: Option<f64>,
    pub(super) path_rtt_ms: Option<f64>,
    pub(super) server_wait_ms: Option<f64>,
}

/// The fields of a slice that the sums need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) transfer: Option<u64>,
    pub(super) direction: Direction,
    pub(super) start_ns: i64,
    pub(super) end_ns: i64,
    pub(super) cause: Cause,
    pub(super) second: Option<Second>,
    pub(super) source: CauseSource,
    pub(super) reason: &'static str,
    pub(super) bytes: i64,
    pub(super) in_flight_bytes: Option<i64>,
    pub(super) window_bytes: Option<i64>,
    pub(super) first_frame: Option<i64>,
    pub(super) last_frame: Option<i64>,
    pub(super) rtt_ms: Option<f64>,
    pub(super) least_queue_ms: Option<f64>,
    pub(super) retransmissions: u32,
    pub(super) rto_wait_ms: f64,
    pub(super) recovery_ratio: f64,
}

impl Live {
    pub(super) fn add_transfer(&mut self, transfer: Moved) {
        push_tight(&mut self.transfers, transfer);
    }

    pub(super) fn add_slice(&mut self, slice: Piece) {
        push_tight(&mut self.slices, slice);
    }

    pub(super) fn len(&self) -> usize {
        self.transfers.len() + self.slices.len()
    }
}

/// Appends an item and makes room for no more than one at a time at first. Most flows have one
/// transfer of a few slices, and thousands of flows live at a time; a vector by itself would make
/// room for four at once, and then for twice as many.
fn push_tight<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 2 + 1);
    }
    list.push(item);
}

/// The length of a slice. A slice in which the clock stepped back has length 0, because a negative
/// time would reduce that of others.
pub(super) fn length_ns(start_ns: i64, end_ns: i64) -> i128 {
    (i128::from(end_ns) - i128::from(start_ns)).max(0)
}

impl Moved {
    pub(super) fn new(row: &TransferRow) -> Self {
        let facts = &row.summary;
        Self {
            id: facts.transfer_id,
            direction: facts.direction,
            request_ns: facts.request_ns.as_nanos(),
            first_byte_ns: facts.first_byte_ns.map(|time| time.as_nanos()),
            end_ns: facts.end_ns.as_nanos(),
            bytes: facts.bytes,
            control: facts.control,
            round_trips: facts.round_trips,
            loop_ms: facts.loop_ms,
            path_rtt_ms: facts.path_rtt_ms,
            server_wait_ms: facts.server_wait_ms,
        }
    }

    /// The time from the transfer's first byte to its last; `None` when no byte came.
    pub(super) fn moving_ns(&self) -> Option<i64> {
        self.first_byte_ns.map(|first| self.end_ns.saturating_sub(first))
    }
}

impl Piece {
    pub(super) fn new(row: &SliceRow) -> Self {
        Self {
            transfer: row.transfer_id,
            direction: row.direction,
            start_ns: row.start_ns.as_nanos(),
            end_ns: row.end_ns.as_nanos(),
            cause: row.cause,
            second: row.second,
            source: row.cause_source,
            reason: row.reason,
            bytes: row.bytes,
            in_flight_bytes: row.in_flight_bytes,
            window_bytes: row.window_bytes,
            first_frame: row.first_frame,
            last_frame: row.last_frame,
            rtt_ms: row.rtt_ms,
            least_queue_ms: row.least_queue_ms,
            retransmissions: row.retransmissions,
            rto_wait_ms: row.rto_wait_ms,
            recovery_ratio: row.recovery_ratio,
        }
    }

    pub(super) const fn named(&self) -> Named {
        (self.cause, self.second)
    }

    /// The length of the slice in ns, which is its weight in means.
    pub(super) fn weight_ns(&self) -> i128 {
        length_ns(self.start_ns, self.end_ns)
    }

    /// Whether the slice belongs to no transfer while data still drained or was repaired.
    pub(super) fn is_after_transfer(&self) -> bool {
        self.transfer.is_none() && self.cause != Cause::Idle
    }
}
