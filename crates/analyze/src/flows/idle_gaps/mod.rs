#![doc = include_str!("idle_gaps.md")]

mod restart;
mod rounds;

use airmile_track::{Analysis, Events, FlowFacts, NoColumns, Scope, Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, Duration, EventTable, Instant, Parameters, PerDirection, columns};

use restart::{Flights, ROUNDS};
use rounds::Rounds;

columns! {
    /// One idle gap (T3), and what the sender's congestion window did after it (C7).
    pub struct IdleGapRow {
        /// The flow that the gap belongs to.
        #[unit("")] #[cite("T3")] pub uid: u64,
        /// Direction of the data whose sender paused.
        #[unit("")] #[cite("T3")] pub direction: Direction,
        /// Time of the last payload before the gap, or of its ACK.
        #[unit("ns")] #[cite("T3")] pub start_ns: Instant,
        /// Time of the next payload of either direction.
        #[unit("ns")] #[cite("T3")] pub end_ns: Instant,
        /// The sender's retransmission timeout when the gap began, by Linux's rule.
        #[unit("ms")] #[cite("T3, C5")] pub rto_ms: f64,
        /// Length of the gap divided by `rto_ms`.
        #[unit("ratio")] #[cite("C7")] pub idle_over_rto_ratio: f64,
        /// Bytes per RTT before the gap: the largest of the last four rounds; null when the sender
        /// had sent nothing before.
        #[unit("bytes")] #[cite("C7")] pub flight_before_bytes: Option<i64>,
        /// Bytes in the first RTT of the sender's data after the gap; null when the sender sent
        /// nothing after it.
        #[unit("bytes")] #[cite("C7")] pub flight_after_bytes: Option<i64>,
        /// Bytes in the second RTT after the gap.
        #[unit("bytes")] #[cite("C7")] pub flight_after_2_bytes: Option<i64>,
        /// Bytes in the third RTT after the gap.
        #[unit("bytes")] #[cite("C7")] pub flight_after_3_bytes: Option<i64>,
        /// Bytes in the fourth RTT after the gap.
        #[unit("bytes")] #[cite("C7")] pub flight_after_4_bytes: Option<i64>,
        /// Initial window that the first flight after the gap is compared with: ten segments (RFC
        /// 6928), or the flow's own first flight if that was larger.
        #[unit("bytes")] #[cite("C7, C8")] pub initial_window_bytes: i64,
        /// Whether the receiver's window had no room for a segment when the gap began, so that the
        /// window may have stopped the sender; null when the scale is unknown.
        #[unit("")] #[cite("C6")] pub window_full: Option<bool>,
        /// What the congestion window did: `none` (kept), `decayed`, `reset`; null with
        /// `restart_reason`.
        #[unit("")] #[cite("C7, RFC 5681 section 4.1, RFC 2861")] pub restart: Option<&'static str>,
        /// Why `restart` is null: `nothing_before`, `nothing_after`, `short_transfer` (fewer bytes
        /// after the gap than in the flight before).
        #[unit("")] #[cite("C7")] pub restart_reason: Option<&'static str>,
    }
}

impl EventTable for IdleGapRow {
    const TABLE: &'static str = "idle_gaps";
    const DOC: &'static str = "One row per idle gap: nothing in flight and no request open for longer than the retransmission timeout.";
}

/// Idle gaps of a flow; created at its first payload.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct IdleGaps(Option<Box<Activity>>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Activity {
    rounds: PerDirection<Rounds>,
    /// The time since which nothing is in flight.
    quiet: Option<Quiet>,
    /// Uplink payload since the last downlink payload, once it contains a request.
    request: Option<u64>,
    gap: Option<Box<Gap>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Quiet {
    since: Instant,
    window_full: PerDirection<Option<bool>>,
}

/// A gap after which the sender's next transfer is being watched.
#[derive(Clone, Debug, PartialEq)]
struct Gap {
    row: IdleGapRow,
    flights: Flights,
}

airmile_types::held!(IdleGaps { 0 } Activity { gap } Gap {});

