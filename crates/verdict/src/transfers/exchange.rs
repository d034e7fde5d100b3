//! A transfer that is in progress (methods T1).

use std::collections::VecDeque;

use airmile_types::{Cause, Direction, Held, Instant, Maybe, PerDirection};

use super::cause_times::CauseTimes;
use super::kinds::Boundary;
use crate::evidence::Wait;

/// A transfer: a request, and the data in both directions that follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) number: u32,
    pub(crate) boundary: Boundary,
    /// Handshake, DNS and promotion before the flow's first request.
    pub(crate) opening: Vec<(Instant, Instant, Cause)>,
    pub(crate) request: Instant,
    pub(super) first_byte: PerDirection<Maybe<Instant>>,
    pub(super) last_new: PerDirection<Maybe<Instant>>,
    pub(super) last_ack: PerDirection<Maybe<Instant>>,
    /// The offset after the last new byte of each direction.
    pub(super) last_offset: PerDirection<i64>,
    pub(crate) bytes: PerDirection<i64>,
    pub(crate) packets: u32,
    /// The request that awaits its answer.
    pub(super) open: Option<Box<Wait>>,
    /// Waits that are over and not yet judged.
    pub(crate) waits: VecDeque<Wait>,
    /// The wait of the request that began it.
    pub(crate) first_wait: Option<Box<Wait>>,
    /// The number of loops that its requests have waited for.
    pub(crate) round_trips: u32,
    /// The wait as it would be if a minor record had been the answer, and the length of that
    /// record.
    pub(super) doubtful: Option<Box<(Wait, u32)>>,
    /// The number of requests of HTTP/1.x in clear, and of answers that came one by one.
    pub(super) requests: u32,
    pub(super) answers: u32,
    /// The offset after the newest byte of a request.
    pub(super) asked_to: i64,
    /// Whether the last packet of the request was full, so that a shorter one may end it.
    pub(super) full: bool,
    /// What was retransmitted since the last new downlink byte: first byte, offset after the last,
    /// time.
    pub(super) repairs: Vec<(i64, i64, Instant)>,
    /// The time at which the capture, or a reset, ended it in its middle.
    pub(super) cut: Maybe<Instant>,
    /// The newest packet that passed while the receiver of a direction took nothing.
    pub(super) held: PerDirection<Maybe<Instant>>,
    /// The time at which the receiver reset it: the transfer ended there, whatever still drains.
    pub(crate) reset: Maybe<Instant>,
    /// The direction, fixed once rows have left.
    pub(super) settled: Option<Direction>,
    /// The time up to which rows have left.
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
            cut: Maybe::NONE,
            held: PerDirection::default(),
            reset: Maybe::NONE,
            settled: None,
            flushed: Maybe::NONE,
            shares: CauseTimes::default(),
        }
    }

    /// Opens a request that was not recognised when it passed, because its size did not show it.
    pub(crate) fn reopen(&mut self, wait: Box<Wait>) {
        self.open = Some(wait);
    }

    /// Whether it is the first of its flow and may have begun before: it does not begin with a
    /// request, or what it sends is the end of an upload. A transfer whose window is closed when it
    /// is first seen needs no more packets.
    pub(crate) fn is_met(&self) -> bool {
        let begun = matches!(self.boundary, Boundary::Http | Boundary::Request);
        let held = self.held.of(self.direction()).is_some();
        self.number == 0 && !held && (!begun || self.direction() == Direction::Uplink)
    }

    /// Whether bytes of it are not acknowledged, or a request of it is not answered.
    pub(crate) fn is_unfinished(&self, acked: i64) -> bool {
        self.open.is_some() || self.cut.is_some() || acked < *self.last_offset.of(self.direction())
    }

    /// Notes that the receiver of a direction takes nothing: the transfer continues although
    /// nothing new passes.
    pub(crate) fn hold(&mut self, direction: Direction, now: Instant) {
        if self.reset.is_some() {
            return;
        }
        self.held.of_mut(direction).note(now);
    }

    /// The direction with more bytes; fixed once rows have left.
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

    /// The begin of its slices: the opening, when it has one.
    pub(crate) fn start(&self) -> Instant {
        self.opening
            .iter()
            .map(|(from, _, _)| *from)
            .min()
            .unwrap_or(self.request)
            .min(self.request)
    }

    /// The time at which the request that began it was complete; `None` for a push.
    pub(crate) fn asked(&self) -> Option<Instant> {
        let wait = self.first_wait.as_ref().or(self.open.as_ref());
        wait.map(|wait| wait.within(self.direction()).asked)
    }

    /// Whether a request is open although an answer has begun (methods T1).
    pub(crate) fn is_asked_again(&self) -> bool {
        self.open.is_some() && self.has_response()
    }

    /// Whether fewer answers than requests have come, for a transfer that is not an upload. Only
    /// HTTP/1.x in clear shows how many requests there are.
    pub(crate) const fn owes_answer(&self) -> bool {
        self.requests > self.answers && self.bytes.downlink >= self.bytes.uplink
    }

    /// Whether a part of its requests is not acknowledged.
    pub(crate) const fn is_asking_in_flight(&self, acked: i64) -> bool {
        acked < self.asked_to
    }

    /// Whether a request is known to belong to it.
    pub(super) fn has_request(&self) -> bool {
        self.asked_to > i64::MIN
    }

    /// Whether a request awaits its answer.
    pub(crate) const fn is_asking(&self) -> bool {
        self.open.is_some()
    }

    /// Whether the server has sent data to the phone.
    pub(crate) fn has_response(&self) -> bool {
        self.first_byte.downlink.is_some()
    }

    /// The first payload byte in the direction of the transfer.
    pub(crate) fn first_byte(&self) -> Option<Instant> {
        self.first_byte.of(self.direction()).get()
    }

    /// The end of the transfer. Downlink: the last new payload byte, or the last repair of what
    /// came before it. Uplink: the last ACK, or the last byte of the answer (methods T1). In both
    /// it is not before the receiver's window opened, nor before the capture or a reset ended it in
    /// its middle.
    pub(crate) fn end(&self) -> Instant {
        let end = match self.direction() {
            Direction::Downlink => {
                let repaired = self.repairs.iter().map(|(_, _, at)| *at).max();
                let last = self.last_new.downlink.get();
                Maybe::from(last.map(|last| repaired.map_or(last, |at| at.max(last))))
            }
            Direction::Uplink => {
                let sent = self.last_ack.uplink.max(self.last_new.uplink);
                if self.has_response() { sent.max(self.last_new.downlink) } else { sent }
            }
        };
        let end = end.max(*self.held.of(self.direction())).max(self.cut);
        end.get().map_or(self.request, |end| end.max(self.request))
    }

    /// The time from which only the answer to an upload is sent; `None` before.
    pub(crate) fn only_answers_from(&self) -> Option<Instant> {
        let answered = self.waits.back().or(self.first_wait.as_deref())?.answered?;
        (self.last_new.uplink <= Maybe::from(answered)).then_some(answered)
    }

    /// Whether it has less than 1 KB in both directions (methods T1); such a transfer is kept, and
    /// is not in shares. What a closed window held may have been more.
    pub(crate) fn is_control(&self, control_bytes: f64) -> bool {
        !self.held.of(self.direction()).is_some()
            && (self.bytes.downlink as f64) < control_bytes
            && (self.bytes.uplink as f64) < control_bytes
    }
}
