//! Adds packets to a transfer (methods T1).

use airmile_track::{Events, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Parameters, Vantage};

use super::exchange::Exchange;
use super::http::{is_http, request_lines};
use super::kinds::{Boundary, Content};
use super::messages::{Messages, Origin};
use crate::evidence::{Expects, FULL_LEAST_BYTES, RadioState, UeQueues, Wait};

/// The longest time between two writes that belong to one request.
const AT_ONCE: Duration = Duration::from_millis(10);

/// The greatest number of waits that are kept until they are judged. With more waits, their slices
/// would be too short to matter.
const MOST_WAITS: usize = 4096;

/// The greatest number of retransmissions of the last bytes that are kept; the newest are kept.
const MOST_REPAIRS: usize = 64;

impl Exchange {
    /// Counts a packet of this transfer, and returns the wait that the packet ends.
    #[inline]
    pub(crate) fn take(
        &mut self,
        segment: &Segment<'_>,
        content: Content,
        (queues, messages): (&UeQueues, &mut Messages),
        parameters: &Parameters,
    ) -> Option<Wait> {
        let now = segment.time;
        if self.reset.is_some() {
            return None;
        }
        let mut ended = None;
        self.packets = self.packets.saturating_add(1);
        if !self.repairs.is_empty() || segment.events.any(Events::OLD) {
            self.note_repair(segment);
        }
        if segment.probed_bytes > 0 {
            *self.bytes.of_mut(segment.direction.reverse()) += i64::from(segment.probed_bytes);
        }
        if segment.new_bytes > 0 && content != Content::Handshake {
            *self.bytes.of_mut(segment.direction) += i64::from(segment.new_bytes);
            if content == Content::Data {
                self.first_byte.of_mut(segment.direction).get_or_insert(now);
            }
            let last = self.last_new.of_mut(segment.direction);
            let before = last.get();
            // Alerts and pings extend a transfer only while a request is open.
            if content == Content::Data || self.open.is_some() {
                last.note(now);
                let offset = self.last_offset.of_mut(segment.direction);
                *offset = segment.end.max(*offset);
            }
            match (content, segment.direction) {
                (Content::Data, Direction::Uplink) => {
                    self.ask(segment, before, messages, parameters);
                }
                (Content::Data, Direction::Downlink) => {
                    ended = self.answer(segment, before, (queues, messages), parameters);
                }
                (Content::Minor, Direction::Downlink) => self.doubt(segment, queues),
                _ => {}
            }
        } else if let Some(open) = &mut self.open {
            open.note(segment, queues);
        }
        if segment.acked_bytes > 0 && !acknowledges_fin_alone(segment) && !self.is_beside(segment) {
            self.last_ack.of_mut(segment.direction.reverse()).note(now);
        }
        if segment.events.any(Events::RST) {
            self.reset = now.into();
        }
        ended
    }

    /// Notes new bytes from the phone: a new request, or more of the previous request. A few bytes
    /// begin a request only as the first of the transfer, because they may otherwise be control data
    /// of HTTP/2 (methods T1).
    fn ask(
        &mut self,
        segment: &Segment<'_>,
        before: Option<Instant>,
        messages: &mut Messages,
        parameters: &Parameters,
    ) {
        let large = f64::from(segment.payload_bytes) >= parameters.request_min_bytes;
        let at_once = before.is_some_and(|before| segment.time - before <= AT_ONCE);
        let first = self.bytes.uplink <= i64::from(segment.new_bytes) && !self.has_response();
        let http = is_http(segment);
        self.open.take_if(|open| open.is_over());
        let follows = self.full || at_once;
        let now = (segment.time, segment.end);
        let expects = if http { Expects::Answer } else { messages.expects(segment, parameters) };
        if large && !self.full && expects != Expects::Nothing {
            messages.ask();
        }
        match &mut self.open {
            Some(open) => {
                open.extend(now, !http, follows && !http);
                if !follows {
                    open.pause(may_be_nagle(segment));
                }
            }
            None if large || first => {
                let radio = radio_at(segment, parameters);
                self.open = Some(Box::new(
                    Wait::new(segment.time, (segment.start, segment.end))
                        .finding(radio)
                        .expecting(expects),
                ));
            }
            _ => {}
        }
        if let Some(open) = self.open.as_mut().filter(|_| fills_hole(segment)) {
            open.repair(segment.time);
        }
        if large || self.full || self.open.is_some() {
            self.asked_to = self.asked_to.max(segment.end);
        }
        if http {
            self.requests = self.requests.saturating_add(request_lines(segment));
        }
        self.full = segment.payload_bytes >= segment.own.mss_bytes().max(FULL_LEAST_BYTES);
    }

