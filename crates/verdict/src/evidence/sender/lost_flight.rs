//! Finds the timer of a sender whose whole flight was lost before the capture point (methods C4).
//!
//! Neither the flight nor its loss is seen, but a silence, and then new data: one segment, as a
//! timer allows it, after its ACK two, and then four.

use airmile_track::{Segment, SegmentClass};
use airmile_types::{Duration, Instant};

use super::repairs::Recovered;
use super::sent::Sent;
use super::state::Sender;
use crate::evidence::sender_loop::loop_of;

/// The segments of the first round trips after a timer: the window is one segment, and grows by one
/// for each segment that is acknowledged (RFC 5681 section 3.1).
const ROUNDS: [i64; 3] = [1, 2, 4];

/// What a sender has sent since a silence in which its timer may have fired.
#[derive(Clone, Copy, Debug)]
pub(super) struct LostFlight {
    /// The time at which the sender last sent anything that is seen, or heard of an ACK.
    since: Instant,
    /// The number of the round trip, the offset of its first byte, and the segments sent in it.
    round: (usize, i64, i64),
    /// The offset at which the lost flight ended, if the numbers of the packets prove the loss.
    end: Option<i64>,
}

airmile_types::held!(LostFlight {});

/// What is known after a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// The numbers of the packets show that a flight was lost, and it is being sent again.
    Repair,
    /// All that was sent is what a sender sends after its timer.
    Timer,
    /// It may still become that.
    Nothing,
    /// It is not that, or no longer.
    Over,
}

impl Sender {
    /// Notes new data after a silence longer than the timer.
    #[cold]
    pub(super) fn note_lost_flight(&mut self, segment: &Segment<'_>, sent: &Sent) {
        let board = segment.own;
        let heard = board.last_advance().map(|at| at + loop_of(board));
        let since = heard.max(self.newest.last()).unwrap_or(segment.time);
        let silence = segment.time - since;
        // The answer to what the peer has sent needs no timer.
        let is_asked = segment.peer.last_data().is_some_and(|at| at >= since);
        // A tenth is allowed for the error of the estimated smoothed RTT.
        let may_fire = silence >= board.rto().times(9).over(10);
        let begins = may_fire && !is_asked && segment.start <= board.unacked();
        let lost = self.numbers.lost_in(silence, segment.time);
        let may_be_lost = match lost {
            Some(packets) => packets > 0,
            None => self.may_restart_at_one(sent, silence, segment),
        };
        let end = lost.map(|packets| segment.start + i64::from(packets) * sent.mss);
        let round = (0, segment.start, 0);
        self.lost_flight =
            (begins && may_be_lost).then(|| Box::new(LostFlight { since, round, end }));
    }

    /// Whether one segment after a silence is a sign of a timer. A sender that had no more in flight
    /// before may begin with one, too, and one that was silent for longer than the double of the
    /// longest timer had another reason.
    fn may_restart_at_one(&self, sent: &Sent, silence: Duration, segment: &Segment<'_>) -> bool {
        self.congestion.carried() > sent.mss && silence <= segment.own.rto_most().times(2)
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
        let (since, shown) = (flight.since, flight.take(segment, sent));
        if matches!(shown, Shown::Timer | Shown::Over) {
            self.lost_flight = None;
        }
        if matches!(shown, Shown::Repair | Shown::Timer) {
            self.mark_lost_flight(since, shown == Shown::Timer, segment, sent);
        }
    }

    fn mark_lost_flight(
        &mut self,
        since: Instant,
        supposed: bool,
        segment: &Segment<'_>,
        sent: &Sent,
    ) {
        let repairs = self.repairs.get_or_insert_default();
        repairs.timeout.mark(since, segment.time);
        if supposed {
            repairs.supposed.mark(since, segment.time);
        }
        self.congestion.cut = segment.time.into();
        self.recovered = Recovered(segment.time + sent.loop_time);
        self.end_restart();
    }
}

impl LostFlight {
    /// Counts a packet in its round trip, which ends when the sender sends after it has heard of the
    /// ACK of the first byte.
    fn take(&mut self, segment: &Segment<'_>, sent: &Sent) -> Shown {
        if let Some(end) = self.end {
            return if segment.start < end { Shown::Repair } else { Shown::Over };
        }
        let is_full = i64::from(segment.payload_bytes).checked_rem(sent.mss) == Some(0);
        let is_asked = segment.peer.last_data().is_some_and(|at| at >= self.since);
        if segment.class != Some(SegmentClass::New) || !is_full || is_asked {
            return Shown::Over;
        }
        let (number, start, segments) = self.round;
        if sent.acked > start {
            if ROUNDS.get(number) != Some(&segments) {
                return Shown::Over;
            }
            self.round = (number + 1, segment.start, 0);
        }
        self.round.2 += i64::from(segment.payload_bytes) / sent.mss;
        self.shown()
    }

    fn shown(&self) -> Shown {
        let (number, _, segments) = self.round;
        match ROUNDS.get(number) {
            Some(expected) if segments > *expected => Shown::Over,
            Some(expected) if number + 1 == ROUNDS.len() && segments == *expected => Shown::Timer,
            Some(_) => Shown::Nothing,
            None => Shown::Over,
        }
    }
}
