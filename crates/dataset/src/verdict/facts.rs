//! Computes the facts that are reported for each of the heaviest flows.

use std::collections::BTreeMap;

use airmile_types::{Cause, Direction, PerDirection};
use serde::{Serialize, Serializer};

use super::by_cause::{ByCause, by_cause};
use super::cells::{CellValue, Cells, FACTS, at};
use super::extremes::left_over;
use super::hidden_queue::least_queue_ms;
use super::live::{Moved, Named, Piece};
use super::rates::{Mean, WHOLE};
use super::share::Share;
use super::spans::{SpanSums, most_again, spans};

const NS_PER_S: f64 = 1e9;

const NS_PER_MS: f64 = 1e6;

const BILLION: i128 = 1_000_000_000;

/// A flow: cells of its row, and sums over its judged transfers and slices.
#[derive(Clone, Debug, Serialize)]
pub struct FlowSums {
    /// Cells of the flow's row of `flows`.
    #[serde(flatten, serialize_with = "by_name")]
    pub row: Box<[CellValue]>,
    /// The flow's judged transfers.
    #[serde(flatten)]
    pub moved: MovedSums,
    /// Time of the flow's judged transfers, in seconds.
    pub judged_s: f64,
    /// Time in which data drained or was repaired after a transfer, in seconds; null when there was
    /// none.
    pub carried_s: Option<f64>,
    /// Share of the flow's time, without silences, in which losses were repaired; null when the
    /// flow has no such time.
    pub recovering_ratio: Option<f64>,
    /// Bytes that a reset left in flight in the direction of the flow.
    pub undelivered_bytes: Option<i64>,
    /// Largest window that the phone offered, in bytes.
    pub dl_offered_max_bytes: Option<i64>,
    /// Largest window that the server offered, in bytes.
    pub ul_offered_max_bytes: Option<i64>,
    /// Most packets that were retransmitted to the phone in a bin of 100 ms.
    pub dl_most_retransmissions: Option<u32>,
    /// Most packets that were retransmitted from the phone in a bin of 100 ms.
    pub ul_most_retransmissions: Option<u32>,
    /// Time by cause, in ns.
    pub time_ns: BTreeMap<&'static str, i128>,
    /// Time by cause with its other possible causes, in ns; the keys are causes with commas between
    /// them, of which the first is that of the slices.
    pub named_ns: BTreeMap<String, i128>,
    /// The part of `time_ns` that belongs to data from the phone, by cause, in ns.
    pub uplink_ns: BTreeMap<&'static str, i128>,
    /// For each cause, the greatest `least_queue_ms` of its slices in the direction with most of its
    /// time; absent if more than a tenth of that time has none.
    pub least_queue_ms: BTreeMap<&'static str, f64>,
    /// For each cause, the most bytes in flight at the end of one of its slices, in the direction
    /// with most of its time.
    pub in_flight_bytes: ByCause,
    /// For each cause, the packets retransmitted while it lasted, in the direction with most of its
    /// time.
    pub retransmitted: ByCause,
    /// For each cause, the reason that covers most of its time.
    pub reasons: BTreeMap<&'static str, &'static str>,
    /// The times and frames of each cause.
    pub spans: BTreeMap<&'static str, SpanSums>,
}

/// The sums over the judged transfers of a flow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MovedSums {
    /// The number of transfers.
    pub transfers: u64,
    /// The direction with more bytes.
    pub direction: &'static str,
    /// Bytes in that direction.
    pub bytes: i128,
    /// Time from the first to the last byte of each transfer in that direction, in seconds; null
    /// without a first byte.
    pub moving_s: Option<f64>,
    /// Median size of a transfer, in bytes.
    pub median_bytes: Option<f64>,
    /// Median of the round trip between the capture point and the server, in milliseconds.
    pub loop_ms: Option<f64>,
    /// Median of the round trip below the capture point, in milliseconds.
    pub path_rtt_ms: Option<f64>,
    /// Median of the server's time, in milliseconds.
    pub server_wait_ms: Option<f64>,
    /// Number of round trips to the server that requests waited for.
    pub round_trips: i128,
}