impl Analysis for IdleGaps {
    const NAME: &'static str = "idle_gaps";
    const PAGE: &'static str = include_str!("idle_gaps.md");
    const SCOPE: Scope = Scope::Flow;
    type Row = NoColumns;
    type Event = IdleGapRow;

    fn on_segment(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<IdleGapRow>) {
        if segment.events.any(Events::NEW) || carries_data(segment) {
            self.0.get_or_insert_default().on_data(segment, parameters, out);
        } else if let Some(activity) = &mut self.0 {
            activity.note_quiet(segment);
        }
    }

    fn on_end(&mut self, _: &FlowFacts, parameters: &Parameters, out: &mut Vec<IdleGapRow>) {
        if let Some(activity) = &mut self.0 {
            activity.conclude(parameters, out);
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}

impl Activity {
    fn on_data(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<IdleGapRow>) {
        if self.quiet.is_some() {
            self.end_quiet(segment, parameters, out);
        }
        self.note_request(segment, parameters);
        self.watch(segment, parameters, out);
    }

    /// Takes the packet that ends a silence with nothing in flight; the silence may have been a
    /// gap.
    fn end_quiet(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<IdleGapRow>) {
        let Some(quiet) = self.quiet.take() else { return };
        let Some(direction) = self.resting(segment, parameters) else { return };
        let board = board(segment, direction);
        let length = segment.time - quiet.since;
        if length <= board.rto() {
            return;
        }
        self.conclude(parameters, out);
        let rounds = self.rounds.of_mut(direction);
        rounds.end();
        let before = rounds.largest();
        rounds.forget();
        let initial_window = initial_window(rounds, board, parameters);
        let flights = Flights { before, initial_window, ..Flights::default() };
        let row = IdleGapRow {
            uid: segment.flow.uid,
            direction,
            start_ns: quiet.since,
            end_ns: segment.time,
            rto_ms: board.rto().as_millis_f64(),
            idle_over_rto_ratio: length.as_secs_f64() / board.rto().as_secs_f64(),
            flight_before_bytes: (before > 0).then_some(before as i64),
            flight_after_bytes: None,
            flight_after_2_bytes: None,
            flight_after_3_bytes: None,
            flight_after_4_bytes: None,
            initial_window_bytes: initial_window as i64,
            window_full: *quiet.window_full.of(direction),
            restart: None,
            restart_reason: None,
        };
        self.gap = Some(Box::new(Gap { row, flights }));
    }

    /// The direction whose sender paused before this packet; `None` while a request was open. The
    /// flow's direction is the one with more bytes (methods T1).
    fn resting(&self, segment: &Segment<'_>, parameters: &Parameters) -> Option<Direction> {
        let (downlink, uplink) = (board(segment, Direction::Downlink), board(segment, Direction::Uplink));
        match self.request {
            // More uplink bytes than an initial window are an upload, so that it is the UE that
            // paused.
            Some(bytes) if segment.direction == Direction::Uplink && bytes > ten_segments(uplink, parameters) => {
                Some(Direction::Uplink)
            }
            Some(_) => None,
            None if uplink.payload_bytes() > downlink.payload_bytes() => Some(Direction::Uplink),
            None => Some(Direction::Downlink),
        }
    }

    /// Notes a request or its answer. A request is an uplink packet of
    /// `transfers.request_min_bytes` or more that was sent while every downlink byte seen was
    /// acknowledged; downlink payload answers it (methods T1).
    fn note_request(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let bytes = u64::from(segment.payload_bytes);
        match (segment.direction, &mut self.request) {
            (Direction::Downlink, request) => *request = None,
            (Direction::Uplink, Some(open)) => *open += bytes,
            (Direction::Uplink, request) => {
                let large = f64::from(segment.payload_bytes) >= parameters.request_min_bytes;
                *request = (large && segment.peer.in_flight_bytes() <= 0).then_some(bytes);
            }
        }
    }

    /// Counts the packet in its round, and the round in the transfer after a gap.
    fn watch(&mut self, segment: &Segment<'_>, parameters: &Parameters, out: &mut Vec<IdleGapRow>) {
        if self.gap.is_none() {
            self.rounds.of_mut(segment.direction).on_data(segment);
            return;
        }
        let of_gap = self.gap.as_ref().is_some_and(|gap| gap.row.direction == segment.direction);
        let drained = of_gap && self.rounds.of(segment.direction).is_running() && has_drained(segment);
        let ended = self.rounds.of_mut(segment.direction).on_data(segment);
        if let (true, Some(gap), Some(bytes)) = (of_gap, &mut self.gap, ended) {
            gap.flights.add(bytes);
            if drained || gap.flights.seen == ROUNDS {
                self.publish(parameters, out);
            }
        }
    }

    /// Ends the transfer after the gap, including its last round.
    fn conclude(&mut self, parameters: &Parameters, out: &mut Vec<IdleGapRow>) {
        let Some(gap) = &mut self.gap else { return };
        let rest = self.rounds.of_mut(gap.row.direction).end();
        if rest > 0 {
            gap.flights.add(rest);
        }
        self.publish(parameters, out);
    }

    fn publish(&mut self, parameters: &Parameters, out: &mut Vec<IdleGapRow>) {
        let Some(Gap { mut row, flights }) = self.gap.take().map(|gap| *gap) else { return };
        let after = |round: usize| (round < flights.seen).then(|| flights.after[round] as i64);
        row.flight_after_bytes = after(0);
        row.flight_after_2_bytes = after(1);
        row.flight_after_3_bytes = after(2);
        row.flight_after_4_bytes = after(3);
        match flights.classify(parameters) {
            Ok(restart) => row.restart = Some(restart.as_str()),
            Err(reason) => row.restart_reason = Some(reason),
        }
        out.push(row);
    }

    /// Notes since when nothing has been in flight in either direction.
    fn note_quiet(&mut self, segment: &Segment<'_>) {
        if segment.own.in_flight_bytes() > 0 || segment.peer.in_flight_bytes() > 0 {
            self.quiet = None;
        } else if self.quiet.is_none() {
            let full = |direction| {
                let board = board(segment, direction);
                Some(board.next() + i64::from(board.mss_bytes()) > board.right_edge()?)
            };
            let window_full = PerDirection { downlink: full(Direction::Downlink), uplink: full(Direction::Uplink) };
            self.quiet = Some(Quiet { since: segment.time, window_full });
        }
    }
}

impl Flights {
    fn add(&mut self, bytes: u64) {
        if let Some(slot) = self.after.get_mut(self.seen) {
            *slot = bytes;
            self.seen += 1;
        }
    }
}

/// Whether the packet carries payload of an application, and is neither a probe nor a duplicate of
/// the capture.
fn carries_data(segment: &Segment<'_>) -> bool {
    use SegmentClass::{CaptureDuplicate, KeepAlive, WindowProbe};
    segment.class.is_some_and(|class| !matches!(class, CaptureDuplicate | KeepAlive | WindowProbe))
}

/// Whether the sender waited for more than half an RTT although it knew that all its data was
/// acknowledged. Then its application had no more data, and the transfer after the gap is complete.
fn has_drained(segment: &Segment<'_>) -> bool {
    let board = segment.own;
    let all_acked = segment.class == Some(SegmentClass::New) && board.unacked() >= segment.start;
    let Some(advanced) = board.last_advance().filter(|_| all_acked) else { return false };
    let waited = segment.time - advanced - board.loop_time().unwrap_or(Duration::ZERO);
    waited > board.srtt().unwrap_or_else(|| board.rto()).over(2)
}

fn board<'a>(segment: &Segment<'a>, direction: Direction) -> &'a Scoreboard {
    if segment.direction == direction { segment.own } else { segment.peer }
}

fn ten_segments(board: &Scoreboard, parameters: &Parameters) -> u64 {
    (parameters.initial_window_segments * f64::from(board.mss_bytes())) as u64
}

fn initial_window(rounds: &Rounds, board: &Scoreboard, parameters: &Parameters) -> u64 {
    ten_segments(board, parameters).max(rounds.first().unwrap_or(0))
}
