//! What held one sender: the receiver's window, its application, a timeout, a recovery.
//!
//! All comparisons are made as the sender knew things: one loop (tap, sender, tap) after they
//! passed the tap (verdict notes 5).

mod application;
mod congestion;

use std::collections::VecDeque;

use airmile_read::TcpFlags;
use airmile_track::{Recovery, Scoreboard, Segment, SegmentClass};
use airmile_types::{Duration, Instant};

use congestion::Congestion;

use super::receiver_window::ReceiverWindow;
use super::timeline::{BIN, HORIZON_BINS, Timeline};
use crate::Parameters;

/// So many bins with packets are kept however old they are: what is judged 10 s later at the
/// soonest.
const KEPT_BINS: usize = 160;

/// State of one direction's sender.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    /// The receiver's window stops it (methods C6).
    pub(crate) window: ReceiverWindow,
    /// Its application gives it nothing.
    pub(crate) application: Timeline,
    /// It waits for its retransmission timer, or repairs after it.
    pub(crate) timeout: Timeline,
    /// The timer fired although ACKs kept coming (methods C4).
    pub(crate) undesired: Timeline,
    /// It repairs a loss without a timeout.
    pub(crate) recovery: Timeline,
    /// Data is unacknowledged, as the sender knows.
    pub(crate) busy: Timeline,
    bins: VecDeque<Counters>,
    last_data: Option<Instant>,
    last_event: Option<Instant>,
    /// Last packet of the receiver.
    last_ack: Option<Instant>,
    premature: bool,
    acked_ever: bool,
    window_known: bool,
    /// As of the last event.
    recovering: Option<Recovery>,
    /// It has sent something again in it.
    repairing: bool,
    in_flight: bool,
    acked: i64,
    round_trip: Duration,
    /// The least from the tap to the receiver and back, and to the sender and back.
    whole_loop: Option<Duration>,
    /// The sender learns of the newest ACK.
    known_empty: Instant,
    /// ACKs that advanced since (a loop before) the last data.
    freed: VecDeque<Instant>,
    /// The most that was in flight since the congestion window was last cut.
    flight_max: i64,
    /// The most sent in one bin since then.
    sent_max: i64,
    rested: bool,
    congestion: Congestion,
    /// The last data emptied the send buffer.
    emptied: bool,
    /// Offsets after the last two segments that emptied it.
    writes: [i64; 2],
    /// The congestion window had room for more than the last data.
    had_room: bool,
    /// ... by the least initial window alone, which some senders stay below.
    began_small: bool,
    /// What it knew to be acknowledged then.
    acked_known: i64,
    doubt: Option<application::Doubt>,
    /// When the oldest data in flight passed, which nothing calls lost, and the least RTT.
    live: Option<(Instant, Duration)>,
    /// Until then ACKs of a recovery are still on their way to the sender.
    recovered: Option<Instant>,
}

/// What one bin counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    pub(crate) bin: i64,
    pub(crate) sent_bytes: i64,
    pub(crate) new_bytes: i64,
    /// Acknowledged, at the time when the sender knew.
    pub(crate) acked_bytes: i64,
    pub(crate) retransmissions: u32,
    pub(crate) upstream_losses: u32,
    pub(crate) flight_bytes: Option<i64>,
    /// Largest flight, as the sender knew it.
    pub(crate) flight_known_bytes: i64,
    pub(crate) window_bytes: Option<u32>,
    pub(crate) rtt: Option<Duration>,
    pub(crate) rtt_min: Option<Duration>,
    pub(crate) loop_time: Option<Duration>,
    pub(crate) flight_max_bytes: i64,
    pub(crate) sent_max_bytes: i64,
    /// The congestion window holds so much at least, as it was never cut; 0: nobody knows.
    pub(crate) window_least_bytes: i64,
    /// The sender had rested longer than its RTO before it sent again (methods C7).
    pub(crate) rested: bool,
    /// The largest flight is less than the congestion window holds, as it was never cut.
    pub(crate) has_room: bool,
    /// ... and less than such a window begins with.
    pub(crate) below_initial: bool,
    /// The sender drains the path to measure it (BBR's ProbeRTT).
    pub(crate) probes_rtt: bool,
    /// A segment emptied the send buffer, because the application had written no more: the least
    /// flight then, and two segments more, which a window with room for it holds.
    pub(crate) emptied_at_bytes: Option<i64>,
}

