//! Finds the timer of a sender whose whole flight was lost before the capture point (methods C4).
//!
//! Neither the flight nor its loss is seen, but a silence, and then new data: one segment, as a
//! timer allows it, after its ACK two, and then four. Or the data after the silence comes without
//! that before it, which is sent again later. Or the data soon goes on beyond bytes that have not come.

use airmile_read::TcpFlags;
use airmile_track::{Segment, SegmentClass};
use airmile_types::Instant;

use super::sent::Sent;

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
    /// Whether the sender, at a known distance, had more to send than each segment, which carried no
    /// PSH (RFC 9293 section 3.9.1.2).
    more: bool,
    lost: Lost,
}

/// What shows that a flight was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// The numbers of the packets; the lost flight ended at this offset.
    Numbered(i64),
    /// Only how the sender begins again.
    Restarted,
    /// What ended the silence, at this time, follows bytes that have not come, and more had been
    /// written before the silence.
    Missed(Instant),
    /// Nothing yet. The silence, which ended at this time, was longer than a single timer's.
    Resumed(Instant),
}

airmile_types::held!(LostFlight {});

/// What is known after a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The numbers of the packets show that a flight was lost, and it is being sent again.
    Repair,
    /// All that was sent is what a sender sends after its timer.
    Timer,
    /// What was sent in the silence until this time is being sent again.
    Missed(Instant),
    /// It may still become that.
    Nothing,
    /// It is not that, or no longer.
    Over,
}

impl LostFlight {
    /// The state before the first data after a silence: since when the sender was silent, the offset
    /// of that data, and what shows that a flight was lost.
    pub(super) const fn new(since: Instant, start: i64, lost: Lost) -> Self {
        Self { since, round: (0, start, 0), more: true, lost }
    }

    /// The time at which the sender last sent anything that is seen, or heard of an ACK.
    pub(super) const fn since(&self) -> Instant {
        self.since
    }

    /// Counts a packet in its round trip, which ends when the sender sends after it has heard of the
    /// ACK of the first byte.
    pub(super) fn take(&mut self, segment: &Segment<'_>, sent: &Sent) -> Shown {
        match self.lost {
            Lost::Numbered(end) if segment.start < end => return Shown::Repair,
            Lost::Numbered(_) => return Shown::Over,
            Lost::Missed(ended) => return self.take_missed(ended, segment, sent),
            Lost::Resumed(ended) => return self.take_resumed(ended, segment, sent),
            Lost::Restarted => {}
        }
        let is_full = i64::from(segment.payload_bytes).checked_rem(sent.mss) == Some(0);
        let is_asked = segment.peer.last_data().is_some_and(|at| at >= self.since);
        if segment.class != Some(SegmentClass::New) || !is_full || is_asked {
            return Shown::Over;
        }
        let (number, start, _) = self.round;
        if sent.acked > start {
            if !self.ends_round() {
                return Shown::Over;
            }
            self.round = (number + 1, segment.start, 0);
        }
        self.more &= sent.loop_known && !segment.flags.has(TcpFlags::PSH);
        self.round.2 += i64::from(segment.payload_bytes) / sent.mss;
        self.shown()
    }

    /// Takes a packet after one that came without the bytes before it.
    fn take_missed(&self, ended: Instant, segment: &Segment<'_>, sent: &Sent) -> Shown {
        let first = self.round.1;
        match segment.class {
            _ if sent.acked >= first => Shown::Over,
            Some(SegmentClass::UpstreamLoss) if segment.start < first => Shown::Missed(ended),
            _ => Shown::Nothing,
        }
    }

    /// Takes a packet after a silence of several timers. A sender that only had nothing to send does not
    /// begin with one segment, and go on after its ACK beyond bytes that it has sent already.
    fn take_resumed(&mut self, ended: Instant, segment: &Segment<'_>, sent: &Sent) -> Shown {
        let (_, first, segments) = &mut self.round;
        *segments += 1;
        match *segments {
            1 => Shown::Nothing,
            2 if sent.acked > *first && segment.own.missing_below(segment.start).is_some() => {
                Shown::Missed(ended)
            }
            _ => Shown::Over,
        }
    }

    /// Whether the round trip held as many segments as the window of a timer allows. Of the last, some
    /// may be lost if the sender had more to send all the time.
    fn ends_round(&self) -> bool {
        let (number, _, segments) = self.round;
        let last = number + 1 == ROUNDS.len();
        ROUNDS
            .get(number)
            .is_some_and(|most| segments == *most || last && self.more && segments > 0)
    }

    fn shown(&self) -> Shown {
        let (number, _, segments) = self.round;
        match ROUNDS.get(number) {
            Some(expected) if segments > *expected => Shown::Over,
            Some(expected) if number + 1 == ROUNDS.len() && segments == *expected => Shown::Timer,
            Some(_) => Shown::Nothing,
            // Only a timer lets a sender that has more to send begin with one segment, and then two.
            None => Shown::Timer,
        }
    }

    pub(super) const fn is_missed(&self) -> bool {
        matches!(self.lost, Lost::Missed(_))
    }
}
