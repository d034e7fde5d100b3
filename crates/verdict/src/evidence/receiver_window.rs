//! Finds when the receiver's window stops one sender (methods C6): because the window is full, as
//! the sender knows it, or because it is closed.

use airmile_read::TcpFlags;
use airmile_track::{Scoreboard, Segment};
use airmile_types::{Duration, Instant};

use super::bits::Mask;
use super::emptied::empties_buffer;
use super::limits::Limits;
use super::sender_loop::loop_of;
use super::timeline::Timeline;
use super::window_scale::{Doubts, Scale};
use super::window_seen::FullTime;

/// The times at which the receiver's window stopped the sender, and whether it was closed. Empty
/// for most senders, whom no window stops.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceiverWindow(Option<Box<WindowStops>>);

/// The state kept for a sender that the window has stopped at least once.
#[derive(Clone, Debug, Default)]
struct WindowStops {
    stopped: Timeline,
    doubts: Doubts,
    /// How long the window was full at the scale that both SYNs show.
    full_time: FullTime,
    /// How long the window was 0 in the spans that are over.
    zero_time: Duration,
    /// The times at which the window was closed for longer than one round trip.
    unread: Timeline,
    /// The times at which the window was full, and had been short for longer than one round trip.
    behind: Timeline,
    /// The time since which less than half of the largest window has been free.
    short_since: Option<Instant>,
    full: Option<Full>,
    closed: Option<Closed>,
    /// The time until which the sender knew the window to be closed, for its newest closing.
    closed_until: Instant,
    /// The time by which the data that the sender had to send has arrived.
    answered: Instant,
}

airmile_types::held!(ReceiverWindow { 0 } WindowStops { stopped, doubts, unread, behind });

/// The window is full, and stops the sender; or it may be, as far as its scale is known.
#[derive(Clone, Copy, Debug)]
struct Full {
    scale: Scale,
    since: Instant,
    /// The time up to which the state has been added to the timeline.
    marked: Instant,
    /// The time at which a wider right edge of the window passed the capture point.
    opened: Option<Instant>,
}

/// The window is closed: the receiver accepts no data.
#[derive(Clone, Copy, Debug)]
struct Closed {
    since: Instant,
    /// The time up to which the state has been added to the timeline.
    marked: Instant,
}

impl ReceiverWindow {
    /// The milliseconds of a bin in which the window stopped the sender, if that is its scale.
    pub(crate) fn at(&self, bin: i64, scale: Scale) -> Mask {
        self.0.as_ref().map_or(0, |held| held.stopped.at(bin) | held.doubts.full_at(bin, scale))
    }

    /// The milliseconds of a bin in which the window may have stopped the sender, but its scale is
    /// unknown.
    pub(crate) fn doubted_at(&self, bin: i64, scale: Scale) -> Mask {
        self.0.as_ref().map_or(0, |held| held.doubts.open_at(bin, scale))
    }

    /// The milliseconds of a bin in which the window was closed for longer than one round trip, so
    /// that the receiving application did not read. An application that reads at once opens a
    /// closed window within one round trip.
    pub(crate) fn unread_at(&self, bin: i64) -> Mask {
        self.0.as_ref().map_or(0, |held| held.unread.at(bin))
    }

    /// The milliseconds of a bin in which the window stopped the sender while less than half of the
    /// largest one had been free for longer than one round trip, so that the receiving application
    /// was behind. One that reads what arrives frees the rest within a round trip, and a receiver
    /// announces half of its buffer as soon as it is free (RFC 9293 section 3.8.6.2.2).
    pub(crate) fn behind_at(&self, bin: i64) -> Mask {
        self.0.as_ref().map_or(0, |held| held.behind.at(bin))
    }

    /// Whether the window is full, or may be.
    #[inline]
    pub(super) fn may_be_full(&self) -> bool {
        self.0.as_ref().is_some_and(|held| held.full.is_some())
    }