impl Counters {
    const fn new(bin: i64) -> Self {
        Self {
            bin,
            sent_bytes: 0,
            new_bytes: 0,
            acked_bytes: 0,
            retransmissions: 0,
            upstream_losses: 0,
            flight_bytes: None,
            flight_known_bytes: 0,
            window_bytes: None,
            rtt: None,
            rtt_min: None,
            loop_time: None,
            flight_max_bytes: 0,
            sent_max_bytes: 0,
            window_least_bytes: 0,
            rested: false,
            has_room: false,
            below_initial: false,
            probes_rtt: false,
            emptied_at_bytes: None,
        }
    }
}

impl Sender {
    /// A packet of this sender passes.
    pub(crate) fn on_own(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        let now = segment.time;
        if segment.window_probe || segment.flags.has(TcpFlags::FIN) {
            self.settle(segment.own, now);
        }
        let said = segment.class.is_none() || segment.class == Some(SegmentClass::CaptureDuplicate);
        if said || segment.window_probe {
            return;
        }
        self.settle(segment.own, now);
        if segment.timeout {
            self.mark_timeout(segment, now, parameters);
        } else if segment.class == Some(SegmentClass::New) {
            self.mark_application(segment, parameters);
            self.window.test(segment, parameters);
        }
        let syn = segment.flags.has(TcpFlags::SYN);
        self.congestion.cut |= segment.flags.has(TcpFlags::CWR) && !syn;
        self.congestion.cut |= syn && segment.class == Some(SegmentClass::Retransmission);
        self.note_flight(segment, now, parameters);
        self.forget_freed(segment.own, now);
        self.emptied = application::empties_buffer(segment);
        if self.emptied {
            let board = segment.own;
            let flight = board.next() - board.ack_known(now) + 2 * i64::from(board.mss_bytes());
            let counters = self.counters(now);
            counters.emptied_at_bytes =
                Some(counters.emptied_at_bytes.map_or(flight, |least| least.min(flight)));
            self.writes = [self.writes[1], segment.end];
        }
        self.last_data = Some(now);
    }

    /// A packet that acknowledges this sender's data passes.
    pub(crate) fn on_peer(&mut self, segment: &Segment<'_>) {
        let (now, board) = (segment.time, segment.peer);
        self.settle(board, now);
        self.last_ack = Some(now);
        if let Some(probe) = segment.tail_probe.filter(|probe| probe.lost) {
            // RFC 8985 section 7: the timer found the loss.
            self.timeout.mark(probe.silent_since, now);
        }
        self.acked_ever |= segment.acked_bytes > 0 || board.window_is_closed();
        // A SYN's window and one of 0 can be read without the scale.
        self.window_known |= !segment.flags.has(TcpFlags::SYN)
            && segment.window_bytes.is_some_and(|bytes| bytes > 0);
        if segment.acked_bytes > 0 {
            self.freed.push_back(now);
            if self.freed.len() > 4096 {
                self.freed.pop_front();
            }
            let known = now + loop_of(board);
            self.counters(known).acked_bytes += segment.delivered_bytes as i64;
        } else if segment.sacked_bytes > 0 {
            let known = now + loop_of(board);
            self.counters(known).acked_bytes += segment.sacked_bytes as i64;
        }
        self.window.note_opening(board, now);
        let counters = self.counters(now);
        counters.rtt = segment.rtt.map(|s| s.rtt).or(segment.sack_rtt).or(counters.rtt);
        counters.rtt_min = board.rtt_min();
        counters.window_bytes = board.window_bytes().or(counters.window_bytes);
    }

    /// Whether the receiver's window stops the sender now, or did until its opening.
    pub(crate) fn is_blocked(&self, now: Instant) -> bool {
        self.window.is_blocked(now)
    }

    /// The offset up to which its data is acknowledged, and its smoothed round trip.
    pub(crate) const fn acked(&self) -> (i64, Duration) {
        (self.acked, self.round_trip)
    }

