//! Computes the rate that transfers used: their bytes divided by the time in which a phone had at
//! least one.

use std::collections::BTreeMap;
use std::net::IpAddr;

use airmile_types::Direction;

use super::super::cells::{Cells, at};
use super::super::extremes::left_over;
use super::super::live::Moved;
use super::busy::{Busy, phone};
use crate::verdict::share::Share;

/// The least payload that gives a rate: ten segments of 1460 bytes. Fewer are an initial window,
/// which is sent at once (RFC 6928).
const LEAST_RATE_BYTES: i64 = 14_600;

/// The least duration that gives a rate when no round trip was measured: the length of a slice.
const UNKNOWN_RTT_MS: f64 = 100.0;

const NS_PER_MS: f64 = 1e6;

/// The bytes and the time of the transfers of one direction.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// The payload of all transfers.
    pub(crate) all_bytes: i128,
    /// The payload of the transfers that show a rate.
    pub(crate) rated_bytes: i128,
    /// The part of `rated_bytes` that arrived.
    pub(crate) delivered_bytes: i128,
    /// The times in which a phone had a transfer that gives a rate, or data of one in a queue.
    busy: Busy,
}

/// The time of a transfer, from its first slice on.
struct Span {
    end_ns: i64,
    id: u64,
    rated: bool,
}

impl Used {
    /// Adds the transfers of a flow in one direction.
    pub(super) fn add(&mut self, direction: Direction, share: &Share<'_>, cells: &Cells) {
        let transfers = share.transfers.iter().filter(|each| each.direction == direction);
        let begins = begins(share);
        let (lost_of, lost) = left_over(share.live, direction, cells);
        let rtt_ns = rtt_ns(direction, cells);
        let ue = phone(cells);
        let mut spans = Vec::new();
        for transfer in transfers {
            let rated = has_rate(transfer, rtt_ns);
            spans.push(Span { end_ns: transfer.end_ns, id: transfer.id, rated });
            self.all_bytes += i128::from(transfer.bytes);
            if rated {
                let lost = lost.filter(|_| lost_of == Some(transfer.id)).unwrap_or_default();
                self.rated_bytes += i128::from(transfer.bytes);
                self.delivered_bytes += (i128::from(transfer.bytes) - i128::from(lost)).max(0);
                let begin = begins.get(&transfer.id).copied().unwrap_or(transfer.request_ns);
                self.busy.add(ue, begin, transfer.end_ns);
            }
        }
        spans.sort_by_key(|span| (span.end_ns, span.id));
        self.drain(direction, share, ue, &spans);
    }

    /// Adds the time in which data queued behind the capture point is still being carried after a
    /// transfer's last byte.
    fn drain(
        &mut self,
        direction: Direction,
        share: &Share<'_>,
        ue: Option<IpAddr>,
        spans: &[Span],
    ) {
        let rest = share.live.slices.iter().filter(|piece| piece.is_after_transfer());
        for piece in rest.filter(|piece| piece.direction == direction) {
            let before = spans.partition_point(|span| span.end_ns <= piece.start_ns);
            if before.checked_sub(1).and_then(|last| spans.get(last)).is_some_and(|s| s.rated) {
                self.busy.add(ue, piece.start_ns, piece.end_ns);
            }
        }
    }

    /// Adds the sums of another shard.
    pub(super) fn merge(&mut self, other: &Self) {
        self.all_bytes += other.all_bytes;
        self.rated_bytes += other.rated_bytes;
        self.delivered_bytes += other.delivered_bytes;
        self.busy.merge(&other.busy);
    }

    /// The number of stretches of time that are kept.
    pub(super) const fn stretches(&self) -> usize {
        self.busy.stretches()
    }

    /// The time in which a phone had at least one transfer that gives a rate, summed over all
    /// phones.
    pub(crate) fn busy_ns(&self) -> i128 {
        self.busy.ns()
    }
}

/// For each transfer, the time at which its first slice began.
pub(super) fn begins(share: &Share<'_>) -> BTreeMap<u64, i64> {
    let mut begins = BTreeMap::new();
    for piece in &share.judged {
        let Some(id) = piece.transfer else { continue };
        let begin = begins.entry(id).or_insert(piece.start_ns);
        *begin = piece.start_ns.min(*begin);
    }
    begins
}

fn rtt_ns(direction: Direction, cells: &Cells) -> f64 {
    let least = match direction {
        Direction::Downlink => at!("dl_rtt_min_ms"),
        Direction::Uplink => at!("ul_rtt_min_ms"),
    };
    let known = cells.real(at!("handshake_rtt_ms")).or_else(|| cells.real(least));
    known.unwrap_or(UNKNOWN_RTT_MS) * NS_PER_MS
}

fn has_rate(transfer: &Moved, rtt_ns: f64) -> bool {
    let long = transfer.moving_ns().is_some_and(|moving| moving as f64 >= rtt_ns);
    transfer.bytes >= LEAST_RATE_BYTES && long
}
