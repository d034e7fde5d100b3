//! What held one sender: the receiver's window, its application, a timeout, a recovery.
//!
//! All comparisons are made as the sender knew things: one loop (tap, sender, tap) after they
//! passed the tap (methods T8). Most packets change nothing but counters and the length of the
//! span in which data is in flight; what is rarer is in functions of its own.

mod application;
mod congestion;
mod counters;
mod doubt;
mod newest;
mod recovered;
mod repair;
mod repairs;
mod sent;
mod state;

use airmile_read::TcpFlags;
use airmile_track::{Events, Scoreboard, Segment, SegmentClass};
use airmile_types::{Duration, Instant};

pub(crate) use counters::Counters;
use counters::Judged;
use newest::Newest;

pub(crate) use state::Sender;

use super::limits::Limits;
use super::sender_loop::loop_of;
use congestion::LEAST_RTO;
use sent::Sent;

/// ACKs that may have freed the window; beyond it the oldest are forgotten.
const MOST_FREED: usize = 4096;
/// Room for those of a short flow, made at once.
const FIRST_FREED: usize = 16;

impl Sender {
    /// A packet of this sender passes.
    #[inline]
    pub(crate) fn on_own(&mut self, segment: &Segment<'_>, limits: &Limits) {
        if segment.window_probe || segment.events.any(Events::FIN) {
            self.settle(segment.own, segment);
        }
        let said = matches!(segment.class, None | Some(SegmentClass::CaptureDuplicate));
        if !said && !segment.window_probe {
            self.on_data(segment, limits);
        }
    }

    fn on_data(&mut self, segment: &Segment<'_>, limits: &Limits) {
        let now = segment.time;
        self.settle(segment.own, segment);
        if !self.bins.are_one(self.newest.time(), now) {
            self.begin_bin(now, limits);
        }
        let sent = Sent::new(segment, limits);
        if segment.timeout {
            self.mark_timeout(segment, now, limits);
        } else if segment.class == Some(SegmentClass::New) {
            self.mark_application(segment, &sent, limits);
            self.window.test(segment, sent.at_receiver, sent.mss, limits);
            self.calm &= !self.window.is_full();
        }
        self.note_cut(segment);
        self.note_flight(segment, &sent, limits);
        self.forget_freed(sent.loop_time, now);
        self.emptied = application::empties_buffer(segment, sent.mss);
        if self.emptied {
            self.note_write(segment, &sent);
        }
        self.last_data = now.into();
    }

    /// A packet that acknowledges this sender's data passes.
    #[inline]
    pub(crate) fn on_peer(&mut self, segment: &Segment<'_>, limits: &Limits) {
        let (now, board) = (segment.time, segment.peer);
        self.settle(board, segment);
        self.last_ack = now.into();
        if let Some(probe) = segment.tail_probe.filter(|probe| probe.lost) {
            // RFC 8985 section 7: the timer found the loss.
            self.repairs.get_or_insert_default().timeout.mark(probe.silent_since, now);
        }
        // A SYN's window and one of 0 can be read without the scale.
        if !self.window_known {
            self.window_known = segment.window_bytes.is_some_and(|bytes| bytes > 0)
                && !segment.flags.has(TcpFlags::SYN);
        }
        if segment.acked_bytes > 0 {
            self.acked_ever = true;
            self.note_freed(now);
            self.counters(now + loop_of(board), limits).acked_bytes +=
                segment.delivered_bytes as i64;
        } else if segment.sacked_bytes > 0 {
            self.counters(now + loop_of(board), limits).acked_bytes += segment.sacked_bytes as i64;
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
            counters.window_bytes = Some(bytes);
        }
    }

    /// Whether the receiver's window stops the sender now, or did until its opening.
    pub(crate) fn is_blocked(&self, now: Instant) -> bool {
        self.window.is_blocked(now)
    }

    /// Whether the receiver's window is closed now.
    pub(crate) fn is_closed(&self) -> bool {
        self.window.is_closed()
    }

    /// Brings states that last up to the segment; `board` is that of this sender's data.
    #[inline]
    fn settle(&mut self, board: &Scoreboard, segment: &Segment<'_>) {
        let now = segment.time;
        debug_assert!(segment.events.any(Events::RECOVERY) || !board.is_recovering());
        let since = std::mem::replace(&mut self.last_event, now.into()).get().unwrap_or(now);
        if !self.calm || segment.events.any(Events::RECOVERY) || board.window_is_closed() {
            self.settle_rare(board, since, now);
        }
        self.settle_busy(board, since, now);
    }

    /// Brings a loss episode, a full and a closed window up to `now`.
    #[inline(never)]
    fn settle_rare(&mut self, board: &Scoreboard, since: Instant, now: Instant) {
        if self.is_recovering() || board.is_recovering() {
            self.settle_recovery(board, since, now);
        } else if let Some(repairs) = &mut self.repairs {
            repairs.repairing = false;
        }
        self.window.settle(board, now);
        let repairs = self.repairs.as_ref().is_some_and(|repairs| repairs.go_on());
        self.calm = !(repairs || self.window.is_full() || self.window.is_closed());
    }

    #[inline]
    fn settle_busy(&mut self, board: &Scoreboard, since: Instant, now: Instant) {
        if self.in_flight {
            self.busy.mark(since, now);
        } else if self.known_empty > since {
            self.busy.mark(since, now.min(self.known_empty));
        }
        // A FIN in flight is no data.
        self.in_flight = board.data_end() > board.unacked();
        if !self.in_flight
            && let Some(advanced) = board.last_advance()
        {
            self.known_empty = advanced + loop_of(board);
        }
    }