    /// A whole round trip, whatever of it lies on which side of the tap; `None` while a part of it is
    /// unknown.
    pub(crate) const fn whole_loop(&self) -> Option<Duration> {
        self.whole_loop
    }

    /// When the oldest data in flight passed, which nothing calls lost, and the least RTT.
    pub(crate) const fn live(&self) -> Option<(Instant, Duration)> {
        self.live
    }

    /// Whether the receiver's window is closed now.
    pub(crate) const fn is_closed(&self) -> bool {
        self.window.is_closed()
    }

    /// Brings states that last up to `now`.
    pub(crate) fn settle(&mut self, board: &Scoreboard, now: Instant) {
        let since = self.last_event.replace(now).unwrap_or(now);
        // The sender is in recovery at its own time: half a loop after the tap saw the ACKs.
        let lag = loop_of(board).over(2);
        match self.recovering {
            Some(recovery) if recovery.timeout.is_some() => {
                // A hole that was known before is a part of the episode (methods T4).
                let from = if self.repairing { since } else { recovery.since.min(since) };
                self.timeout.mark(from + lag, now + lag);
                if self.premature {
                    self.undesired.mark(since + lag, now + lag);
                }
            }
            // Without a retransmission, duplicate ACKs show reordering, or a hole in the capture.
            Some(recovery) if recovery.retransmitted => {
                let from = if self.repairing { since } else { recovery.since };
                self.recovery.mark(from + lag, now + lag);
            }
            _ => {}
        }
        self.repairing = self.recovering.is_some_and(|recovery| recovery.retransmitted);
        if self.recovering.is_some() {
            self.congestion.cut = true;
            self.recovered = Some(now + loop_of(board));
        }
        self.busy.mark(since, if self.in_flight { now } else { now.min(self.known_empty) });
        self.recovering = board.recovery();
        // A FIN in flight is no data.
        self.acked = board.unacked();
        self.round_trip = board.srtt().unwrap_or(self.round_trip);
        self.whole_loop = board.rtt_min().zip(board.loop_time()).map(|(there, back)| there + back);
        self.in_flight = board.data_end() > self.acked;
        self.live = board.oldest_live().zip(board.rtt_min());
        if let Some(advanced) = board.last_advance() {
            self.known_empty = advanced + loop_of(board);
        }
        self.window.settle(board, now);
    }

    /// The flow's packets end at `end`, and what goes on lasts until then: data that nobody has
    /// acknowledged is in flight, and what is being repaired waits for its timer.
    pub(crate) fn settle_rest(&mut self, end: Instant) {
        let Some(since) = self.last_event.filter(|since| *since < end) else { return };
        if self.in_flight {
            self.busy.mark(since, end);
        }
        match self.recovering {
            Some(recovery) if recovery.timeout.is_some() => self.timeout.mark(since, end),
            Some(recovery) if recovery.retransmitted => self.recovery.mark(since, end),
            _ => {}
        }
    }

    /// Whether anything of this sender was ever acknowledged, and whether its receiver's window
    /// could be read.
    pub(crate) const fn sees(&self) -> (bool, bool) {
        (self.acked_ever, self.window_known)
    }

    /// The counters of `bin`, when something happened in it.
    pub(crate) fn bin(&self, bin: i64) -> Option<&Counters> {
        self.bins.get(self.index_of(bin)).filter(|c| c.bin == bin)
    }

    /// The first bin from `bin` on in which something happened.
    pub(crate) fn next_bin(&self, bin: i64) -> Option<i64> {
        self.bins.get(self.index_of(bin)).map(|c| c.bin)
    }

    fn counters(&mut self, at: Instant) -> &mut Counters {
        let bin = at.bin(BIN);
        let mut index = self.index_of(bin);
        if self.bins.get(index).is_none_or(|c| c.bin != bin) {
            // What came before a silence is judged after it.
            while self.bins.len() > KEPT_BINS
                && self.bins.front().is_some_and(|c| (c.bin - bin).abs() > 2 * HORIZON_BINS)
            {
                self.bins.pop_front();
            }
            index = self.index_of(bin);
            self.bins.insert(index, Counters::new(bin));
        }
        &mut self.bins[index]
    }

