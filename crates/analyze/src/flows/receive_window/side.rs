//! Receive window of one direction of data, as its sender knew it.

use airmile_track::{Events, Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Parameters, Vantage};

use super::edges::Edges;

/// What was seen of the window that limits one direction of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Window {
    /// The first and the last payload that the sender's application gave.
    pub(super) payload: Option<(Instant, Instant)>,
    /// The edge was unknown when data passed: nothing can be said of this direction.
    pub(super) scale_unknown: bool,
    pub(super) least_bytes: Option<u32>,
    pub(super) first_full: Option<Instant>,
    full: Option<Full>,
    full_time: Duration,
    /// End of the newest time that was full, to tell what of it lies after the last payload.
    full_until: Option<Instant>,
    zero_since: Option<Instant>,
    zero_time: Duration,
    /// Edges that the sender may not know yet.
    edges: Edges,
    /// Sender's unit and vantage, and the room that data wants with them; without a unit none.
    room: ((u32, Option<Vantage>), i64),
    /// The sender's RTT when it last sent: without data for so long after an opening, it was not
    /// the window that held it.
    patience: Duration,
}

airmile_types::held!(Window { edges });

/// The window is full now.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Full {
    since: Instant,
    /// When the sender learnt that there is room again.
    opened: Option<Instant>,
}

impl Window {
    /// Time full until now, and how much of it lies between the first and the last payload.
    pub(super) fn full_time(&self) -> (Duration, Duration) {
        let after = self.full_until.zip(self.payload);
        let after = after.map_or(Duration::ZERO, |(until, (_, last))| (until - last).max(Duration::ZERO));
        (self.full_time, (self.full_time - after).max(Duration::ZERO))
    }

    /// Time in which the receiver advertised nothing.
    pub(super) const fn zero_time(&self) -> Duration {
        self.zero_time
    }

    /// A packet of the sender.
    pub(super) fn on_sender(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if carries_data(segment) {
            self.payload.get_or_insert((segment.time, segment.time)).1 = segment.time;
        }
        if segment.events.any(Events::NEW) {
            self.on_new_data(segment, parameters);
        }
        if segment.events.any(Events::FIN.or(Events::RST)) {
            // All is sent, or nothing will be: the window holds nobody any more.
            self.end(segment.time);
        }
    }

    /// The room that new data wants; worked out where what it rests on has changed.
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
            // An edge that gives room may be on its way to the sender already.
            let opened = self.passed_with(board, now, board.next() + room_wanted).map(|at| at + loop_time(board));
            let since = self.full.map_or(now, |full| full.since);
            self.full = Some(Full { since, opened });
            self.first_full.get_or_insert(now);
        }
    }

    /// A packet of the receiver.
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

    /// When the first edge that lies at `wanted` or above passed the capture point; of one that passed before
    /// the first payload only that it did, so `now` stands for it, less than a loop late.
    fn passed_with(&self, board: &Scoreboard, now: Instant, wanted: i64) -> Option<Instant> {
        board.right_edge().filter(|edge| wanted <= *edge)?;
        Some(self.edges.passed_with(wanted).unwrap_or(now))
    }

    fn note_size(&mut self, segment: &Segment<'_>) {
        match segment.window_bytes {
            // 0 is 0 at any scale, and tells nothing of it.
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

    /// The flow ends, or its sender has sent all.
    pub(super) fn end(&mut self, now: Instant) {
        self.end_full(now);
        self.end_zero(now);
    }

    /// Full until `now`, or until the sender learnt of room that it did not use within an RTT.
    fn end_full(&mut self, now: Instant) {
        let Some(full) = self.full.take() else { return };
        let until = full.opened.filter(|at| now - *at > self.patience).unwrap_or(now);
        self.full_time += (until - full.since).max(Duration::ZERO);
        self.full_until = Some(until);
    }
}

/// Payload that the sender's application gave: no probe, and not the capture point's own copy.
fn carries_data(segment: &Segment<'_>) -> bool {
    use SegmentClass::{CaptureDuplicate, KeepAlive, WindowProbe};
    if segment.events.any(Events::NEW) {
        return true;
    }
    segment.class.is_some_and(|class| !matches!(class, CaptureDuplicate | KeepAlive | WindowProbe))
}

/// Less room than this below the right edge is full: one segment; three where the capture point stands at
/// the receiver and sees the sender's knowledge only through a whole RTT of jitter (methods C6).
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