    #[inline]
    fn note_freed(&mut self, now: Instant) {
        match self.freed.len() {
            0 => self.freed.reserve(FIRST_FREED),
            MOST_FREED => drop(self.freed.pop_front()),
            _ => {}
        }
        self.freed.push_back(now);
    }

    /// Whether anything of this sender was ever acknowledged, and whether its receiver's window
    /// could be read.
    pub(crate) const fn sees(&self) -> (bool, bool) {
        (self.acked_ever, self.window_known)
    }

    /// The counters of `bin`, when something happened in it.
    pub(crate) fn bin(&self, bin: i64) -> Option<&Counters> {
        self.bins.get(bin)
    }

    /// The counters of the bins of `[from, bin)` in which something happened, the newest first.
    pub(crate) fn bins_before(&self, bin: i64, from: i64) -> impl Iterator<Item = &Counters> {
        self.bins.before(bin, from)
    }

    /// The first bin from `bin` on in which something happened.
    pub(crate) fn next_bin(&self, bin: i64) -> Option<i64> {
        self.bins.next(bin)
    }

    /// What may have cut the congestion window, beside a loss: a mark, or a SYN sent again.
    #[inline]
    fn note_cut(&mut self, segment: &Segment<'_>) {
        if segment.flags.any(TcpFlags::SYN | TcpFlags::CWR) {
            let syn = segment.flags.has(TcpFlags::SYN);
            let repeated = segment.class == Some(SegmentClass::Retransmission);
            self.congestion.cut |= if syn { repeated } else { true };
        }
    }

    #[inline]
    fn note_flight(&mut self, segment: &Segment<'_>, sent: &Sent, limits: &Limits) {
        let (board, now) = (segment.own, segment.time);
        let rests = segment.class == Some(SegmentClass::New)
            && segment.since_last_data.is_some_and(|gap| gap > LEAST_RTO && gap > board.rto());
        if rests {
            self.rested = true;
            (self.flight_max, self.sent_max) = (0, 0);
        }
        if !self.calm && self.has_retransmitted() {
            self.rested = false;
        }
        self.congestion.note(sent.flight, rests, segment);
        self.newest = Newest::new(segment, sent, &self.congestion);
        self.unjudged = true;
        // A cut window: what was in flight before says nothing of what is allowed now.
        if self.recovered.is_recent(now) {
            (self.flight_max, self.sent_max) = (0, 0);
        } else {
            self.flight_max = self.flight_max.max(sent.flight);
            self.sent_max = self.sent_max.max(self.new_before);
        }
        let counters = self.bins.of(now);
        counters.flight_known_bytes = counters.flight_known_bytes.max(sent.flight);
        counters.sent_bytes += i64::from(segment.payload_bytes);
        counters.new_bytes += i64::from(segment.new_bytes);
        match segment.class {
            Some(SegmentClass::Retransmission) => counters.retransmissions += 1,
            Some(SegmentClass::UpstreamLoss) => counters.upstream_losses += 1,
            _ => {}
        }
        counters.rtt_min = board.rtt_min().into();
        #[cfg(debug_assertions)]
        {
            let most = counters.flight_known_bytes;
            self.at_once = Some(self.judged(most, limits));
        }
        if !self.may_wait || self.congestion.probing.is_some() {
            self.judge(limits);
        }
    }

    /// Writes what the newest data leaves to be judged into its bin. Nothing that it rests on changes
    /// before the next data, but where a silence was ProbeRTT's, and then this is not put off.
    #[inline(never)]
    pub(crate) fn judge(&mut self, limits: &Limits) {
        if !std::mem::take(&mut self.unjudged) {
            return;
        }
        let at = self.newest.time();
        let most = self.bins.of(at).flight_known_bytes;
        let judged = self.judged(most, limits);
        #[cfg(debug_assertions)]
        assert_eq!(self.at_once, Some(judged), "put off, it is not what it was");
        self.bins.of(at).judged = judged;
    }

    /// With so much in flight at the most in the bin of the newest data.
    fn judged(&self, most: i64, limits: &Limits) -> Judged {
        let room = self.newest.room(limits);
        Judged {
            has_room: room.has_room(most),
            below_initial: room.is_below_initial(most),
            probes_rtt: self.congestion.probes_rtt(most, self.newest.time()),
            window_least_bytes: self.newest.grown_bytes(limits),
            flight_bytes: self.newest.in_flight.into(),
            flight_max_bytes: self.flight_max,
            sent_max_bytes: self.sent_max,
            rested: self.rested,
        }
    }

    /// Data passes in another bin than the newest before it.
    #[inline(never)]
    fn begin_bin(&mut self, now: Instant, limits: &Limits) {
        self.judge(limits);
        self.new_before = self.bins.of_and_new_before(now).1;
        self.may_wait = self.bins.has_newest(now);
    }

    /// The bin of an instant; where it is a further one, that of the newest data may be over.
    #[inline]
    fn counters(&mut self, at: Instant, limits: &Limits) -> &mut Counters {
        if !self.bins.has_newest(at) {
            self.judge(limits);
        }
        self.bins.of(at)
    }

    fn note_write(&mut self, segment: &Segment<'_>, sent: &Sent) {
        let flight = sent.flight + 2 * sent.mss;
        let counters = self.bins.of(segment.time);
        let before = counters.emptied_at_bytes.get();
        counters.emptied_at_bytes = before.map_or(flight, |least| least.min(flight)).into();
        self.writes = [self.writes[1], segment.end];
    }

    fn forget_freed(&mut self, loop_time: Duration, now: Instant) {
        let known = now - loop_time;
        while self.freed.front().is_some_and(|ack| *ack <= known) {
            self.freed.pop_front();
        }
    }
}