    /// Whether the window is full, by a scale that both SYNs or the packets of the flow show. By one
    /// that is guessed or not known, the window may have room; then the silences of the application
    /// are found too, and the rule asks first whether the window was full.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.0.as_ref().is_some_and(|held| held.is_full())
    }

    /// Whether the window stops the sender. Also true just after an opening, while the capture
    /// point may not have seen the sender's answer to it.
    pub(super) fn is_blocked(&self, now: Instant) -> bool {
        match &self.0 {
            Some(held) => held.is_full() || held.closed.is_some() || now <= held.answered,
            None => now <= Instant::default(),
        }
    }

    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.0.as_ref().is_some_and(|held| held.closed.is_some())
    }

    /// The time at which the sender had heard that a closed window opened, for its newest opening.
    pub(super) fn closed_until(&self) -> Instant {
        self.0.as_ref().map_or(Instant::default(), |held| held.closed_until)
    }

    /// Tests for a full window: the highest byte sent + 1 MSS is beyond the edge that the sender
    /// knew (methods C6). The margin is 3 MSS at the UE, where the capture point is on the
    /// receiver's side. While the scale is unknown, the least that the packets leave can refute a
    /// full window.
    #[inline]
    pub(super) fn test(
        &mut self,
        segment: &Segment<'_>,
        at_receiver: bool,
        mss: i64,
        limits: &Limits,
    ) {
        let (board, now) = (segment.own, segment.time);
        // In a window of a few segments, a margin of three segments is too large.
        let large = || board.window_bytes().is_none_or(|window| i64::from(window / 16) >= mss);
        let segments = if at_receiver && large() {
            limits.full_receiver_segments
        } else {
            limits.full_segments
        };
        let margin = (segments * mss as f64) as i64;
        let scale = Scale::of(segment.flow, segment.direction.reverse());
        let edge = match scale {
            Scale::Agreed(_) | Scale::Known { .. } => board.right_edge_known(now),
            Scale::AtLeast(least) => least.and_then(|least| board.edge_known_at_scale(now, least)),
        };
        let meets = match edge {
            Some(edge) => segment.end + margin > edge && !leaves_nothing(segment, scale, edge, mss),
            None => scale == Scale::AtLeast(None),
        };
        // After its FIN a sender has no more data that a window could stop.
        let meets = meets && !segment.flags.has(TcpFlags::FIN);
        if meets || self.may_be_full() {
            let opened = if at_receiver { now } else { opened_at(board, scale, now) };
            self.0.get_or_insert_default().note_full(meets.then_some(scale), board, (now, opened));
        }
    }

    /// Notes the window of an ACK, and the largest one after the handshake.
    #[inline]
    pub(super) fn note_size(&mut self, bytes: u32, largest: u32, segment: &Segment<'_>) {
        if let Some(held) = &mut self.0 {
            held.note_size(bytes < largest.div_ceil(2), segment);
        }
    }

    /// Notes that a wider right edge of the window may have passed.
    #[inline]
    pub(super) fn note_opening(&mut self, board: &Scoreboard, now: Instant) {
        if let Some(held) = &mut self.0 {
            held.note_opening(board, now);
        }
    }

    /// Ends a full window at `now`, because its sender has no more data or the flow has ended.
    #[cold]
    pub(super) fn end_full(&mut self, board: &Scoreboard, now: Instant) {
        if let Some(held) = &mut self.0 {
            held.settle_full(board, now);
            held.mark_full(board, now);
            held.full = None;
        }
    }

    /// How long the window was full, if that is its scale; `None` if nothing shows whether it was.
    pub(super) fn full_time(&self, scale: Scale) -> Option<FullTime> {
        let Some(held) = &self.0 else { return Some(FullTime::default()) };
        let guessed = held.doubts.full_time(scale);
        if matches!(scale, Scale::Agreed(_)) { guessed.and(Some(held.full_time)) } else { guessed }
    }

    /// How long the window was 0 until `end`; `None` if it never stopped the sender.
    pub(super) fn zero_time(&self, end: Instant) -> Option<Duration> {
        self.0.as_ref().map(|held| {
            let lasting = held.closed.map_or(Duration::ZERO, |closed| end - closed.since);
            held.zero_time + lasting.max(Duration::ZERO)
        })
    }

    /// Updates the states "full" and "closed" up to `now`.
    #[inline]
    pub(super) fn settle(&mut self, board: &Scoreboard, now: Instant) {
        if self.0.is_some() || board.window_is_closed() {
            self.0.get_or_insert_default().settle(board, now);
        }
    }
}

impl WindowStops {
    fn is_full(&self) -> bool {
        let shown =
            |scale: Scale| matches!(scale, Scale::Agreed(_) | Scale::Known { guessed: false, .. });
        self.full.is_some_and(|full| shown(full.scale))
    }

    /// Notes whether less than half of the largest window is free. Data behind a hole lie in the
    /// buffer unread, so that a window is not judged while a loss is repaired.
    #[inline(never)]
    fn note_size(&mut self, is_short: bool, segment: &Segment<'_>) {
        let since = self.short_since.filter(|_| !segment.peer.is_recovering());
        self.short_since = is_short.then(|| since.unwrap_or(segment.time));
    }

    #[inline(never)]
    fn note_full(
        &mut self,
        meets: Option<Scale>,
        board: &Scoreboard,
        (now, opened_at): (Instant, Instant),
    ) {
        self.mark_full(board, now);
        let (since, marked) = self.full.map_or((now, now), |full| (full.since, full.marked));
        self.full = meets.map(|scale| Full { scale, since, marked, opened: None });
        self.note_opening(board, opened_at);
    }

