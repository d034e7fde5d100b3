//! Notes the silences of a sender after which its timer may have fired for a flight that was lost
//! before the capture point (methods C4), and marks those for which it did.

use airmile_track::Segment;
use airmile_types::{Duration, Instant};

use super::lost_flight::{Lost, LostFlight, Shown};
use super::sent::Sent;
use super::state::Sender;
use crate::evidence::sender_loop::loop_of;

impl Sender {
    /// Notes new data after a silence longer than the timer. After more than twice the longest timer,
    /// only bytes that are missing show that several have fired; and nothing is lost before a capture
    /// point at the sender.
    #[cold]
    pub(super) fn note_lost_flight(&mut self, segment: &Segment<'_>, sent: &Sent) {
        let board = segment.own;
        if board.missing_below(segment.start).is_some() {
            self.lost_flight.take_if(|flight| !flight.is_missed());
            return;
        }
        let heard = board.last_advance().map(|at| at + loop_of(board));
        let since = heard.max(self.newest.last()).unwrap_or(segment.time);
        let since = since.max(self.window.closed_until());
        let silence = segment.time - since;
        // The answer to what the peer has sent needs no timer.
        let is_asked = segment.peer.last_data().is_some_and(|at| at >= since);
        let may_fire = silence >= tenth_off(board.rto());
        let begins = may_fire && !is_asked && segment.start <= board.unacked();
        let begins = begins && !segment.flow.is_at_receiver_of(segment.direction.reverse());
        let lost = match begins.then(|| silence <= board.rto_most().times(2)) {
            Some(true) => self.lost_end(segment, sent, silence),
            Some(false) => Some(Lost::Resumed(segment.time)),
            None => None,
        };
        self.lost_flight = lost.map(|lost| Box::new(LostFlight::new(since, segment.start, lost)));
    }

    /// Notes data that comes after a silence without the bytes before it, when all data before the
    /// silence had been acknowledged and more had been written. It may be a tail loss probe (RFC 8985
    /// section 7.2) for a flight that was lost before the capture point: these leave after two round
    /// trips, and no later than the timer would fire.
    pub(super) fn note_missed_flight(&mut self, segment: &Segment<'_>, sent: &Sent) {
        let board = segment.own;
        let (Some(heard), Some(srtt)) = (board.last_advance(), board.srtt()) else { return };
        let since = (heard + sent.loop_time).max(self.window.closed_until());
        let silence = segment.time - since;
        let may_probe = silence >= tenth_off(srtt.times(2)) && silence <= board.rto_most();
        let is_asked = segment.peer.last_data().is_some_and(|at| at >= since);
        if !self.has_more
            || !sent.loop_known
            || !may_probe
            || is_asked
            || segment.flow.is_at_receiver_of(segment.direction.reverse())
        {
            return;
        }
        if board.missing_below(segment.start).is_some_and(|start| sent.acked >= start) {
            let missed = LostFlight::new(since, segment.start, Lost::Missed(segment.time));
            self.lost_flight = Some(Box::new(missed));
        }
    }

    /// What shows that a flight may have been lost in a silence; `None` if none was.
    fn lost_end(&self, segment: &Segment<'_>, sent: &Sent, silence: Duration) -> Option<Lost> {
        let carried = self.congestion.carried();
        // A window at the most doubles within a round trip (RFC 5681 section 3.1). A report of more is
        // not of this flow, and a counter that ran on further counted what other connections sent.
        let most = 2 * carried;
        let board = segment.own;
        // What the receiver has reported beyond this data was sent before it.
        if let Some(end) = board.reported_unseen().filter(|end| *end - board.next() <= most) {
            return Some(Lost::Numbered(end));
        }
        let in_flight = |packets: &u16| i64::from(*packets) * sent.mss <= most;
        match self.numbers.lost_in(silence, segment.time).filter(in_flight) {
            Some(0) => None,
            Some(packets) => Some(Lost::Numbered(segment.start + i64::from(packets) * sent.mss)),
            // A sender that had no more than a segment in flight before may begin with one, too.
            None => (carried > sent.mss).then_some(Lost::Restarted),
        }
    }

    /// Follows what comes after such a silence.
    #[inline]
    pub(super) fn follow_lost_flight(&mut self, segment: &Segment<'_>, sent: &Sent) {
        if self.lost_flight.is_some() {
            self.follow_timer(segment, sent);
        }
    }

    #[cold]
    fn follow_timer(&mut self, segment: &Segment<'_>, sent: &Sent) {
        let Some(flight) = &mut self.lost_flight else { return };
        let (since, shown) = (flight.since(), flight.take(segment, sent));
        if matches!(shown, Shown::Timer | Shown::Missed(_) | Shown::Over) {
            self.lost_flight = None;
        }
        match shown {
            Shown::Missed(ended) => self.suppose_lost(since, ended),
            Shown::Timer => {
                self.suppose_lost(since, segment.time);
                self.note_restart_after_loss(segment, sent);
            }
            Shown::Repair => {
                self.repairs.get_or_insert_default().timeout.mark(since, segment.time);
                self.note_restart_after_loss(segment, sent);
            }
            Shown::Nothing | Shown::Over => {}
        }
    }

    /// Marks a silence in which what was sent is likely to have been lost.
    fn suppose_lost(&mut self, since: Instant, until: Instant) {
        let repairs = self.repairs.get_or_insert_default();
        repairs.timeout.mark(since, until);
        repairs.supposed.mark(since, until);
    }

    fn note_restart_after_loss(&mut self, segment: &Segment<'_>, sent: &Sent) {
        self.congestion.cut = segment.time.into();
        self.recovered.extend(segment.time + sent.loop_time);
    }
}

/// A time that follows from the estimated smoothed RTT, for whose error a tenth is allowed.
fn tenth_off(wait: Duration) -> Duration {
    wait.times(9).over(10)
}
