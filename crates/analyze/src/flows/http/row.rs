//! Defines the table of HTTP requests.

use airmile_types::{EventTable, Instant, columns};

columns! {
    /// An HTTP/1.x request in clear, with its response.
    #[derive(Default)]
    pub struct HttpRow {
        /// The flow that carried the request.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// Number of the request on its connection, from 1.
        #[unit("")] #[cite("F1")] pub request_id: u32,
        /// Time of the first packet of the request; null when the request was not captured.
        #[unit("ns")] #[cite("F1")] pub request_ns: Option<Instant>,
        /// Method of the request.
        #[unit("")] #[cite("F1, RFC 9110 section 9")] pub method: Option<&'static str>,
        /// Whether an earlier request used the same connection; null without the request.
        #[unit("")] #[cite("F1, RFC 9112 section 9.3")] pub reused: Option<bool>,
        /// Time of the first packet of the response; interim responses (1xx) do not count.
        #[unit("ns")] #[cite("F1")] pub response_ns: Option<Instant>,
        /// Time of the last packet with new bytes of the response, as far as its body can be
        /// followed.
        #[unit("ns")] #[cite("F1")] pub response_end_ns: Option<Instant>,
        /// Status code of the response.
        #[unit("")] #[cite("F1, RFC 9110 section 15")] pub status: Option<i64>,
        /// Media type of the response without parameters, in lower case; null when the response
        /// names none.
        #[unit("")] #[cite("F1, RFC 9110 section 8.3")] pub content_type: Option<String>,
        /// Class of the media type: video, image, text, zip, audio, other, or unknown when the
        /// response names no type. `application/octet-stream` in answer to a range request is
        /// video. Null with `reason`.
        #[unit("")] #[cite("F1, LTE13 section 7.1")] pub class: Option<&'static str>,
        /// Length of the body that the response announces (`Content-Length`).
        #[unit("bytes")] #[cite("F1, RFC 9110 section 8.6")] pub length_bytes: Option<i64>,
        /// Payload of the body that passed, counted once, without the size lines of chunks; null
        /// when the head was not captured to its end.
        #[unit("bytes")] #[cite("F1")] pub body_bytes: Option<i64>,
        /// First byte of the range that the response carries (`Content-Range`).
        #[unit("")] #[cite("F1, RFC 9110 section 14.4")] pub range_first_byte: Option<i64>,
        /// Last byte of the range that the response carries (`Content-Range`).
        #[unit("")] #[cite("F1, RFC 9110 section 14.4")] pub range_last_byte: Option<i64>,
        /// Whether the request or the response ends the connection (`Connection: close`, or
        /// HTTP/1.0 without `keep-alive`).
        #[unit("")] #[cite("F1, RFC 9112 section 9.6")] pub close: Option<bool>,
        /// Time from the last byte of the connection's last response to the first FIN after it.
        #[unit("s")] #[cite("F1, LTE13 section 7.2")] pub fin_after_s: Option<f64>,
        /// Number of packets of the flow from the last byte of the connection's last response to
        /// the first FIN after it. These packets keep the radio on.
        #[unit("packets")] #[cite("F1, LTE13 section 7.2")] pub fin_after_packets: Option<i64>,
        /// Why columns are null: `clock` (the capture's clock stepped back between the request and
        /// its response, which therefore has no times), `cut` (the head was not captured to its
        /// end), `no_request` (the request was not captured), `no_response` (no response was
        /// captured).
        #[unit("")] #[cite("F1")] pub reason: Option<&'static str>,
    }
}

impl EventTable for HttpRow {
    const TABLE: &'static str = "http";
    const DOC: &'static str = "One row per request of HTTP/1.x in clear, with its response (methods F1).";
}