    fn note_opening(&mut self, board: &Scoreboard, at: Instant) {
        if let Some(full) = &mut self.full
            && full.opened.is_none()
            && has_room(board, full.scale)
        {
            full.opened = Some(at);
        }
    }

    fn settle(&mut self, board: &Scoreboard, now: Instant) {
        if self.full.is_some() {
            self.settle_full(board, now);
        }
        if self.closed.is_some() || board.window_is_closed() {
            self.settle_closed(board, now);
        }
    }

    /// A full window lasts until new data passes that does not meet the test. When no data follows
    /// within one round trip after the sender knew that its edge opened, the full window ended then
    /// (methods C6).
    #[inline(never)]
    fn settle_full(&mut self, board: &Scoreboard, now: Instant) {
        let Some(full) = self.full else { return };
        let known = full.opened.map(|opened| opened + loop_of(board));
        self.mark_full(board, known.map_or(now, |known| known.min(now)));
        if known.is_some_and(|known| now - known > round_trip(board)) {
            self.full = None;
        }
    }

    /// Adds the time until `until` to a window that is full.
    fn mark_full(&mut self, board: &Scoreboard, until: Instant) {
        let Some(full) = &mut self.full else { return };
        let span = (full.marked, until);
        match full.scale {
            Scale::Agreed(_) => {
                self.stopped.mark(full.marked, until);
                self.full_time.add(full.since, span);
            }
            Scale::Known { scale, .. } => self.doubts.mark(Some(scale), full.since, span),
            Scale::AtLeast(least) => self.doubts.mark(least, full.since, span),
        }
        if let Some(since) = self.short_since.filter(|since| until - *since > round_trip(board)) {
            self.behind.mark(since.max(full.since), until);
        }
        full.marked = full.marked.max(until);
    }

    /// A closed window lasts until the sender knows that it opened, or has sent its FIN. The sender
    /// had filled the window before the capture point saw it close.
    #[cold]
    fn settle_closed(&mut self, board: &Scoreboard, now: Instant) {
        let is_closed = board.window_is_closed();
        if let Some(Closed { since, marked }) = self.closed {
            let heard = if is_closed || board.is_finished() { now } else { now + loop_of(board) };
            self.stopped.mark(marked, heard);
            if now - since > round_trip(board) {
                self.unread.mark(since, heard);
            }
            self.closed_until = heard;
            // Where the way to the sender is not known, it answers within its timer.
            let answer = board.loop_time().map_or(board.rto(), |_| round_trip(board));
            self.answered = heard + answer;
            if !is_closed {
                self.zero_time += (now - since).max(Duration::ZERO);
            }
            self.closed = is_closed.then_some(Closed { since, marked: now });
        } else if is_closed {
            self.closed = Some(Closed { since: now, marked: now });
        }
    }
}

/// Whether the sender had no more data for a window whose scale is uncertain. A segment that the
/// window cuts short ends at its edge, and a sender with a backlog cuts none short elsewhere (RFC
/// 9293 section 3.9.1.2).
fn leaves_nothing(segment: &Segment<'_>, scale: Scale, edge: i64, mss: i64) -> bool {
    !matches!(scale, Scale::Agreed(_)) && segment.end != edge && empties_buffer(segment, mss)
}

/// Whether the window that the receiver announced leaves room for one more segment. With nothing in
/// flight, every window that is not closed does: a receiver announces no smaller one (RFC 9293
/// section 3.8.6.2.2).
fn has_room(board: &Scoreboard, scale: Scale) -> bool {
    let edge = match scale {
        Scale::Agreed(_) | Scale::Known { .. } => board.right_edge(),
        Scale::AtLeast(_) if board.in_flight_bytes() <= 0 => return !board.window_is_closed(),
        Scale::AtLeast(least) => least.and_then(|least| board.edge_at_scale(least)),
    };
    edge.is_some_and(|edge| board.next() + i64::from(board.mss_bytes()) <= edge)
}

/// The time at which the first edge passed that leaves room for one more segment, if the sender had
/// not heard of it before `now`; otherwise the latest time at which it can have passed. At the
/// receiver, whose capture does not show when the sender heard, it is `now`.
fn opened_at(board: &Scoreboard, scale: Scale, now: Instant) -> Instant {
    let wanted = board.next() + i64::from(board.mss_bytes());
    let passed = match scale {
        Scale::Agreed(_) | Scale::Known { .. } => board.edge_passed(wanted),
        Scale::AtLeast(_) => None,
    };
    passed.map_or(now, |passed| passed.max(now - loop_of(board)))
}

/// The least round trip of the whole path.
pub(super) fn round_trip(board: &Scoreboard) -> Duration {
    board.rtt_min().unwrap_or(Duration::ZERO) + loop_of(board)
}
