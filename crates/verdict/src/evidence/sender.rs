//! Finds what stopped one sender: the receiver's window, its application, a timeout or a loss
//! recovery.
//!
//! All comparisons use what the sender knew. It knows of a packet one round trip (capture point,
//! sender, capture point) after the packet passed the capture point (methods T8). Most packets
//! change only counters and the length of the span in which data is in flight. The rarer cases are
//! in functions of their own.

mod application;
mod congestion;
mod counters;
mod doubt;
mod flight;
mod freed;
mod growth;
mod held;
mod lost_flight;
mod marked;
mod marks;
mod missing;
mod newest;
mod numbers;
mod pace;
mod repair;
mod repairs;
mod rest;
mod resumed;
mod rounds;
mod sent;
mod silences;
mod state;
mod unheard;

use airmile_read::TcpFlags;
use airmile_track::{Events, FlowFacts, Scoreboard, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant};

pub(crate) use counters::{Counters, NEVER_CUT};
use freed::Freed;
use marks::is_marked;
use sent::Sent;
pub(crate) use state::Sender;

use super::emptied::empties_buffer;
use super::limits::Limits;
use super::sender_loop::loop_of;
use super::window_scale::Scale;
use super::window_seen::WindowSeen;

/// The greatest number of ACKs that are kept because they may have freed the window; beyond it the
/// oldest are forgotten.
const MOST_FREED: usize = 4096;
/// The number of ACKs to reserve memory for at first, which is enough for a short flow.
const FIRST_FREED: usize = 16;
impl Sender {
    /// Takes a packet of this sender.
    #[inline]
    pub(crate) fn on_own(&mut self, segment: &Segment<'_>, limits: &Limits) {
        if segment.window_probe || segment.events.any(Events::FIN) {
            self.settle_apart(segment);
        }
        let said = matches!(segment.class, None | Some(SegmentClass::CaptureDuplicate));
        self.numbers.take(segment.ip_id, packets_of(segment), segment.time);
        if !said && !segment.window_probe {
            self.on_data(segment, limits);
        }
    }

    fn on_data(&mut self, segment: &Segment<'_>, limits: &Limits) {
        let now = segment.time;
        self.settle(segment.own, segment);
        if !self.bins.are_one(self.newest.time(), now) {
            self.begin_bin(now, limits);
            self.note_missing(segment);
        }
        let sent = Sent::new(segment, limits);
        if segment.timeout {
            self.mark_timeout(segment, now, limits);
        } else if segment.class == Some(SegmentClass::New) {
            self.mark_application(segment, &sent, limits);
            self.has_more = !segment.flags.has(TcpFlags::PSH);
            self.window.test(segment, sent.at_receiver, sent.mss, limits);
            self.calm &= !self.window.may_be_full();
        }
        if is_marked(segment) {
            self.note_marked(now);
        }
        self.note_cut(segment);
        self.note_flight(segment, &sent, limits);
        self.forget_freed(sent.loop_time, now);
        self.note_uncalled(segment, &sent);
        self.emptied = empties_buffer(segment, sent.mss);
        if self.emptied {
            self.note_write(segment, &sent);
        }
    }

    /// Takes a packet that acknowledges data of this sender.
    #[inline]
    pub(crate) fn on_peer(&mut self, segment: &Segment<'_>, limits: &Limits) {
        let (now, board) = (segment.time, segment.peer);
        self.settle(board, segment);
        self.end_missing(now);
        self.last_ack = now.into();
        if segment.flags.has(TcpFlags::ECE) {
            self.note_echo(segment);
        }
        if let Some(probe) = segment.tail_probe.filter(|probe| probe.lost) {
            // The tail loss probe, which a timer sent, has found the loss (RFC 8985 section 7).
            self.repairs.get_or_insert_default().timeout.mark(probe.silent_since, now);
        }
        if let Some(bytes) = segment.window_bytes {
            self.note_window(bytes, segment);
        }
        if segment.payload_bytes > 0
            && let Some(silences) = &mut self.silences
        {
            silences.note_record(segment);
        }
        if segment.acked_bytes > 0 {
            self.acked_ever = true;
            self.note_freed(segment);
            self.counters(now + loop_of(board), limits).acked_bytes +=
                segment.delivered_bytes as i64;
        } else {
            self.note_duplicate(segment, limits);
        }
        if !self.calm {
            self.acked_ever |= board.window_is_closed();
            self.window.note_opening(board, now);
        }
        let counters = self.counters(now, limits);
        match segment.rtt {
            Some(sample) => counters.rtt = sample.rtt.into(),
            None if segment.sack_rtt.is_some() => counters.rtt = segment.sack_rtt.into(),
            None => {}
        }
        counters.rtt_min = board.rtt_min().into();
        if let Some(bytes) = board.window_bytes() {
            // A window has at most 2^30 bytes (RFC 7323 section 2.3).
            counters.window_bytes = bytes.cast_signed().into();
        }
    }