    /// Notes retransmissions of the last bytes: these bytes have not arrived until the last of them
    /// is repaired.
    #[inline(never)]
    fn note_repair(&mut self, segment: &Segment<'_>) {
        use SegmentClass::{Retransmission, TailProbe};
        if segment.direction == Direction::Uplink {
            if !self.repairs.is_empty() {
                self.forget_unneeded(segment);
            }
        } else if segment.new_bytes > 0 {
            self.repairs.clear();
        } else if matches!(segment.class, Some(Retransmission | TailProbe))
            && segment.start < self.last_offset.downlink
        {
            // What is not of the transfer, such as the server's alert before it closes, repairs
            // nothing of it.
            if self.repairs.len() == MOST_REPAIRS {
                self.repairs.remove(0);
            }
            self.repairs.push((segment.start, segment.end, segment.time));
        }
    }

    #[cold]
    fn forget_unneeded(&mut self, segment: &Segment<'_>) {
        let (unneeded, probe) = (segment.dsack, segment.tail_probe.filter(|probe| !probe.lost));
        self.repairs.retain(|&(start, end, at)| {
            !unneeded.is_some_and(|(left, right)| left < end && start < right)
                && probe.is_none_or(|probe| probe.sent != at)
        });
    }

    /// Whether the segment acknowledges data that came after the requests: alerts, pings, window
    /// updates.
    fn is_beside(&self, segment: &Segment<'_>) -> bool {
        let before = || segment.ack.unwrap_or(0).saturating_sub_unsigned(segment.acked_bytes);
        segment.direction == Direction::Downlink && before() >= self.asked_to
    }

    /// Notes new bytes from the server, which answer the open request.
    fn answer(
        &mut self,
        segment: &Segment<'_>,
        before: Option<Instant>,
        (queues, messages): (&UeQueues, &mut Messages),
        parameters: &Parameters,
    ) -> Option<Wait> {
        let apart = |gap| gap > AT_ONCE && gap > flight_of(segment);
        let begins = before.is_none_or(|before| apart(segment.time - before));
        let is_new = segment.class == Some(SegmentClass::New);
        let ended = self.end_wait(segment, parameters);
        if begins {
            self.answers = self.answers.saturating_add(1);
        }
        // What was lost before belongs to the message before.
        if begins && is_new {
            messages.note(segment, self.origin(segment, ended.as_deref(), before.is_none()));
        }
        let wait = ended?.close(segment, queues);
        self.full = false;
        if self.first_wait.is_none() {
            self.first_wait = Some(Box::new(wait));
        }
        match self.waits.len() {
            // Most transfers have one wait, so that room for one is enough.
            0 => self.waits.reserve_exact(1),
            MOST_WAITS => drop(self.waits.pop_front()),
            _ => {}
        }
        self.waits.push_back(wait);
        Some(wait)
    }

    /// Why the server sends a message that begins with this segment, and ends this wait. `first` is
    /// true for the first of the transfer.
    fn origin(&self, segment: &Segment<'_>, ended: Option<&Wait>, first: bool) -> Origin {
        // A server that speaks first greets.
        let greets = segment.peer.unique_bytes() == 0;
        match ended {
            Some(wait) if wait.may_be_unasked() => Origin::Unknown,
            Some(_) => Origin::Asked,
            None if self.boundary == Boundary::Flow && !self.has_request() => Origin::Unknown,
            None if greets || self.open.is_some() || begins_response(segment) => Origin::Asked,
            None if first => Origin::Unasked,
            None => Origin::Further,
        }
    }