    /// Where `bin` stands or belongs: nearly always among the newest two.
    fn index_of(&self, bin: i64) -> usize {
        let is = |index: usize| self.bins.get(index).is_some_and(|c| c.bin == bin);
        match self.bins.len() {
            length @ 1.. if is(length - 1) => length - 1,
            length @ 2.. if is(length - 2) => length - 2,
            _ => self.bins.partition_point(|c| c.bin < bin),
        }
    }

    fn note_flight(&mut self, segment: &Segment<'_>, now: Instant, parameters: &Parameters) {
        let board = segment.own;
        let known = board.next() - board.ack_known(now);
        let quiet = segment.since_last_data.is_some_and(|gap| gap > board.rto());
        let new = segment.class == Some(SegmentClass::New);
        if quiet && new {
            self.rested = true;
            (self.flight_max, self.sent_max) = (0, 0);
        }
        if board.recovery().is_some_and(|r| r.retransmitted) {
            self.rested = false;
        }
        // A cut window: what was in flight before says nothing of what is allowed now.
        if self.recovered.is_some_and(|until| now <= until) {
            (self.flight_max, self.sent_max) = (0, 0);
        } else {
            self.flight_max = self.flight_max.max(known);
            let before = self.bin(now.bin(BIN) - 1).map_or(0, |c| c.new_bytes);
            self.sent_max = self.sent_max.max(before);
        }
        let (flight_max, sent_max, rested) = (self.flight_max, self.sent_max, self.rested);
        self.congestion.note(known, quiet && new, segment);
        let least = self.congestion.grown_bytes(board, now, parameters);
        self.had_room = self.congestion.has_room(known, segment, parameters);
        self.began_small = self.congestion.is_below_initial(known, segment);
        let most = self.bin(now.bin(BIN)).map_or(0, |c| c.flight_known_bytes).max(known);
        self.acked_known = board.ack_known(now);
        let has_room = self.congestion.has_room(most, segment, parameters);
        let below_initial = self.congestion.is_below_initial(most, segment);
        let probes_rtt = self.congestion.probes_rtt(most, now);
        let counters = self.counters(now);
        counters.sent_bytes += i64::from(segment.payload_bytes);
        counters.new_bytes += i64::from(segment.new_bytes);
        counters.retransmissions += u32::from(segment.class == Some(SegmentClass::Retransmission));
        counters.upstream_losses += u32::from(segment.class == Some(SegmentClass::UpstreamLoss));
        counters.flight_bytes = Some(board.in_flight_bytes());
        counters.flight_known_bytes = counters.flight_known_bytes.max(known);
        counters.flight_max_bytes = flight_max;
        counters.sent_max_bytes = sent_max;
        counters.window_least_bytes = least;
        counters.rtt_min = board.rtt_min();
        counters.loop_time = board.loop_time();
        counters.rested = rested;
        (counters.has_room, counters.below_initial) = (has_room, below_initial);
        counters.probes_rtt = probes_rtt;
    }

    /// The timer's wait began with the last data: nothing else was sent meanwhile. When the
    /// receiver went on acknowledging for most of that time, the path was delivering and the
    /// timer was too short for its queue: an undesired slow start (LTE13 section 5.1).
    fn mark_timeout(&mut self, segment: &Segment<'_>, now: Instant, parameters: &Parameters) {
        let Some(last) = self.last_data else { return };
        self.timeout.mark(segment.tail_probe.map_or(last, |probe| probe.silent_since), now);
        let quiet = now - last;
        let kept_coming = quiet.as_secs_f64() * parameters.kept_coming_ratio;
        self.premature = self.last_ack.is_some_and(|ack| (ack - last).as_secs_f64() > kept_coming)
            && segment.own.rtt_min().is_some();
        if self.premature {
            self.undesired.mark(last, now);
        }
    }

    fn forget_freed(&mut self, board: &Scoreboard, now: Instant) {
        let loop_time = loop_of(board);
        while self.freed.front().is_some_and(|ack| *ack + loop_time <= now) {
            self.freed.pop_front();
        }
    }
}

/// Tap, sender, tap.
pub(super) fn loop_of(board: &Scoreboard) -> Duration {
    board.loop_time().unwrap_or(Duration::ZERO)
}