    /// Whether the receiver's window stops the sender, or did so until it opened just now.
    pub(crate) fn is_blocked(&self, now: Instant) -> bool {
        self.window.is_blocked(now)
    }

    /// Whether the receiver's window is closed now.
    pub(crate) fn is_closed(&self) -> bool {
        self.window.is_closed()
    }

    /// Updates lasting states up to the segment; `board` is the scoreboard of this sender's data.
    #[inline(always)]
    fn settle(&mut self, board: &Scoreboard, segment: &Segment<'_>) {
        let now = segment.time;
        debug_assert!(segment.events.any(Events::RECOVERY) || !board.is_recovering());
        let since = std::mem::replace(&mut self.last_event, now.into()).get().unwrap_or(now);
        if !self.calm || segment.events.any(Events::RECOVERY) || board.window_is_closed() {
            self.settle_rare(board, since, now);
        }
        self.settle_busy(board, since, now);
    }

    /// Updates lasting states for a packet of the sender that may carry no data. After its FIN the
    /// sender has no more data that the window could stop.
    #[cold]
    fn settle_apart(&mut self, segment: &Segment<'_>) {
        self.settle(segment.own, segment);
        if segment.events.any(Events::FIN) {
            self.window.end_full(segment.own, segment.time);
        }
    }

    /// Updates the states loss episode, full window and closed window up to `now`.
    #[inline(never)]
    fn settle_rare(&mut self, board: &Scoreboard, since: Instant, now: Instant) {
        if self.is_recovering() || board.is_recovering() {
            self.settle_recovery(board, since, now);
        } else if let Some(repairs) = &mut self.repairs {
            repairs.repairing = false;
        }
        self.window.settle(board, now);
        let repairs = self.repairs.as_ref().is_some_and(|repairs| repairs.go_on());
        self.calm = !(repairs || self.window.may_be_full() || self.window.is_closed());
    }

    #[inline]
    fn settle_busy(&mut self, board: &Scoreboard, since: Instant, now: Instant) {
        if self.in_flight {
            self.busy.mark(since, now);
        } else if self.known_empty > since {
            self.busy.mark(since, now.min(self.known_empty));
        }
        // A FIN in flight is not data.
        let in_flight = board.data_end() > board.unacked();
        if in_flight != self.in_flight {
            (self.in_flight, self.turned) = (in_flight, true);
        }
        if !self.in_flight
            && let Some(advanced) = board.last_advance()
        {
            self.known_empty = advanced + loop_of(board);
        }
    }

    /// Takes the window of the receiver's packet. That of a SYN has no scale (RFC 7323 section 2.2),
    /// that of an RST no meaning, and a window of 0 can be read without knowing the scale.
    #[inline]
    fn note_window(&mut self, bytes: u32, segment: &Segment<'_>) {
        if segment.flags.any(TcpFlags::SYN | TcpFlags::RST) {
            return;
        }
        self.largest_window_bytes = self.largest_window_bytes.max(bytes);
        if self.least_window.get().is_none_or(|least| bytes.cast_signed() < least) {
            self.note_least(bytes, segment.peer);
        }
        self.window.note_size(bytes, self.largest_window_bytes, segment);
    }

    /// Notes the smallest window so far, of those that limit data.
    #[inline(never)]
    fn note_least(&mut self, bytes: u32, board: &Scoreboard) {
        let limits_data = bytes == 0 || board.first_data().is_some();
        if limits_data && !board.is_finished() {
            self.least_window = bytes.cast_signed().into();
        }
    }

