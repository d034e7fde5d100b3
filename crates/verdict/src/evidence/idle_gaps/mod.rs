//! Finds the idle gaps of a flow (methods T3), and what its sender's congestion window did after each
//! (methods C7).

mod flights;
mod regain;
mod rounds;

use airmile_track::{Events, Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Maybe, Parameters, PerDirection};

pub use flights::{Flights, Restart};

use flights::ROUNDS;
use regain::Regain;
use rounds::Rounds;

/// An idle gap of a flow, and what its sender sent after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapSeen {
    /// The direction of the data whose sender paused.
    pub direction: Direction,
    /// The time of the last payload before the gap, or of its ACK.
    pub start: Instant,
    /// The time of the next payload of either direction.
    pub end: Instant,
    /// The sender's retransmission timeout when the gap began.
    pub rto: Duration,
    /// Whether the receiver's window had no room for a segment when the gap began; `None` if its
    /// scale is unknown.
    pub window_full: Option<bool>,
    /// The bytes per round trip before the gap and after it.
    pub flights: Flights,
}

/// Idle gaps of a flow; created at its first payload.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdleGaps(Option<Box<Activity>>);

#[derive(Clone, Debug, Default)]
struct Activity {
    rounds: PerDirection<Rounds>,
    /// The time since which nothing is in flight.
    quiet: Option<Quiet>,
    /// Uplink payload since the last downlink payload, once it contains a request.
    request: Option<u64>,
    /// A gap after which the sender's next transfer is being watched.
    gap: Option<Box<GapSeen>>,
    /// The growth after the newest gap.
    regain: Option<Box<Regain>>,
}

#[derive(Clone, Copy, Debug)]
struct Quiet {
    since: Instant,
    window_full: PerDirection<Option<bool>>,
}

airmile_types::held!(IdleGaps { 0 } Activity { gap, regain } GapSeen {});

impl IdleGaps {
    /// Takes a packet, and the time at which its sender's congestion window was last reduced. Returns
    /// the span in which that window regains what it held before a gap.
    #[inline]
    pub(crate) fn take(
        &mut self,
        segment: &Segment<'_>,
        cut: Maybe<Instant>,
        parameters: &Parameters,
        out: &mut Vec<GapSeen>,
    ) -> Option<(Instant, Instant)> {
        if segment.events.any(Events::NEW) || carries_data(segment) {
            return self.0.get_or_insert_default().on_data(segment, cut, parameters, out);
        }
        if let Some(activity) = &mut self.0 {
            activity.note_quiet(segment);
        }
        None
    }

    /// Ends the newest gap, because the flow has ended.
    pub(crate) fn end(&mut self, out: &mut Vec<GapSeen>) {
        if let Some(activity) = &mut self.0 {
            activity.conclude(out);
        }
    }
}

impl Activity {
    fn on_data(
        &mut self,
        segment: &Segment<'_>,
        cut: Maybe<Instant>,
        parameters: &Parameters,
        out: &mut Vec<GapSeen>,
    ) -> Option<(Instant, Instant)> {
        if self.quiet.is_some() {
            self.end_quiet(segment, parameters, out);
        }
        self.note_request(segment, parameters);
        if self.gap.is_none() {
            self.rounds.of_mut(segment.direction).on_data(segment);
        } else {
            self.watch(segment, out);
        }
        if self.regain.is_some() { self.follow_regain(segment, cut, parameters) } else { None }
    }

    /// Takes the packet that ends a silence with nothing in flight; the silence may have been a
    /// gap.
    fn end_quiet(
        &mut self,
        segment: &Segment<'_>,
        parameters: &Parameters,
        out: &mut Vec<GapSeen>,
    ) {
        let Some(quiet) = self.quiet.take() else { return };
        let Some(direction) = self.resting(segment, parameters) else { return };
        let board = board(segment, direction);
        if segment.time - quiet.since <= board.rto() {
            return;
        }
        self.conclude(out);
        let rounds = self.rounds.of_mut(direction);
        rounds.end();
        let before = rounds.largest();
        rounds.forget();
        let initial_window = initial_window(rounds, board, parameters);
        self.gap = Some(Box::new(GapSeen {
            direction,
            start: quiet.since,
            end: segment.time,
            rto: board.rto(),
            window_full: *quiet.window_full.of(direction),
            flights: Flights::new(before, initial_window),
        }));
        self.regain = Some(Box::new(Regain::new(direction, before)));
    }

    /// The direction whose sender paused before this packet; `None` while a request was open. The
    /// flow's direction is the one with more bytes (methods T1).
    fn resting(&self, segment: &Segment<'_>, parameters: &Parameters) -> Option<Direction> {
        let downlink = board(segment, Direction::Downlink);
        let uplink = board(segment, Direction::Uplink);
        let begins = ten_segments(uplink, parameters);
        match self.request {
            // More uplink bytes than an initial window are an upload, so that it is the UE that
            // paused.
            Some(bytes) if segment.direction == Direction::Uplink && bytes > begins => {
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
    #[inline(never)]
    fn watch(&mut self, segment: &Segment<'_>, out: &mut Vec<GapSeen>) {
        let rounds = self.rounds.of_mut(segment.direction);
        let of_gap = self.gap.as_ref().is_some_and(|gap| gap.direction == segment.direction);
        let drained = of_gap && rounds.is_running() && has_drained(segment);
        let ended = rounds.on_data(segment);
        if let (true, Some(gap), Some(bytes)) = (of_gap, &mut self.gap, ended) {
            gap.flights.add(bytes);
            if drained || gap.flights.seen() == ROUNDS {
                self.publish(out);
            }
        }
    }

    /// Follows the growth after a gap. It is over when the window holds what it held before, when
    /// the transfer ends without a restart, and when a loss or a mark reduces the window.
    #[inline(never)]
    fn follow_regain(
        &mut self,
        segment: &Segment<'_>,
        cut: Maybe<Instant>,
        parameters: &Parameters,
    ) -> Option<(Instant, Instant)> {
        let regain = self.regain.as_mut().filter(|it| it.direction == segment.direction)?;
        let running = self.rounds.of(segment.direction).bytes();
        let flights = self.gap.as_ref().map(|gap| gap.flights.with(running));
        let (span, is_over) = regain.take(segment, cut, flights.as_ref(), parameters);
        if is_over {
            self.regain = None;
        }
        span
    }

    /// Ends the transfer after the gap, including its last round.
    fn conclude(&mut self, out: &mut Vec<GapSeen>) {
        let Some(gap) = &mut self.gap else { return };
        let rest = self.rounds.of_mut(gap.direction).end();
        if rest > 0 {
            gap.flights.add(rest);
        }
        self.publish(out);
    }

    fn publish(&mut self, out: &mut Vec<GapSeen>) {
        out.extend(self.gap.take().map(|gap| *gap));
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
            let window_full = PerDirection {
                downlink: full(Direction::Downlink),
                uplink: full(Direction::Uplink),
            };
            self.quiet = Some(Quiet { since: segment.time, window_full });
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
