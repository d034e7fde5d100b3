//! The rate that was used: bytes of transfers over the time in which a phone had at least one.

use std::collections::BTreeMap;
use std::net::IpAddr;

use airmile_types::Direction;

use super::super::cells::{Cells, at};
use super::super::extremes::left_over;
use super::super::live::Moved;
use super::super::time_union::TimeUnion;
use crate::verdict::share::Share;

/// A rate needs ten segments of 1460 bytes: fewer are an initial window, sent at once (RFC 6928).
const LEAST_RATE_BYTES: i64 = 14_600;

/// A rate needs a round trip; where none was measured, the length of a slice.
const UNKNOWN_RTT_MS: f64 = 100.0;

const NS_PER_MS: f64 = 1e6;

/// What the transfers of one direction used.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// Payload of all transfers.
    pub(crate) all_bytes: i128,
    /// Payload of those that show a rate.
    pub(crate) rated_bytes: i128,
    /// What of that arrived.
    pub(crate) delivered_bytes: i128,
    /// The times in which a phone had such a transfer, or what it left in a queue.
    phones: BTreeMap<IpAddr, TimeUnion>,
    stretches: usize,
}

/// A transfer, from its first slice on.
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
        let ue = cells.text(at!("ue")).and_then(|ue| ue.parse::<IpAddr>().ok());
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
                self.busy(ue, begin, transfer.end_ns);
            }
        }
        spans.sort_by_key(|span| (span.end_ns, span.id));
        self.drain(direction, share, ue, &spans);
    }

    /// What is queued behind the tap after a transfer's last byte is still being carried.
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
                self.busy(ue, piece.start_ns, piece.end_ns);
            }
        }
    }

    fn busy(&mut self, ue: Option<IpAddr>, start_ns: i64, end_ns: i64) {
        let Some(ue) = ue else { return };
        let time = self.phones.entry(ue).or_default();
        let before = time.stretches();
        time.insert(start_ns, end_ns);
        self.stretches = self.stretches + time.stretches() - before;
    }

    /// Adds the part of another shard.
    pub(super) fn merge(&mut self, other: &Self) {
        self.all_bytes += other.all_bytes;
        self.rated_bytes += other.rated_bytes;
        self.delivered_bytes += other.delivered_bytes;
        for (ue, time) in &other.phones {
            self.phones.entry(*ue).or_default().merge(time);
        }
        self.stretches = self.phones.values().map(TimeUnion::stretches).sum();
    }

    /// Stretches of time that are kept.
    pub(super) const fn stretches(&self) -> usize {
        self.stretches
    }

    /// The time in which a phone had at least one such transfer, of all phones together.
    pub(crate) fn busy_ns(&self) -> i128 {
        self.phones.values().map(TimeUnion::length_ns).sum()
    }
}

/// The times at which the first slice of each transfer began.
fn begins(share: &Share<'_>) -> BTreeMap<u64, i64> {
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
