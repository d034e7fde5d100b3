//! Finds the times at which the application gave its sender no data to send (methods T8).

use airmile_track::Segment;
use airmile_types::{Duration, Instant};

use super::congestion::probe_rtt;
use super::doubt::Doubt;
use super::sent::Sent;
use super::state::Sender;
use crate::evidence::bits::Mask;
use crate::evidence::limits::Limits;

/// One in this number of silences ends, by chance, just after an ACK.
const CHANCE: i64 = 4;

impl Sender {
    /// Notes a silence that new data ends. The application caused the silence when the sender knew
    /// that its window had room and still sent nothing. The silence then begins at the ACK that
    /// freed the window, or at the last data if that left room.
    #[inline]
    pub(super) fn mark_application(&mut self, segment: &Segment<'_>, sent: &Sent, limits: &Limits) {
        if self.silences.as_ref().is_some_and(|silences| silences.doubt.is_some()) {
            self.resolve(segment, sent, limits);
        }
        if let Some(last) = self.newest.last()
            && segment.time - last > sent.ack_clock
            && segment.time - last > sent.clock()
        {
            self.mark_gap(segment, last, sent, limits);
        }
    }

    #[inline(never)]
    fn mark_gap(&mut self, segment: &Segment<'_>, last: Instant, sent: &Sent, limits: &Limits) {
        let (now, flight) = (segment.time, sent.flight);
        let held = self.is_held(segment, last, sent, limits) || self.window.is_full();
        if held || self.is_recovering() || self.recovered.is_recent(now) {
            return;
        }
        self.note_missed_flight(segment, sent);
        let allowed = sent.patience(segment, limits);
        let answers = self.answers(segment, sent);
        if self.congestion.probes_rtt(flight, now) {
            if answers {
                return;
            }
            // A sender that keeps its flight constant answers each ACK.
            self.congestion.probing = None;
        }
        let drained = answers && !self.emptied;
        let probing =
            drained.then(|| self.congestion.drains(flight, now - last, segment)).flatten();
        let (from, clocked) = self.silent_from(segment, last, sent, allowed, limits);
        let Some(from) = from else { return };
        let until = self.sent_before(segment, sent.loop_time).min(now);
        if until < now {
            // It had not heard of the newest ACKs, so that it knew of data in flight.
            self.busy.mark(last, now);
            if until - from <= allowed {
                return;
            }
        }
        let released = self.is_released(last, now, sent, limits);
        let doubt = Doubt {
            from,
            until: now,
            released,
            next: segment.start,
            acked: self.newest.acked,
            probing,
            room: self.newest.had_room(limits).then_some(sent.acked),
        };
        // When a tail loss probe ends a silence, the sender waited for ACKs (RFC 8985 section 7.2),
        // unless more data follows the probe.
        if clocked || probing.is_some() || segment.may_be_probe {
            self.silences.get_or_insert_default().doubt = Some(doubt);
            self.resolve(segment, sent, limits);
        } else {
            self.mark_silence(from, until, allowed, released);
        }
    }

    /// The time at which the data would have passed at the latest, had nothing held it back on its
    /// way: its sender echoes the newest timestamp that it has heard (RFC 7323 section 4.3), so it
    /// had not heard the next one yet. A sender that misses data of its peer echoes an older one.
    fn sent_before(&self, segment: &Segment<'_>, loop_time: Duration) -> Instant {
        let heard_all = segment.peer.in_flight_bytes() <= 0;
        let echo = segment.timestamps.filter(|_| heard_all).map(|stamps| stamps.echo);
        let next = echo.and_then(|echo| self.freed.iter().find(|ack| ack.is_later(echo)));
        next.map_or(Instant::MAX, |ack| ack.at + loop_time)
    }

