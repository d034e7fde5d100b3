//! Requests that are too small to be distinguished from control records by their size (methods T1).

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Parameters};

use super::boundary::has_all_answers;
use super::exchange::Exchange;
use super::http::is_http;
use super::kinds::{Boundary, Content};
use super::state::Transfers;
use super::take::flight_of;
use crate::evidence::{UeQueues, Wait};

impl Transfers {
    /// Notes a record just below the size of a certain request. It was a request if an answer
    /// follows that nothing else requested: HTTP/2 compresses what requests have in common (RFC
    /// 7541).
    ///
    /// Without TLS a request may have any size, because line protocols send requests of a few
    /// bytes. Until the answer comes, the record belongs to no transfer. Returns whether the
    /// segment is such a record.
    pub(super) fn note_small(
        &mut self,
        segment: &Segment<'_>,
        (content, least): (Content, f64),
        queues: &UeQueues,
        parameters: &Parameters,
    ) -> bool {
        if segment.new_bytes == 0 || content == Content::Handshake {
            if let Some(small) = &mut self.small {
                small.note(segment, queues);
            }
            return false;
        }
        let bytes = f64::from(segment.payload_bytes);
        match segment.direction {
            Direction::Uplink => {
                let small = (least..parameters.request_min_bytes).contains(&bytes)
                    && !is_window_update(segment.payload_bytes)
                    && has_all_answers(segment, parameters)
                    && self.current.as_ref().is_some_and(|c| c.has_response() && !c.is_asking());
                self.small = small.then(|| {
                    let wait = Wait::new(segment.time, (segment.start, segment.end));
                    Box::new(wait.expecting(self.messages.expects(segment, parameters)))
                });
                return small && !is_http(segment);
            }
            Direction::Downlink if content == Content::Data => {
                // Data that the server sent before it had the record answers something else.
                let answers = |small: &Wait| small.is_had(segment.ack.unwrap_or(i64::MAX));
                let small = self.small.take().filter(|small| answers(small));
                let long = Duration::from_secs_f64(parameters.silence_s);
                let pause = flight_of(segment);
                let Some(small) = small.and_then(|s| s.answered(segment.time, pause, long)) else {
                    return false;
                };
                let long = (segment.time - small.asked).as_secs_f64() > parameters.long_poll_s;
                let judged = |c: &Exchange| c.flushed > small.asked.into();
                let taken = |c: &Exchange| c.is_asking() || judged(c);
                if !long && !self.current.as_ref().is_some_and(taken) {
                    let mut exchange = Exchange::new(self.number, Boundary::Request, small.asked);
                    exchange.reopen(Box::new(small));
                    self.replace(exchange);
                }
            }
            Direction::Downlink => {}
        }
        false
    }
}

/// Whether a payload has the size of one to three WINDOW_UPDATE frames of HTTP/2 (RFC 9113 section
/// 6.9: 13 bytes each) in a record of TLS 1.3 (RFC 8446 section 5.2: 22 bytes more) or of TLS 1.2
/// with an AEAD (RFC 5288: 29 bytes more).
const fn is_window_update(bytes: u32) -> bool {
    matches!(bytes, 35 | 48 | 61 | 42 | 55)
}
