//! Joins responses to their requests; both come in the same order (RFC 9112 section 9.3.2).

use std::collections::VecDeque;

use airmile_types::{Held, Instant};

use super::class;
use super::message::{self, Head, Kind};
use super::stream::{Body, Found};
use super::row::HttpRow;

/// The greatest number of requests that may wait for their response. A client does not send more;
/// an attacker who wants to fill memory may.
const WAITING_MOST: usize = 64;

/// The requests and responses of a connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Exchanges {
    requests: VecDeque<Request>,
    /// The newest response, which may continue. It is written when the next one begins.
    response: Option<Box<HttpRow>>,
    count: u32,
    /// The number of packets of the flow since the newest byte of the response.
    packets_since: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Request {
    id: u32,
    time: Instant,
    method: &'static str,
    close: bool,
}

impl Held for Exchanges {
    fn held_bytes(&self) -> usize {
        let of_row = |row: &HttpRow| {
            size_of::<HttpRow>() + row.content_type.as_ref().map_or(0, String::capacity)
        };
        self.requests.held_bytes() + self.response.as_deref().map_or(0, of_row)
    }

    fn give_back(&mut self) {
        self.requests.give_back();
    }
}

impl Exchanges {
    /// Takes a part of the client's stream; for a head, returns how the body after it ends.
    pub(super) fn of_client(&mut self, found: &Found<'_>) -> Body {
        match *found {
            Found::Head { bytes, times, is_whole } => self.on_request(bytes, times.0, is_whole),
            Found::Content { .. } => Body::Unknown,
        }
    }

    /// Takes a part of the server's stream, as [`Self::of_client`] does.
    pub(super) fn of_server(&mut self, uid: u64, found: &Found<'_>, out: &mut Vec<HttpRow>) -> Body {
        match *found {
            Found::Head { bytes, times, is_whole } => self.on_response((uid, bytes), times, is_whole, out),
            Found::Content { bytes, time } => {
                self.on_content(bytes, time);
                Body::Unknown
            }
        }
    }

    /// Notes that a request has begun; returns how its own body ends.
    fn on_request(&mut self, bytes: &[u8], time: Instant, is_whole: bool) -> Body {
        let Some(head) = message::read(bytes) else { return Body::Unknown };
        let Kind::Request(method) = head.kind else { return Body::Unknown };
        self.count += 1;
        if self.requests.len() == WAITING_MOST {
            self.requests.pop_front();
        }
        self.requests.push_back(Request { id: self.count, time, method, close: head.close });
        match (head.chunked, head.length) {
            _ if !is_whole => Body::Unknown,
            (true, _) => Body::Chunked,
            (false, length) => Body::Length(length.unwrap_or(0)),
        }
    }

    /// Notes that a response has begun; returns how its body ends (RFC 9112 section 6.3).
    fn on_response(
        &mut self,
        (uid, bytes): (u64, &[u8]),
        times: (Instant, Instant),
        is_whole: bool,
        out: &mut Vec<HttpRow>,
    ) -> Body {
        let Some(head) = message::read(bytes) else { return Body::Unknown };
        let Kind::Response(status) = head.kind else { return Body::Unknown };
        if status.is_some_and(|status| (100..200).contains(&status) && status != 101) {
            return Body::Length(0);
        }
        self.close(out);
        let request = self.requests.pop_front();
        let body = body(&head, status, request.map(|request| request.method), is_whole);
        let row = self.row((uid, &head, status), request, times, is_whole);
        (self.response, self.packets_since) = (Some(Box::new(row)), 0);
        body
    }

    /// Notes that new bytes of the response's body have passed.
    fn on_content(&mut self, bytes: i64, time: Instant) {
        if let Some(row) = &mut self.response {
            row.body_bytes = row.body_bytes.map(|had| had + bytes);
            row.response_end_ns = row.response_end_ns.map(|end| end.max(time));
            self.packets_since = 0;
        }
    }

