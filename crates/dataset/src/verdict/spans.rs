//! Finds the places in a flow that are evidence: the longest stretch of each cause, and the
//! extremes.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use airmile_types::{Direction, PerDirection};
use serde::Serialize;

use super::bins::{bin_of, is_in};
use super::live::Piece;

/// A stretch of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SpanSums {
    /// The time at which the stretch begins.
    pub start_ns: i64,
    /// The time at which the stretch ends.
    pub end_ns: i64,
    /// The number of the stretch's first packet, as Wireshark counts; null when no packet is known.
    pub first_frame: Option<i64>,
    /// The number of the stretch's last packet, as Wireshark counts; null when no packet is known.
    pub last_frame: Option<i64>,
    /// The direction of the data.
    pub direction: &'static str,
}

/// Spans by what they show: the key is a cause, the name of an extreme, or `flow`.
pub(super) type Spans = BTreeMap<&'static str, SpanSums>;

/// The spans of a flow: those of its judged slices, and the places of extremes of the whole flow,
/// whose largest RTTs are `rtt_max_ms`.
pub(super) fn spans(
    judged: &[&Piece],
    slices: &[Piece],
    rtt_max_ms: &PerDirection<Option<f64>>,
) -> Spans {
    let mut largest = Largest::default();
    for direction in [Direction::Downlink, Direction::Uplink] {
        add_causes(judged, direction, &mut largest);
    }
    for piece in judged {
        largest.add("rto_wait_ms", piece.rto_wait_ms, SpanSums::of(piece));
    }
    let mut spans: Spans = largest.0.into_iter().map(|(what, (_, span))| (what, span)).collect();
    let whole = judged.iter().map(|piece| SpanSums::of(piece)).reduce(SpanSums::whole);
    spans.extend(whole.map(|span| ("flow", span)));
    for way in [Direction::Downlink, Direction::Uplink] {
        let [rtt, again] = extremes(slices, way, *rtt_max_ms.of(way));
        let [rtt_key, again_key] = match way {
            Direction::Downlink => ["dl_rtt_max_ms", "dl_retransmissions"],
            Direction::Uplink => ["ul_rtt_max_ms", "ul_retransmissions"],
        };
        spans.extend(rtt.and_then(|bin| Some((rtt_key, around(slices, bin)?))));
        spans.extend(again.and_then(|bin| Some((again_key, around(slices, bin)?))));
    }
    spans
}

/// The first bin that ends with the largest RTT of a direction, and the first with the most
/// retransmissions. Of RTTs, bins keep only the last one, so that the largest may have no place.
fn extremes(slices: &[Piece], way: Direction, rtt_max_ms: Option<f64>) -> [Option<i64>; 2] {
    let own = || slices.iter().filter(|piece| piece.direction == way);
    let is_largest = |piece: &&Piece| piece.rtt_ms > Some(0.0) && piece.rtt_ms == rtt_max_ms;
    let rtt = own().filter(is_largest).map(|piece| bin_of(piece.start_ns)).min();
    let most = most_again(slices, way);
    let with_most = own().filter(|piece| Some(piece.retransmissions) == most);
    [rtt, with_most.map(|piece| bin_of(piece.start_ns)).min()]
}

/// The most retransmissions of a direction in one bin, which each slice that cuts the bin repeats;
/// `None` if there are none.
pub(super) fn most_again(slices: &[Piece], way: Direction) -> Option<u32> {
    let own = slices.iter().filter(|piece| piece.direction == way);
    own.map(|piece| piece.retransmissions).max().filter(|most| *most > 0)
}

/// The span of all slices of a flow that share a bin, which contains the packets of the bin.
fn around(slices: &[Piece], bin: i64) -> Option<SpanSums> {
    let inside = slices.iter().filter(|piece| is_in(piece, bin));
    inside.map(SpanSums::of).reduce(SpanSums::whole)
}

/// Adds the longest run of slices of each cause.
fn add_causes(judged: &[&Piece], direction: Direction, largest: &mut Largest) {
    let mut pieces: Vec<&Piece> =
        judged.iter().filter(|piece| piece.direction == direction).copied().collect();
    pieces.sort_by_key(|piece| {
        let frames = (piece.first_frame, piece.last_frame);
        (piece.start_ns, piece.end_ns, piece.transfer, piece.cause.as_str(), frames)
    });
    let goes_on =
        |one: &&Piece, next: &&Piece| one.cause == next.cause && one.end_ns >= next.start_ns;
    for run in pieces.chunk_by(goes_on) {
        let weight: i128 = run.iter().map(|piece| piece.weight_ns()).sum();
        let span = run.iter().map(|piece| SpanSums::of(piece)).reduce(SpanSums::joined);
        if let (Some(first), Some(span)) = (run.first(), span) {
            largest.keep(first.cause.as_str(), weight as f64, span);
        }
    }
}

/// The largest span of each kind. Of equally large spans, the first by all reported fields.
#[derive(Default)]
struct Largest(BTreeMap<&'static str, (f64, SpanSums)>);

impl Largest {
    /// Adds a span; a size of 0 is not an extreme.
    fn add(&mut self, what: &'static str, size: f64, span: SpanSums) {
        if size > 0.0 {
            self.keep(what, size, span);
        }
    }

    fn keep(&mut self, what: &'static str, size: f64, span: SpanSums) {
        let known = self.0.entry(what).or_insert((size, span));
        let earlier = span.place() < known.1.place();
        match size.total_cmp(&known.0) {
            Ordering::Greater => *known = (size, span),
            Ordering::Equal if earlier => *known = (size, span),
            _ => {}
        }
    }
}

impl SpanSums {
    const fn of(piece: &Piece) -> Self {
        Self {
            start_ns: piece.start_ns,
            end_ns: piece.end_ns,
            first_frame: piece.first_frame,
            last_frame: piece.last_frame,
            direction: piece.direction.as_str(),
        }
    }

    /// The order among equally large spans; spans with the same order are equal.
    const fn place(&self) -> (i64, &'static str, i64, Option<i64>, Option<i64>) {
        (self.start_ns, self.direction, self.end_ns, self.first_frame, self.last_frame)
    }

    fn joined(self, next: Self) -> Self {
        Self {
            start_ns: self.start_ns.min(next.start_ns),
            end_ns: self.end_ns.max(next.end_ns),
            first_frame: self.first_frame.into_iter().chain(next.first_frame).min(),
            last_frame: self.last_frame.max(next.last_frame),
            direction: self.direction,
        }
    }

    /// Joins two spans, over both directions.
    fn whole(self, next: Self) -> Self {
        Self { direction: self.direction.min(next.direction), ..self.joined(next) }
    }
}
