//! Follows the receive window of one direction of data, as its sender knew it.

use airmile_track::{Events, Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Parameters, Vantage};

use super::edges::Edges;

/// The state of the window that limits one direction of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Window {
    /// The times of the first and the last payload that the sender's application wrote.
    pub(super) payload: Option<(Instant, Instant)>,
    /// Whether the right edge was unknown when data passed, so that this direction has no values.
    pub(super) scale_unknown: bool,
    pub(super) least_bytes: Option<u32>,
    pub(super) first_full: Option<Instant>,
    full: Option<Full>,
    full_time: Duration,
    /// The end of the newest full time; it shows how much of that time is after the last payload.
    full_until: Option<Instant>,
    zero_since: Option<Instant>,
    zero_time: Duration,
    /// The window edges that the sender may not know yet.
    edges: Edges,
    /// The segment size and vantage of the sender, and the room that new data needs with them.
    room: ((u32, Option<Vantage>), i64),
    /// The sender's RTT when it last sent. When no data follows an opening for this long, the
    /// window was not what stopped the sender.
    patience: Duration,
}

airmile_types::held!(Window { edges });

/// A window that is full now.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Full {
    since: Instant,
    /// The time at which the sender learnt that the window has room again.
    opened: Option<Instant>,
}

impl Window {
    /// The total time with a full window, and the part of it between the first and the last
    /// payload.
    pub(super) fn full_time(&self) -> (Duration, Duration) {
        let after = self.full_until.zip(self.payload);
        let after = after.map_or(Duration::ZERO, |(until, (_, last))| (until - last).max(Duration::ZERO));
        (self.full_time, (self.full_time - after).max(Duration::ZERO))
    }

    /// The time in which the receiver advertised a window of 0.
    pub(super) const fn zero_time(&self) -> Duration {
        self.zero_time
    }

    /// Takes a packet of the sender.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if carries_data(segment) {
            self.payload.get_or_insert((segment.time, segment.time)).1 = segment.time;
        }
        if segment.events.any(Events::NEW) {
            self.on_new_data(segment, parameters);
        }
        if segment.events.any(Events::FIN.or(Events::RST)) {
            // The sender has no more data, so the window stops nothing.
            self.end(segment.time);
        }
    }

    /// The room that new data needs; computed again when the segment size or the vantage has
    /// changed.
    #[inline]
    fn room_wanted(&mut self, segment: &Segment<'_>, parameters: &Parameters) -> i64 {
        let basis = (segment.own.mss_bytes(), segment.flow.vantage);
        if self.room.0 != basis {
            self.room = (basis, room_wanted(segment, segment.direction, segment.own, parameters));
        }
        self.room.1
    }

    fn on_new_data(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let (board, now) = (segment.own, segment.time);
        if board.right_edge().is_none() {
            self.scale_unknown = true;
        }
        let Some(edge) = board.right_edge_known(now) else { return };
        let room_wanted = self.room_wanted(segment, parameters);
        let full = board.next() + room_wanted > edge;
        if !full && self.full.is_none() {
            return;
        }
        self.patience = board.srtt().unwrap_or_else(|| board.rto());
        let stopped_before = self.full.and_then(|full| full.opened).is_some_and(|at| now - at > self.patience);
        if stopped_before || !full {
            self.end_full(now);
        }
        if full {
            // An edge that gives room may already be on its way to the sender.
            let opened = self.passed_with(board, now, board.next() + room_wanted).map(|at| at + loop_time(board));
            let since = self.full.map_or(now, |full| full.since);
            self.full = Some(Full { since, opened });
            self.first_full.get_or_insert(now);
        }
    }

    /// Takes a packet of the receiver.
    pub(super) fn on_receiver(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let board = segment.peer;
        let means_nothing =
            segment.events.any(Events::SYN.or(Events::RST)) || board.is_finished();
        if means_nothing || segment.ack.is_none() {
            return;
        }
        self.note_size(segment);
        if let Some(edge) = board.right_edge() {
            self.edges.note(segment.time, edge, loop_time(board));
        }
        if let Some(full) = self.full.as_mut().filter(|full| full.opened.is_none()) {
            let direction = segment.direction.reverse();
            let wanted = board.next() + room_wanted(segment, direction, board, parameters);
            if board.right_edge().is_some_and(|edge| wanted <= edge) {
                full.opened = Some(segment.time + loop_time(board));
            }
        }
    }

    /// The time at which the first edge at `wanted` or above passed the capture point. The time of
    /// an edge before the first payload is not kept: for such an edge the result is `now`, which is
    /// too late by less than a round trip.
    fn passed_with(&self, board: &Scoreboard, now: Instant, wanted: i64) -> Option<Instant> {
        board.right_edge().filter(|edge| wanted <= *edge)?;
        Some(self.edges.passed_with(wanted).unwrap_or(now))
    }

    fn note_size(&mut self, segment: &Segment<'_>) {
        match segment.window_bytes {
            // A window of 0 is 0 with any scale.
            Some(0) => self.scale_unknown |= segment.flow.window_shift(segment.direction).is_none(),
            Some(_) => {}
            None => self.scale_unknown = true,
        }
        if let Some(bytes) = segment.window_bytes
            && self.least_bytes.is_none_or(|least| bytes < least)
        {
            self.least_bytes = Some(bytes);
        }
        if segment.peer.window_is_closed() {
            self.zero_since.get_or_insert(segment.time);
        } else if self.zero_since.is_some() {
            self.end_zero(segment.time);
        }
    }

    #[cold]
    fn end_zero(&mut self, now: Instant) {
        if let Some(since) = self.zero_since.take() {
            self.zero_time += (now - since).max(Duration::ZERO);
        }
    }

    /// Ends the state when the flow ends or its sender has sent all.
    pub(super) fn end(&mut self, now: Instant) {
        self.end_full(now);
        self.end_zero(now);
    }

    /// Ends the full state at `now`, or earlier, when the sender learnt of room that it did not use
    /// within an RTT.
    fn end_full(&mut self, now: Instant) {
        let Some(full) = self.full.take() else { return };
        let until = full.opened.filter(|at| now - *at > self.patience).unwrap_or(now);
        self.full_time += (until - full.since).max(Duration::ZERO);
        self.full_until = Some(until);
    }
}

/// Whether the packet carries payload of the application, and is neither a probe nor a duplicate of
/// the capture.
fn carries_data(segment: &Segment<'_>) -> bool {
    use SegmentClass::{CaptureDuplicate, KeepAlive, WindowProbe};
    if segment.events.any(Events::NEW) {
        return true;
    }
    segment.class.is_some_and(|class| !matches!(class, CaptureDuplicate | KeepAlive | WindowProbe))
}

/// The window is full when the room below its right edge is less than this: one segment, or three
/// segments when the capture point is at the receiver, because the round trip to the sender varies
/// there (methods C6).
fn room_wanted(segment: &Segment<'_>, data: Direction, board: &Scoreboard, parameters: &Parameters) -> i64 {
    let at_receiver = match data {
        Direction::Downlink => Vantage::Ue,
        Direction::Uplink => Vantage::Server,
    };
    let segments = if segment.flow.vantage == Some(at_receiver) {
        parameters.full_receiver_mss
    } else {
        parameters.full_mss
    };
    (segments * f64::from(board.mss_bytes())) as i64
}

fn loop_time(board: &Scoreboard) -> Duration {
    board.loop_time().unwrap_or(Duration::ZERO)
}