impl FlowSums {
    pub(super) fn new(share: &Share<'_>, cells: &Cells) -> Self {
        let (direction, moved) = MovedSums::new(&share.transfers);
        let after: Vec<&Piece> =
            share.live.slices.iter().filter(|piece| piece.is_after_transfer()).collect();
        let carried: i128 = after.iter().map(|piece| piece.weight_ns()).sum();
        let offered = |way| {
            let pieces = share.live.slices.iter().filter(move |piece| piece.direction == way);
            pieces.filter_map(|piece| piece.window_bytes).max()
        };
        let (in_flight_bytes, retransmitted) = by_cause(&share.judged);
        let rtt_max_ms = PerDirection {
            downlink: cells.real(at!("dl_rtt_max_ms")),
            uplink: cells.real(at!("ul_rtt_max_ms")),
        };
        Self {
            row: cells.facts().into(),
            moved,
            judged_s: share.judged_ns() as f64 / NS_PER_S,
            carried_s: (!after.is_empty()).then(|| carried as f64 / NS_PER_S),
            recovering_ratio: recovering_ratio(&share.live.slices),
            undelivered_bytes: left_over(share.live, direction, cells).1,
            dl_offered_max_bytes: offered(Direction::Downlink),
            ul_offered_max_bytes: offered(Direction::Uplink),
            dl_most_retransmissions: most_again(&share.live.slices, Direction::Downlink),
            ul_most_retransmissions: most_again(&share.live.slices, Direction::Uplink),
            time_ns: time_ns(share.judged.iter()),
            named_ns: by_name_of_causes(&named_ns(&share.judged)),
            uplink_ns: time_ns(
                share.judged.iter().filter(|piece| piece.direction == Direction::Uplink),
            ),
            least_queue_ms: least_queue_ms(&share.judged),
            in_flight_bytes,
            retransmitted,
            reasons: reasons(&share.judged),
            spans: spans(&share.judged, &share.live.slices, &rtt_max_ms),
        }
    }
}

/// Writes the cells with their names. Names and order cost something, so only reported flows get
/// them.
fn by_name<S: Serializer>(row: &[CellValue], serializer: S) -> Result<S::Ok, S::Error> {
    let cells: BTreeMap<&str, &CellValue> = FACTS.into_iter().zip(row).collect();
    serializer.collect_map(cells)
}

impl MovedSums {
    fn new(transfers: &[&Moved]) -> (Direction, Self) {
        let mut sums = PerDirection::<(i128, Option<i128>)>::default();
        for transfer in transfers {
            let (bytes, moving) = sums.of_mut(transfer.direction);
            *bytes += i128::from(transfer.bytes);
            super::totals::add(moving, transfer.moving_ns().map(i128::from));
        }
        let direction = larger(transfers, &sums);
        let (bytes, moving) = *sums.of(direction);
        let of =
            |value: fn(&Moved) -> Option<f64>| median(transfers.iter().filter_map(|t| value(t)));
        let moved = Self {
            transfers: transfers.len() as u64,
            direction: direction.as_str(),
            bytes,
            moving_s: moving.map(|ns| ns as f64 / NS_PER_S),
            median_bytes: of(|transfer| Some(transfer.bytes as f64)),
            loop_ms: of(|transfer| transfer.loop_ms),
            path_rtt_ms: of(|transfer| transfer.path_rtt_ms),
            server_wait_ms: of(|transfer| transfer.server_wait_ms),
            round_trips: transfers.iter().map(|transfer| i128::from(transfer.round_trips)).sum(),
        };
        (direction, moved)
    }
}

/// The direction with more bytes, among those that have a transfer; the downlink when both are
/// equal.
fn larger(transfers: &[&Moved], sums: &PerDirection<(i128, Option<i128>)>) -> Direction {
    let has = |way| transfers.iter().any(|transfer| transfer.direction == way);
    let uplink = sums.uplink.0 > sums.downlink.0 || !has(Direction::Downlink);
    if uplink && has(Direction::Uplink) { Direction::Uplink } else { Direction::Downlink }
}