    /// Whether a request has no response yet.
    pub(super) fn is_waiting(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Notes any packet of the flow, before its payload is read.
    pub(super) fn on_packet(&mut self) {
        self.packets_since += 1;
    }

    /// Notes a FIN. The first FIN after the newest response shows how late the server closed.
    pub(super) fn on_fin(&mut self, time: Instant) {
        let Some(row) = &mut self.response else { return };
        let Some(end) = row.response_end_ns.filter(|end| *end <= time) else { return };
        if row.fin_after_s.is_none() {
            row.fin_after_s = Some((time - end).as_secs_f64());
            // `packets_since` counts the FIN as well.
            row.fin_after_packets = Some((self.packets_since - 1).max(0));
        }
    }

    /// Writes the newest response.
    fn close(&mut self, out: &mut Vec<HttpRow>) {
        out.extend(self.response.take().map(|row| *row));
    }

    /// Writes the newest response, and the requests that were never answered.
    pub(super) fn end(&mut self, uid: u64, out: &mut Vec<HttpRow>) {
        self.close(out);
        for request in std::mem::take(&mut self.requests) {
            out.push(HttpRow { reason: Some("no_response"), ..request.row(uid) });
        }
    }

    fn row(
        &mut self,
        (uid, head, status): (u64, &Head, Option<u16>),
        request: Option<Request>,
        (begun, ended): (Instant, Instant),
        is_whole: bool,
    ) -> HttpRow {
        let of_request = request.map_or_else(
            || {
                self.count += 1;
                HttpRow { uid, request_id: self.count, ..HttpRow::default() }
            },
            |request| request.row(uid),
        );
        // No response passes before its request, so the clock has stepped back between them.
        let stepped = request.is_some_and(|request| begun < request.time);
        HttpRow {
            response_ns: (!stepped).then_some(begun),
            response_end_ns: (!stepped).then_some(ended),
            status: status.map(i64::from),
            content_type: head.media_type.as_deref().map(str::to_owned),
            class: is_whole.then(|| class::of(head.media_type.as_deref(), status == Some(206))),
            length_bytes: head.length,
            body_bytes: is_whole.then_some(0),
            range_first_byte: head.range.map(|(first, _)| first),
            range_last_byte: head.range.map(|(_, last)| last),
            close: is_whole.then_some(head.close || request.is_some_and(|request| request.close)),
            reason: match (stepped, is_whole, request) {
                (true, ..) => Some("clock"),
                (false, false, _) => Some("cut"),
                (false, true, None) => Some("no_request"),
                _ => None,
            },
            ..of_request
        }
    }
}

impl Request {
    fn row(self, uid: u64) -> HttpRow {
        HttpRow {
            uid,
            request_id: self.id,
            request_ns: Some(self.time),
            method: Some(self.method),
            reused: Some(self.id > 1),
            ..HttpRow::default()
        }
    }
}

fn body(head: &Head, status: Option<u16>, method: Option<&str>, is_whole: bool) -> Body {
    match (status, method) {
        _ if !is_whole => Body::Unknown,
        (Some(101), _) => Body::Unknown,
        (Some(200..=299), Some("CONNECT")) => Body::Unknown,
        (Some(204 | 304), _) | (_, Some("HEAD")) => Body::Length(0),
        _ if head.chunked => Body::Chunked,
        _ => head.length.map_or(Body::UntilClose, Body::Length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_media_type_of_the_newest_response_counts_as_memory() {
        let held = |media_type: &str| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n");
            let times = (Instant::default(), Instant::default());
            let found = Found::Head { bytes: head.as_bytes(), times, is_whole: true };
            let mut exchanges = Exchanges::default();
            exchanges.of_server(1, &found, &mut Vec::new());
            exchanges.held_bytes()
        };
        assert_eq!(held("application/json") - held("a/b"), "application/json".len() - "a/b".len());
    }
}