    /// What the receiver's window did to this sender, after its flow has ended; `None` without
    /// payload and if the window never stopped it.
    pub(crate) fn window_seen(
        &mut self,
        (flow, direction): (&FlowFacts, Direction),
        board: &Scoreboard,
    ) -> Option<WindowSeen> {
        self.window.end_full(board, flow.end);
        let payload = board.first_data().zip(board.last_data());
        let zero_time = self.window.zero_time(flow.end);
        let zero_time = zero_time.or_else(|| payload.map(|_| Duration::ZERO))?;
        let scale = Scale::of(flow, direction.reverse());
        // Of a receiver none of whose packets was captured, no window is known.
        let readable = !matches!(scale, Scale::AtLeast(_)) || board.edge_at_scale(0).is_some();
        Some(WindowSeen {
            full: self.window.full_time(scale).filter(|_| readable),
            zero_time,
            least_bytes: self.least_window.get().map(i32::cast_unsigned),
            payload,
        })
    }

    /// Takes a packet that acknowledges nothing new. A lone ACK beside data in flight shows that the
    /// capture holds this direction.
    #[inline]
    fn note_duplicate(&mut self, segment: &Segment<'_>, limits: &Limits) {
        let board = segment.peer;
        self.acked_ever |= segment.payload_bytes == 0 && board.in_flight_bytes() > 0;
        if segment.sacked_bytes > 0 {
            let counters = self.counters(segment.time + loop_of(board), limits);
            counters.acked_bytes += segment.sacked_bytes as i64;
        }
    }

    #[inline]
    fn note_freed(&mut self, segment: &Segment<'_>) {
        match self.freed.len() {
            0 => self.freed.reserve(FIRST_FREED),
            MOST_FREED => drop(self.freed.pop_front()),
            _ => {}
        }
        self.freed.push_back(Freed::new(segment));
    }

    /// Whether any data of this sender was ever acknowledged, and whether the window of its
    /// receiver could be read.
    pub(crate) const fn sees(&self) -> (bool, bool) {
        (self.acked_ever, self.largest_window_bytes > 0)
    }

    /// The time from which the counters hold all ACKs that the sender heard of, in a flow that was
    /// met at `start`. The ACKs of the first round trip between capture point and sender had passed
    /// before. Those of the second passed before an echo showed that round trip, and were counted
    /// too early.
    pub(crate) fn hears_since(&self, start: Instant) -> Instant {
        start + self.newest.loop_time().times(2)
    }

    /// Whether data of this sender has begun to be in flight (`Some(true)`) or ceased to be since this
    /// was last asked.
    pub(crate) fn take_turn(&mut self) -> Option<bool> {
        std::mem::take(&mut self.turned).then_some(self.in_flight)
    }

    /// The time of the newest data.
    pub(crate) fn last_sent(&self) -> Option<Instant> {
        self.newest.last()
    }

    /// The least round trip of the whole path, as far as it is known.
    pub(crate) fn round_trip(&self) -> Duration {
        self.newest.round_trip()
    }

    /// The counters of `bin`, if any packet changed them.
    pub(crate) fn bin(&self, bin: i64) -> Option<&Counters> {
        self.bins.get(bin)
    }

    /// The counters of the bins in `[from, bin)` that are not empty, the newest first.
    pub(crate) fn bins_before(&self, bin: i64, from: i64) -> impl Iterator<Item = &Counters> {
        self.bins.before(bin, from)
    }

    /// The first bin from `bin` on that has counters.
    pub(crate) fn next_bin(&self, bin: i64) -> Option<i64> {
        self.bins.next(bin)
    }

    fn forget_freed(&mut self, loop_time: Duration, now: Instant) {
        let known = now - loop_time;
        while self.freed.front().is_some_and(|ack| ack.at <= known) {
            self.freed.pop_front();
        }
    }
}

/// The number of packets in a record.
#[inline]
fn packets_of(segment: &Segment<'_>) -> u16 {
    if !segment.super_segment {
        return 1;
    }
    let packets = segment.payload_bytes.div_ceil(segment.own.mss_bytes().max(1));
    u16::try_from(packets).unwrap_or(u16::MAX)
}
