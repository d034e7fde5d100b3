//! Follows a transfer that is in progress (methods T1).

use std::collections::VecDeque;

use airmile_types::{Direction, Held, Instant, Maybe, PerDirection};

use super::cause_times::CauseTimes;
use super::kinds::Boundary;
use super::opening::OpeningSpan;
use crate::evidence::Wait;

/// A transfer: a request and the data in both directions that follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) number: u32,
    pub(crate) boundary: Boundary,
    /// The spans of handshake, name look-up and promotion before the flow's first request, with
    /// their causes.
    pub(crate) opening: Vec<OpeningSpan>,
    pub(crate) request: Instant,
    pub(super) first_byte: PerDirection<Maybe<Instant>>,
    pub(super) last_new: PerDirection<Maybe<Instant>>,
    pub(super) last_ack: PerDirection<Maybe<Instant>>,
    /// The offset after the last new byte, for each direction.
    pub(super) last_offset: PerDirection<i64>,
    pub(crate) bytes: PerDirection<i64>,
    pub(crate) packets: u32,
    /// The wait of the request that has no answer yet.
    pub(super) open: Option<Box<Wait>>,
    /// Waits that are complete and not yet judged.
    pub(crate) waits: VecDeque<Wait>,
    /// The wait of the request that began the transfer.
    pub(crate) first_wait: Option<Box<Wait>>,
    /// The number of round trips that the transfer's requests have waited for.
    pub(crate) round_trips: u32,
    /// The wait that results if a minor record turns out to be the answer, and the length of that
    /// record.
    pub(super) doubtful: Option<Box<(Wait, u32)>>,
    /// The numbers of HTTP/1.x requests in clear, and of their answers, as far as these came one by
    /// one.
    pub(super) requests: u32,
    pub(super) answers: u32,
    /// The offset after the newest byte of a request.
    pub(super) asked_to: i64,
    /// Whether the last packet of the request was full, so that a shorter packet may end the
    /// request.
    pub(super) full: bool,
    /// The retransmissions since the last new downlink byte, each as first byte, offset after the
    /// last byte, and time.
    pub(super) repairs: Vec<(i64, i64, Instant)>,
    /// Whether a part of a response of HTTP/1.x in clear has not come.
    pub(super) owes_rest: bool,
    /// The time at which the capture ended, or a reset came, in the middle of the transfer.
    pub(super) cut: Maybe<Instant>,
    /// The time of the newest packet that passed while the receiver accepted no data, for each
    /// direction.
    pub(super) held: PerDirection<Maybe<Instant>>,
    /// The time at which the receiver reset the connection. The transfer ended there, even if data
    /// still drains.
    pub(crate) reset: Maybe<Instant>,
    /// The direction of the transfer, fixed once rows have been written.
    pub(super) settled: Option<Direction>,
    /// The time up to which rows have been written.
    pub(crate) flushed: Maybe<Instant>,
    pub(crate) shares: CauseTimes,
}

const _: () = assert!(size_of::<Exchange>() <= 336, "each live flow with payload holds one");

impl Held for Exchange {
    fn held_bytes(&self) -> usize {
        let waits = self.open.held_bytes() + self.waits.held_bytes() + self.first_wait.held_bytes();
        let doubtful = self.doubtful.as_deref().map_or(0, size_of_val);
        let lists = self.opening.held_bytes() + self.repairs.held_bytes();
        waits + doubtful + lists + self.shares.held_bytes()
    }

    fn give_back(&mut self) {
        self.open.give_back();
        self.waits.give_back();
        self.first_wait.give_back();
        self.opening.give_back();
        self.repairs.give_back();
        self.shares.give_back();
    }
}

impl Exchange {
    pub(crate) fn new(number: u32, boundary: Boundary, request: Instant) -> Self {
        Self {
            number,
            boundary,
            opening: Vec::new(),
            request,
            first_byte: PerDirection::default(),
            last_new: PerDirection::default(),
            last_ack: PerDirection::default(),
            last_offset: PerDirection { uplink: i64::MIN, downlink: i64::MIN },
            bytes: PerDirection::default(),
            packets: 0,
            open: None,
            waits: VecDeque::new(),
            first_wait: None,
            round_trips: 0,
            doubtful: None,
            asked_to: i64::MIN,
            requests: 0,
            answers: 0,
            full: false,
            repairs: Vec::new(),
            owes_rest: false,
            cut: Maybe::NONE,
            held: PerDirection::default(),
            reset: Maybe::NONE,
            settled: None,
            flushed: Maybe::NONE,
            shares: CauseTimes::default(),
        }
    }

    /// Reopens a request that was not recognised when it passed, because its size did not show that
    /// it was a request.
    pub(crate) fn reopen(&mut self, wait: Box<Wait>) {
        self.open = Some(wait);
    }

    /// Whether the transfer is the first of its flow and may have begun before the capture: it does
    /// not begin with a request, or its data is the end of an upload. When the window is closed as
    /// the transfer is first seen, no more packets are needed to decide.
    pub(crate) fn is_met(&self) -> bool {
        let begun = matches!(self.boundary, Boundary::Http | Boundary::Request);
        let held = self.held.of(self.direction()).is_some();
        self.number == 0 && !held && (!begun || self.direction() == Direction::Uplink)
    }

