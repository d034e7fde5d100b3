//! Follows what a sender has in flight, bin by bin.

use airmile_read::TcpFlags;
use airmile_track::{Scoreboard, Segment, SegmentClass};
use airmile_types::{Duration, Instant};

use super::congestion::LEAST_RTO;
use super::counters::{Counters, Judged};
use super::growth::Growth;
use super::newest::Newest;
use super::sent::Sent;
use super::state::Sender;
use crate::evidence::limits::Limits;

impl Sender {
    /// Notes events other than a loss that may have reduced the congestion window: a mark, or a
    /// retransmitted SYN.
    #[inline]
    pub(super) fn note_cut(&mut self, segment: &Segment<'_>) {
        if segment.flags.any(TcpFlags::SYN | TcpFlags::CWR) {
            let syn = segment.flags.has(TcpFlags::SYN);
            let repeated = segment.class == Some(SegmentClass::Retransmission);
            let reduced = !syn && self.has_reduced(segment);
            if reduced || (syn && repeated) {
                self.congestion.cut = segment.time.into();
            }
            if reduced {
                self.note_reduced(segment);
                // The cut takes a round trip (RFC 3168 section 6.1.2).
                let round_trip = segment.own.srtt().unwrap_or_else(|| segment.own.rto());
                self.recovered.extend(segment.time + round_trip);
            }
        }
    }

    #[inline]
    pub(super) fn note_flight(&mut self, segment: &Segment<'_>, sent: &Sent, limits: &Limits) {
        let (board, now) = (segment.own, segment.time);
        let rest = segment
            .since_last_data
            .filter(|gap| segment.class == Some(SegmentClass::New) && is_rest(*gap, board));
        if rest.is_some() {
            self.note_lost_flight(segment, sent);
            (self.flight_max, self.sent_max) = (0, 0);
            self.growth = Growth::default();
        }
        self.follow_lost_flight(segment, sent);
        self.congestion.note(sent.flight, rest.is_some(), segment);
        self.newest = Newest::new(segment, sent, &self.congestion);
        self.unjudged = true;
        self.follow_growth(segment, sent, limits);
        // The window was reduced, so an earlier flight does not show what the window allows now.
        if self.recovered.is_recent(now) {
            (self.flight_max, self.sent_max) = (0, 0);
            self.growth = Growth::default();
        } else {
            self.flight_max = self.flight_max.max(sent.flight);
            self.sent_max = self.sent_max.max(self.new_before);
        }
        let counters = self.bins.of(now);
        counters.flight_known_bytes = counters.flight_known_bytes.max(sent.flight);
        counters.sent_bytes += i64::from(segment.payload_bytes);
        counters.new_bytes += i64::from(segment.new_bytes);
        match segment.class {
            Some(SegmentClass::Retransmission) => {
                counters.retransmissions = counters.retransmissions.saturating_add(1);
            }
            Some(SegmentClass::UpstreamLoss) => {
                counters.upstream_losses = counters.upstream_losses.saturating_add(1);
            }
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

    /// Writes the judgement of the newest data into its bin. Its inputs do not change before the
    /// next data, except when a silence turns out to be ProbeRTT's; then the judgement is not
    /// postponed.
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

    /// The judgement when `most` is the largest flight in the bin of the newest data.
    pub(super) fn judged(&self, most: i64, limits: &Limits) -> Judged {
        let room = self.newest.room(limits);
        Judged {
            has_room: room.has_room(most),
            below_initial: room.is_below_initial(most),
            probes_rtt: self.congestion.probes_rtt(most, self.newest.time()),
            below_segment: most < self.newest.full_bytes(),
            bins_since_cut: self.newest.bins_since_cut(),
            window_least_bytes: self.newest.grown_bytes(limits),
            flight_bytes: self.newest.in_flight.into(),
            flight_max_bytes: self.flight_max,
            sent_max_bytes: self.sent_max,
        }
    }

    /// Begins a bin other than that of the newest data.
    #[inline(never)]
    pub(super) fn begin_bin(&mut self, now: Instant, limits: &Limits) {
        self.judge(limits);
        self.new_before = self.bins.of_and_new_before(now).1;
        self.may_wait = self.bins.has_newest(now);
        self.bin_begun = true;
    }

    /// Notes the least wait in the queue before the radio that shows when a bin begins.
    pub(crate) fn note_least_queue(&mut self, now: Instant, least: Option<Duration>) {
        let us = least.and_then(|least| i32::try_from(least.as_nanos() / 1_000).ok());
        self.bins.of(now).least_queue_us = us.into();
    }

    /// The counters of the bin of an instant. When that bin is later, the bin of the newest data
    /// may be complete.
    #[inline]
    pub(super) fn counters(&mut self, at: Instant, limits: &Limits) -> &mut Counters {
        if !self.bins.has_newest(at) {
            self.judge(limits);
        }
        self.bins.of(at)
    }

    /// Notes new data that no ACK called for after a segment that emptied the send buffer: it left
    /// later, and its sender had heard nothing meanwhile (RFC 7323 section 4.3). So the window had
    /// room, and the application had written no more. A peer that still has data on the way may not
    /// be echoed, and a probe leaves without an ACK although the window is full (RFC 8985 section
    /// 7.3).
    #[inline]
    pub(super) fn note_uncalled(&mut self, segment: &Segment<'_>, sent: &Sent) {
        let Some(stamps) = segment.timestamps else { return };
        let [value, echo] = std::mem::replace(&mut self.stamps, [stamps.value, stamps.echo]);
        let hears = segment.peer.in_flight_bytes() <= 0 && !segment.may_be_probe;
        let is_new = segment.class == Some(SegmentClass::New) && hears;
        if self.emptied && is_new && stamps.value != value && stamps.echo == echo {
            self.note_room(segment.time, sent.flight);
        }
    }

    /// Notes a flight that the congestion window is known to have allowed when the application had
    /// written no more: the rule compares it with other flights of the same bins, which a window of
    /// this size would have allowed, too.
    fn note_room(&mut self, at: Instant, bytes: i64) {
        let counters = self.bins.of(at);
        let before = counters.emptied_at_bytes.get();
        counters.emptied_at_bytes = before.map_or(bytes, |least| least.min(bytes)).into();
    }

    /// Notes a segment that emptied the send buffer. Seen from an unknown distance, a flight grows
    /// and shrinks with the clumps of ACKs, which shows no room.
    pub(super) fn note_write(&mut self, segment: &Segment<'_>, sent: &Sent) {
        if sent.loop_known {
            self.note_room(segment.time, sent.flight + 2 * sent.mss);
        }
        self.writes = [self.writes[1], segment.end];
    }
}

/// Whether a sender's silence was longer than its timer.
#[inline]
fn is_rest(silence: Duration, board: &Scoreboard) -> bool {
    silence > LEAST_RTO && silence > board.rto()
}