/// The median, which for an even number is the mean of the middle two; `None` without values.
pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let [low, high] = [values.get(last / 2)?, values.get(last.div_ceil(2))?];
    Some(low * 0.5 + high * 0.5)
}

fn time_ns<'a>(judged: impl Iterator<Item = &'a &'a Piece>) -> BTreeMap<&'static str, i128> {
    let mut time = BTreeMap::new();
    for piece in judged {
        *time.entry(piece.cause.as_str()).or_default() += piece.weight_ns();
    }
    time
}

fn named_ns(judged: &[&Piece]) -> BTreeMap<Named, i128> {
    let mut time = BTreeMap::new();
    for piece in judged {
        *time.entry(piece.named()).or_default() += piece.weight_ns();
    }
    time
}

/// The times with the text of their causes as keys.
pub(super) fn by_name_of_causes(times: &BTreeMap<Named, i128>) -> BTreeMap<String, i128> {
    let key = |(cause, second): &Named| match second {
        Some(second) => format!("{},{}", cause.as_str(), second.as_str()),
        None => cause.as_str().to_owned(),
    };
    times.iter().map(|(named, ns)| (key(named), *ns)).collect()
}

fn recovering_ratio(slices: &[Piece]) -> Option<f64> {
    let mut recovering = Mean::default();
    for piece in slices.iter().filter(|p| p.weight_ns() > 0 && p.cause != Cause::Idle) {
        recovering.add(piece.recovery_ratio * WHOLE, piece.weight_ns());
        let waited_ns = (piece.rto_wait_ms * NS_PER_MS).round() as i128;
        recovering.add_part(waited_ns.saturating_mul(BILLION));
    }
    recovering.value().map(|billionths| billionths / WHOLE)
}

/// For each cause, the reason with the most time; of reasons with equal time, the first in the
/// alphabet.
fn reasons(judged: &[&Piece]) -> BTreeMap<&'static str, &'static str> {
    let mut time: BTreeMap<(Cause, &str), i128> = BTreeMap::new();
    for piece in judged.iter().filter(|piece| !piece.reason.is_empty()) {
        *time.entry((piece.cause, piece.reason)).or_default() += piece.weight_ns();
    }
    let mut longest: BTreeMap<&str, (i128, &str)> = BTreeMap::new();
    for ((cause, reason), ns) in time {
        let known = longest.entry(cause.as_str()).or_insert((ns, reason));
        if ns > known.0 {
            *known = (ns, reason);
        }
    }
    longest.into_iter().map(|(cause, (_, reason))| (cause, reason)).collect()
}

#[cfg(test)]
impl FlowSums {
    /// A flow for tests, which only its number of transfers distinguishes from other flows.
    pub(super) fn named(number: u64) -> Self {
        let (_, moved) = MovedSums::new(&[]);
        Self {
            row: Box::default(),
            moved: MovedSums { transfers: number, ..moved },
            judged_s: 0.0,
            carried_s: None,
            recovering_ratio: None,
            undelivered_bytes: None,
            dl_offered_max_bytes: None,
            ul_offered_max_bytes: None,
            dl_most_retransmissions: None,
            ul_most_retransmissions: None,
            time_ns: BTreeMap::new(),
            named_ns: BTreeMap::new(),
            uplink_ns: BTreeMap::new(),
            least_queue_ms: BTreeMap::new(),
            in_flight_bytes: ByCause::new(),
            retransmitted: ByCause::new(),
            reasons: BTreeMap::new(),
            spans: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_mean_of_the_middle_two() {
        let of = |values: &[f64]| median(values.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7.0]), Some(7.0));
        assert_eq!(of(&[9.0, 1.0, 4.0]), Some(4.0));
        assert_eq!(of(&[9.0, 1.0, 4.0, 5.0]), Some(4.5));
    }
}