    /// Whether some bytes of the transfer are not acknowledged, or one of its requests is not
    /// answered.
    pub(crate) fn is_unfinished(&self, acked: i64) -> bool {
        self.is_asking() || self.cut.is_some() || acked < *self.last_offset.of(self.direction())
    }

    /// Notes that the receiver of a direction accepts no data: the transfer continues although no
    /// new data passes.
    pub(crate) fn hold(&mut self, direction: Direction, now: Instant) {
        if self.reset.is_some() {
            return;
        }
        self.held.of_mut(direction).note(now);
    }

    /// The direction with more bytes; fixed once rows have been written.
    pub(crate) fn direction(&self) -> Direction {
        let only_held = self.bytes.downlink == 0 && self.held.downlink < self.held.uplink;
        let larger = if self.bytes.uplink > self.bytes.downlink || only_held {
            Direction::Uplink
        } else {
            Direction::Downlink
        };
        self.settled.unwrap_or(larger)
    }

    pub(crate) fn settle_direction(&mut self) -> Direction {
        *self.settled.insert(self.direction())
    }

    /// The begin of the transfer's slices: the begin of its opening, if it has one.
    pub(crate) fn start(&self) -> Instant {
        self.opening.iter().map(|(from, ..)| *from).min().unwrap_or(self.request).min(self.request)
    }

    /// The time at which the request that began the transfer was complete; `None` for a push.
    pub(crate) fn asked(&self) -> Option<Instant> {
        let wait = self.first_wait.as_ref().or(self.open.as_ref());
        wait.map(|wait| wait.within(self.direction()).asked)
    }

    /// Whether a request is open although the answer to an earlier one has begun (methods T1).
    pub(crate) fn is_asked_again(&self) -> bool {
        self.is_asking() && self.has_response()
    }

    /// Whether fewer answers than requests have come, for a transfer that is not an upload. Only
    /// HTTP/1.x in clear shows the number of requests.
    pub(crate) const fn owes_answer(&self) -> bool {
        self.requests > self.answers && self.bytes.downlink >= self.bytes.uplink
    }

    /// Whether a part of the transfer's requests is not acknowledged.
    pub(crate) const fn is_asking_in_flight(&self, acked: i64) -> bool {
        acked < self.asked_to
    }

    /// Whether at least one request is known to belong to the transfer.
    pub(super) fn has_request(&self) -> bool {
        self.asked_to > i64::MIN
    }

    /// Whether a request waits for its answer; not one beside which the server sends something else.
    pub(crate) fn is_asking(&self) -> bool {
        self.open.as_ref().is_some_and(|wait| !wait.is_beside() && !wait.is_over())
    }

    /// Whether the phone has only acknowledged a message of the server, and the server has that.
    pub(crate) fn expects_nothing(&self) -> bool {
        self.open.as_ref().is_some_and(|wait| wait.is_over())
    }

    /// Whether the server has sent data to the phone.
    pub(crate) fn has_response(&self) -> bool {
        self.first_byte.downlink.is_some()
    }

    /// The time of the first payload byte in the direction of the transfer.
    pub(crate) fn first_byte(&self) -> Option<Instant> {
        self.first_byte.of(self.direction()).get()
    }

    /// The end of the transfer. Downlink: the last new payload byte, or the last retransmission
    /// that repaired earlier bytes. Uplink: the last ACK, or the last byte of the answer (methods
    /// T1). In both directions, the end is not before the receiver's window opened, and not before
    /// the capture ended or a reset came in the middle of the transfer.
    pub(crate) fn end(&self) -> Instant {
        let repaired = self.repairs.iter().map(|(_, _, at)| *at).max();
        let last = self.last_new.downlink.get();
        let received = Maybe::from(last.map(|last| repaired.map_or(last, |at| at.max(last))));
        let end = match self.direction() {
            Direction::Downlink => received,
            Direction::Uplink => {
                let sent = self.last_ack.uplink.max(self.last_new.uplink);
                if self.has_response() { sent.max(received) } else { sent }
            }
        };
        let end = end.max(*self.held.of(self.direction())).max(self.cut);
        end.get().map_or(self.request, |end| end.max(self.request))
    }

    /// The time from which only the answer to an upload is sent; `None` before that.
    pub(crate) fn only_answers_from(&self) -> Option<Instant> {
        let answered = self.waits.back().or(self.first_wait.as_deref())?.answered?;
        (self.last_new.uplink <= Maybe::from(answered)).then_some(answered)
    }

    /// Whether the transfer has less than 1 KB in both directions (methods T1). Such a transfer is
    /// kept in the table, but does not count in shares. A transfer that a closed window stopped, or
    /// whose response is not complete, is not control, because it may have been larger.
    pub(crate) fn is_control(&self, control_bytes: f64) -> bool {
        !self.held.of(self.direction()).is_some()
            && !self.owes_rest
            && (self.bytes.downlink as f64) < control_bytes
            && (self.bytes.uplink as f64) < control_bytes
    }
}