    /// Returns since when the application was silent, and whether an ACK may have ended the
    /// silence.
    ///
    /// The congestion window held back any data that an ACK released. After a short segment with
    /// PSH this is in doubt, because a sender may cut a segment at the edge of its window. The
    /// application held back any data that no ACK released. When a gap ends with nothing in flight,
    /// the application was silent from its last data on. The same holds for a gap after a segment
    /// that emptied the send buffer, unless the ACKs themselves failed to come.
    fn silent_from(
        &self,
        segment: &Segment<'_>,
        last: Instant,
        sent: &Sent,
        allowed: Duration,
        limits: &Limits,
    ) -> (Option<Instant>, bool) {
        let (now, clock) = (segment.time, sent.clock());
        let drained = sent.acked >= segment.start;
        // With data in flight to a sender at an unknown distance, what seems to empty its buffer may
        // be cut at the edge of its window.
        let patience = if self.emptied && (sent.loop_known || drained) { clock } else { allowed };
        if self.newest.had_room(limits) {
            return (
                (now - last > patience).then_some(last),
                self.answers(segment, sent) && self.newest.began_small(limits),
            );
        }
        // What the last data answered seems to be heard after it where the estimated loop is a little
        // too long, and an ACK that the sender cannot have heard of yet released nothing.
        let since = if sent.loop_known { last + clock } else { last };
        let freed = self.heard(sent.loop_time).find(|at| *at > since && *at <= now + clock);
        let Some(freed) = freed else { return ((now - last > patience).then_some(last), false) };
        if freed + patience >= now {
            // In a short silence some ACK is always near, so that it shows nothing.
            let by_chance = now - last < clock.times(CHANCE) || self.has_writes_in_flight(sent);
            return (self.emptied.then_some(last), !by_chance);
        }
        let outage = segment.own.srtt().is_some_and(|srtt| freed - last > srtt.times(2));
        let whole = (self.emptied || drained) && !outage;
        (Some(if whole { last } else { freed }), false)
    }

    /// Whether two segments in flight emptied the send buffer. If they did, the window was not full
    /// when the first was sent: a sender with a backlog cuts one short segment at the edge of its
    /// window, not one for each write.
    const fn has_writes_in_flight(&self, sent: &Sent) -> bool {
        self.writes[0] > sent.acked
    }

    /// Decides whether a silence in doubt was the application's. A congestion window that was full
    /// before releases at most twice the acknowledged bytes (RFC 5681 section 3.1: slow start
    /// releases twice). ProbeRTT keeps the flight low for the
    /// longer of 200 ms and a round trip.
    #[inline(never)]
    fn resolve(&mut self, segment: &Segment<'_>, sent: &Sent, limits: &Limits) {
        let Some(doubt) = self.silences.as_ref().and_then(|silences| silences.doubt) else {
            return;
        };
        let (now, acked, clock) = (segment.time, sent.acked, sent.clock());
        let released = segment.own.next() - doubt.next;
        let (over, silent) = match doubt.probing {
            Some(most) => (sent.flight > most, now - doubt.until < probe_rtt(segment.own)),
            None => {
                let called_for = 2 * (acked - doubt.acked) + sent.mss;
                let more = released > called_for;
                // With or without room, a window that releases more than was acknowledged is
                // growing.
                let burst = (segment.start - doubt.next) as f64;
                let paced = doubt.room.is_some_and(|acked| {
                    burst <= limits.growth_ratio * (acked - doubt.acked) as f64
                });
                (more || now - doubt.until > clock, more || paced)
            }
        };
        if over {
            self.silences.get_or_insert_default().doubt = None;
            if silent {
                self.mark_silence(doubt.from, doubt.until, clock, doubt.released);
            }
        }
    }

    /// Marks a silence, except while the receiver's window was closed: then the sender could not
    /// send, whatever data it had.
    fn mark_silence(&mut self, from: Instant, until: Instant, allowed: Duration, released: bool) {
        let closed_until = self.window.closed_until();
        if from < closed_until && closed_until + allowed >= until {
            return;
        }
        let from = from.max(closed_until);
        self.application.mark(from, until);
        if released {
            self.silences.get_or_insert_default().released.mark(from, until);
        }
    }

    /// Whether a short record of the receiver ended the silence between `last` and `now`: it may have
    /// opened a window above TCP.
    fn is_released(&self, last: Instant, now: Instant, sent: &Sent, limits: &Limits) -> bool {
        let slack = sent.near(limits);
        self.silences.as_ref().is_some_and(|silences| {
            sent.loop_known && silences.has_released(last, now, sent.loop_time, slack)
        })
    }

    /// The milliseconds of a bin in which the application was silent until a short record of the
    /// receiver came.
    pub(crate) fn released_at(&self, bin: i64) -> Mask {
        self.silences.as_ref().map_or(0, |silences| silences.released.at(bin))
    }

    /// The times at which the sender heard of each ACK that may have freed its window since its
    /// last data.
    pub(super) fn heard(&self, loop_time: Duration) -> impl Iterator<Item = Instant> {
        self.freed.iter().map(move |ack| ack.at + loop_time)
    }
}