    /// Ends the open wait, if the segment acknowledges its request. Data that the server sent before
    /// belongs to something else, and where such data runs on, that acknowledges the request, too, and
    /// shows nothing of its answer (methods T3). Data that acknowledges a part answers that part, unless
    /// the phone is in the middle of an upload.
    fn end_wait(&mut self, segment: &Segment<'_>, parameters: &Parameters) -> Option<Box<Wait>> {
        let open = self.open.as_deref_mut()?;
        let acked = segment.ack.unwrap_or(i64::MAX);
        if begins_response(segment) {
            return self.open.take();
        }
        if acked >= self.asked_to {
            let long = Duration::from_secs_f64(parameters.silence_s);
            let answered = open.answered(segment.time, flight_of(segment), long);
            self.open = None;
            return answered.map(Box::new);
        }
        // A short record, such as a ping, is nothing that runs on.
        let is_short = f64::from(segment.payload_bytes) < parameters.request_min_bytes;
        if is_short && open.is_unheard(acked) {
            return None;
        }
        open.note_beside(acked);
        if open.is_beside() || self.full && !open.is_had(acked) {
            return None;
        }
        let (first, rest) = open.split_first(self.asked_to);
        self.open = rest.map(Box::new);
        Some(Box::new(first))
    }

    /// Notes a minor record. Of several, the longest may be the answer.
    fn doubt(&mut self, segment: &Segment<'_>, queues: &UeQueues) {
        let longer = self.doubtful.as_ref().is_none_or(|known| segment.payload_bytes > known.1);
        if let Some(wait) = self.open.as_ref().filter(|_| longer) {
            self.doubtful = Some(Box::new((wait.close(segment, queues), segment.payload_bytes)));
        }
    }
}

/// Whether the segment is new at the capture point although later segments have passed: its first
/// copy was lost before the capture point.
fn fills_hole(segment: &Segment<'_>) -> bool {
    matches!(segment.class, Some(SegmentClass::Retransmission | SegmentClass::UpstreamLoss))
}

/// The time in which bytes come that are a later flight of the same answer: two round trips.
pub(super) fn flight_of(segment: &Segment<'_>) -> Duration {
    segment.own.srtt().map_or(AT_ONCE, |srtt| srtt.times(2).max(AT_ONCE))
}

/// Whether Nagle's algorithm may have held the segment: a short one, that leaves when its sender hears
/// of the ACK of all data before it (RFC 9293 section 3.7.4).
fn may_be_nagle(segment: &Segment<'_>) -> bool {
    let board = segment.own;
    let is_short = segment.payload_bytes < FULL_LEAST_BYTES;
    let loop_time = board.loop_time().unwrap_or(Duration::ZERO);
    let heard = board.last_advance().map(|at| at + loop_time);
    // Behind the radio, data comes as late as its grants do.
    let near = |heard: Instant| {
        let later = segment.time - heard;
        later <= AT_ONCE + loop_time.over(8) && later.abs() <= AT_ONCE.max(later)
    };
    is_short && board.unacked() >= segment.start && heard.is_some_and(near)
}

/// Whether the segment begins an HTTP/1.x response in clear, which may come before the whole request
/// was sent: 100 Continue, or an error (RFC 9110 section 10.1.1).
fn begins_response(segment: &Segment<'_>) -> bool {
    segment.payload.starts_with(b"HTTP/1.")
}

/// Whether the segment acknowledges only a FIN, because all data was acknowledged before.
fn acknowledges_fin_alone(segment: &Segment<'_>) -> bool {
    segment.acked_bytes == 1 && segment.peer.unacked() > segment.peer.data_end()
}

/// Whether the radio may have slept before the segment, by how long nothing had passed at the phone.
fn radio_at(segment: &Segment<'_>, parameters: &Parameters) -> RadioState {
    let silent = segment.ue.last_packet.map(|last| (segment.time - last).as_secs_f64());
    match silent.filter(|_| segment.flow.vantage == Some(Vantage::Ue)) {
        Some(silent_s) if silent_s >= parameters.tail_s => RadioState::Asleep,
        Some(silent_s) if silent_s >= parameters.least_silence_s => RadioState::MaySleep,
        _ => RadioState::Awake,
    }
}
