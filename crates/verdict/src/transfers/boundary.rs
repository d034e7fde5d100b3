//! Decides where one transfer ends and the next begins (methods T1).

use airmile_track::Segment;
use airmile_types::{Direction, Instant, Parameters};

use super::exchange::Exchange;
use super::http::{HttpProgress, is_http};
use super::kinds::Boundary;
use super::opening;
use super::state::Transfers;

impl Transfers {
    /// Ends the current transfer and begins the next where methods T1 says so.
    pub(super) fn bound(
        &mut self,
        segment: &Segment<'_>,
        http: &HttpProgress,
        blocked: bool,
        parameters: &Parameters,
    ) {
        if std::mem::take(&mut self.stepped_back) {
            return self.begin(Boundary::Flow, segment, parameters);
        }
        let boundary = match segment.direction {
            _ if self.is_within_message(segment, http, parameters) => None,
            Direction::Uplink => self.uplink_boundary(segment, blocked, parameters),
            Direction::Downlink => self.downlink_boundary(segment, http, blocked, parameters),
        };
        if let Some(boundary) = boundary {
            self.begin(boundary, segment, parameters);
        }
    }

    /// Whether HTTP/1.x messages in clear show that the transfer continues: the segment continues a
    /// body, or the server still owes a response, wholly or in part (methods T1). When nothing came
    /// for longer than a long poll lasts, nobody waits for the rest any more.
    #[inline]
    fn is_within_message(
        &self,
        segment: &Segment<'_>,
        http: &HttpProgress,
        parameters: &Parameters,
    ) -> bool {
        (http.continues || http.owes)
            && self.current.is_some()
            && self
                .newest_activity()
                .is_none_or(|last| (segment.time - last).as_secs_f64() <= parameters.long_poll_s)
    }

    /// The boundary that a request makes: payload of some size while every downlink byte seen is
    /// acknowledged. Payload that follows the request without an answer, or while bytes of the
    /// request are in flight, extends the request.
    fn uplink_boundary(
        &self,
        segment: &Segment<'_>,
        blocked: bool,
        parameters: &Parameters,
    ) -> Option<Boundary> {
        let large = f64::from(segment.payload_bytes) >= parameters.request_min_bytes;
        let answered = has_all_answers(segment, parameters);
        let http = answered && is_http(segment);
        let request = answered && (large || http);
        let Some(current) = &self.current else {
            return Some(if request { request_kind(http) } else { Boundary::Push });
        };
        if !request || current.is_asking_in_flight(segment.own.unacked()) {
            return None;
        }
        let silent = !blocked
            && self.is_silent(segment, parameters)
            && current.bytes.uplink > current.bytes.downlink;
        (current.has_response() || silent).then(|| request_kind(http))
    }

    /// The boundary that payload without a request makes after a second of silence. A closed window
    /// is not a silence: the transfer continues when the receiver reads again. An HTTP/1.x response
    /// whose request was not captured is a boundary by itself, unless the server owed it all along.
    fn downlink_boundary(
        &self,
        segment: &Segment<'_>,
        http: &HttpProgress,
        blocked: bool,
        parameters: &Parameters,
    ) -> Option<Boundary> {
        let Some(current) = &self.current else {
            if http.responds {
                return Some(Boundary::Http);
            }
            let opened = segment.flow.syn.is_some() || segment.flow.syn_ack.is_some();
            return Some(if opened { Boundary::Push } else { Boundary::Flow });
        };
        if http.responds && current.has_response() && !current.has_request() {
            return if was_asked_before(segment) { None } else { Some(Boundary::Http) };
        }
        let answered = current.has_response() || current.expects_nothing();
        if !answered || !self.is_silent(segment, parameters) {
            return None;
        }
        let silence =
            self.last_activity.of(Direction::Downlink).get().map(|last| segment.time - last);
        let owed = current.owes_answer()
            && silence.is_some_and(|silence| silence.as_secs_f64() <= parameters.long_poll_s);
        let asked = current.is_asked_again() || owed;
        let idle = segment.own.unacked() >= segment.start && !blocked && !asked;
        idle.then_some(Boundary::Push)
    }

    pub(super) fn begin(
        &mut self,
        boundary: Boundary,
        segment: &Segment<'_>,
        parameters: &Parameters,
    ) {
        let mut exchange = Exchange::new(self.number, boundary, segment.time);
        if self.number > 0 && boundary != Boundary::Flow {
            let gain = self.clocks.newest_gain(segment.direction);
            exchange.opening = opening::of_request(segment, gain, parameters);
        }
        self.unanswered |= self.current.as_ref().is_some_and(|before| !before.has_response());
        self.replace(exchange);
    }

    /// Begins a transfer; the previous transfer waits for the last of its evidence.
    pub(super) fn replace(&mut self, exchange: Exchange) {
        self.number += 1;
        self.messages.begin_transfer();
        if let Some(ended) = self.current.replace(exchange) {
            // Most flows have one transfer at a time, so that room for one is enough.
            self.closing.reserve_exact(1);
            self.closing.push_back(ended);
        }
        self.renew_due();
    }

    /// The time of the last payload of either direction, or of its last ACK.
    fn newest_activity(&self) -> Option<Instant> {
        self.last_activity.uplink.max(self.last_activity.downlink).get()
    }

    #[inline]
    fn is_silent(&self, segment: &Segment<'_>, parameters: &Parameters) -> bool {
        let last = self.last_activity.of(segment.direction).get();
        last.is_some_and(|last| (segment.time - last).as_secs_f64() > parameters.silence_s)
    }
}

/// Whether this response of a flow that was met in mid-stream answers a request from before the
/// capture: the phone has sent nothing since, captured or not.
fn was_asked_before(segment: &Segment<'_>) -> bool {
    segment.peer.unique_bytes() == 0 && segment.peer.acked_unseen_bytes() == 0
}

/// Whether the phone has all that the server has sent. A control record on its way to the phone is not
/// what the phone waits for.
pub(super) fn has_all_answers(segment: &Segment<'_>, parameters: &Parameters) -> bool {
    (segment.peer.in_flight_bytes() as f64) < parameters.request_min_bytes
}

const fn request_kind(http: bool) -> Boundary {
    if http { Boundary::Http } else { Boundary::Request }
}
