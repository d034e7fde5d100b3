// Tests may index: a panic is a failure of the test.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]
#![doc = include_str!("http.md")]

mod class;
mod exchange;
mod message;
mod stream;

use airmile_track::{Analysis, Events, FlowFacts, NoColumns, Scope, Segment};
use airmile_types::{Direction, EventTable, Instant, Parameters, columns};

use exchange::Exchanges;
use message::Kind;
use stream::{Part, Stream};

columns! {
    /// A request of HTTP/1.x in clear and its response.
    #[derive(Default)]
    pub struct HttpRow {
        /// The flow.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// Number of the request on its connection, from 1.
        #[unit("")] #[cite("F1")] pub request_id: u32,
        /// The first packet of the request; null when that was not captured.
        #[unit("ns")] #[cite("F1")] pub request_ns: Option<Instant>,
        /// Method of the request.
        #[unit("")] #[cite("F1, RFC 9110 section 9")] pub method: Option<&'static str>,
        /// Whether an earlier request used the same connection; null without the request.
        #[unit("")] #[cite("F1, RFC 9112 section 9.3")] pub reused: Option<bool>,
        /// The first packet of the response; interim responses (1xx) do not count.
        #[unit("ns")] #[cite("F1")] pub response_ns: Option<Instant>,
        /// The last packet with new bytes of the response, as far as its body can be followed.
        #[unit("ns")] #[cite("F1")] pub response_end_ns: Option<Instant>,
        /// Status code.
        #[unit("")] #[cite("F1, RFC 9110 section 15")] pub status: Option<i64>,
        /// Media type of the response without parameters, in lower case; null when it names none.
        #[unit("")] #[cite("F1, RFC 9110 section 8.3")] pub content_type: Option<String>,
        /// Class of the media type: video, image, text, zip, audio, other, or unknown when the response
        /// names none; `application/octet-stream` in answer to a range request is video. Null with `reason`.
        #[unit("")] #[cite("F1, LTE13 section 7.1")] pub class: Option<&'static str>,
        /// Length that the response announces (`Content-Length`).
        #[unit("bytes")] #[cite("F1, RFC 9110 section 8.6")] pub length_bytes: Option<i64>,
        /// Payload of the body that passed, counted once, with the size lines of chunks left out; null
        /// when the head was not captured to its end.
        #[unit("bytes")] #[cite("F1")] pub body_bytes: Option<i64>,
        /// First byte of the range that the response carries (`Content-Range`).
        #[unit("")] #[cite("F1, RFC 9110 section 14.4")] pub range_first_byte: Option<i64>,
        /// Last byte of that range.
        #[unit("")] #[cite("F1, RFC 9110 section 14.4")] pub range_last_byte: Option<i64>,
        /// Whether request or response ends the connection (`Connection: close`, or HTTP/1.0 without
        /// `keep-alive`).
        #[unit("")] #[cite("F1, RFC 9112 section 9.6")] pub close: Option<bool>,
        /// Time from the last byte of the connection's last response to the first FIN after it.
        #[unit("s")] #[cite("F1, LTE13 section 7.2")] pub fin_after_s: Option<f64>,
        /// Packets of the flow in that time, which keep the radio on.
        #[unit("packets")] #[cite("F1, LTE13 section 7.2")] pub fin_after_packets: Option<i64>,
        /// Why columns are null: `cut` (the head was not captured to its end), `no_request` (it was not
        /// captured), `no_response` (none was captured).
        #[unit("")] #[cite("F1")] pub reason: Option<&'static str>,
    }
}

impl EventTable for HttpRow {
    const TABLE: &'static str = "http";
    const DOC: &'static str = "One row per request of HTTP/1.x in clear, with its response (methods F1).";
}

/// Segments with payload that are searched for the first message of a flow.
const TRIES: u8 = 16;

/// The requests of a flow, once it has one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Http {
    connection: Option<Box<Connection>>,
    tried: u8,
}

#[derive(Clone, Debug, PartialEq)]
struct Connection {
    client: Direction,
    requests: Stream,
    responses: Stream,
    exchanges: Exchanges,
}

airmile_types::held!(Http { connection } Connection { requests, responses, exchanges });

impl Analysis for Http {
    const NAME: &'static str = "http";
    const PAGE: &'static str = include_str!("http.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::PAYLOAD.or(Events::CONTROL).or(Events::BARE_ACK);
    type Row = NoColumns;
    type Event = HttpRow;

    #[inline]
    fn on_segment(&mut self, segment: &Segment<'_>, _: &Parameters, out: &mut Vec<HttpRow>) {
        if let Some(connection) = &mut self.connection {
            connection.take(segment, out);
        } else if self.tried < TRIES && segment.payload_bytes > 0 {
            self.look(segment, out);
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, out: &mut Vec<HttpRow>) {
        if let Some(mut connection) = self.connection.take() {
            connection.give_up(flow.uid, out);
            connection.exchanges.end(flow.uid, out);
        }
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}

impl Http {
    /// Looks whether a segment is the first message of the flow.
    fn look(&mut self, segment: &Segment<'_>, out: &mut Vec<HttpRow>) {
        self.tried += 1;
        let client = match message::begins(segment.payload) {
            Some(Kind::Request(_)) => segment.direction,
            Some(Kind::Response(_)) => segment.direction.reverse(),
            None => return,
        };
        let connection = Connection {
            client,
            requests: Stream::new(),
            responses: Stream::new(),
            exchanges: Exchanges::default(),
        };
        self.connection.insert(Box::new(connection)).take(segment, out);
    }
}

impl Connection {
    fn take(&mut self, segment: &Segment<'_>, out: &mut Vec<HttpRow>) {
        self.exchanges.on_packet();
        if segment.payload_bytes > 0 {
            self.payload(segment, out);
        }
        if segment.events.any(Events::FIN) {
            self.exchanges.on_fin(segment.time);
        }
    }

    fn payload(&mut self, segment: &Segment<'_>, out: &mut Vec<HttpRow>) {
        let part = Part {
            start: segment.end - i64::from(segment.payload_bytes),
            end: segment.end,
            time: segment.time,
            new_bytes: segment.new_bytes.into(),
            captured: segment.payload,
        };
        let uid = segment.flow.uid;
        if segment.direction == self.client {
            self.requests.take(&part, &mut |found| self.exchanges.of_client(&found));
        } else {
            self.responses.take(&part, &mut |found| self.exchanges.of_server(uid, &found, out));
        }
    }

    /// Reads the segments that wait for one that was not captured.
    fn give_up(&mut self, uid: u64, out: &mut Vec<HttpRow>) {
        self.requests.give_up(&mut |found| self.exchanges.of_client(&found));
        self.responses.give_up(&mut |found| self.exchanges.of_server(uid, &found, out));
    }
}
