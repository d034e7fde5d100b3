//! Follows both directions of a flow that uses TLS: which records are flights of the handshake, and
//! which carry a request or an answer.

mod flights;

use std::borrow::Cow;

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, Parameters, PerDirection};

use super::by_size::Turns;
use super::found::{Found, Kind};
use super::greeting::Greeting;
use super::hello::{self, ClientHello, Version};
use super::opening::Opening;
use super::records::{Chunk, HEADER, Piece, Records};

/// The offset of the first byte of the first record's body.
pub(super) const HELLO_START: i64 = 1 + HEADER as i64;

/// The known state of a flow's TLS connection.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Connection {
    client: Direction,
    /// The time at which the first byte of the ClientHello passed.
    begun: Option<Instant>,
    /// The time at which the client's Finished had passed.
    finished: Option<Instant>,
    version: Option<Version>,
    hello: ClientHello,
    /// The application protocol in the ServerHello.
    protocol: Option<Box<str>>,
    records: PerDirection<Records>,
    hellos: PerDirection<Opening>,
    /// The kind of the record whose body is passing, for each direction.
    kinds: PerDirection<Kind>,
    /// Whether all flights of the handshake have passed, for each direction.
    done: PerDirection<bool>,
    /// The offset after the last flight, as far as it has passed.
    flights_end: PerDirection<i64>,
    change_cipher: PerDirection<bool>,
    /// Whether either side has sent a message that only TLS 1.2 or older has.
    key_exchange: bool,
    /// Whether the server has answered, by its payload or by an ACK of payload that was not
    /// captured.
    server_spoke: bool,
    server_seen: bool,
    /// Whether the client sent early data (RFC 8446 section 4.2.10).
    early_data: bool,
    /// The end offset of the client's Finished, when its record is known.
    finished_end: Option<i64>,
    /// The end offset of encrypted records of the client, one of which must contain its Finished.
    finished_within: Option<i64>,
    last_flight: Option<Instant>,
    greeting: Greeting,
    turns: Turns,
    refused: bool,
}

airmile_types::held!(Connection { hello, hellos, protocol });

impl Connection {
    /// Creates a handshake whose first record passes now, or, when `begun` is `None`, whose first
    /// flight was missed.
    pub(super) fn opening(client: Direction, begun: Option<Instant>) -> Self {
        Self {
            client,
            begun,
            finished: None,
            version: None,
            hello: ClientHello::default(),
            protocol: None,
            records: PerDirection::default(),
            hellos: PerDirection::default(),
            kinds: PerDirection::default(),
            done: PerDirection::default(),
            flights_end: PerDirection { downlink: i64::MIN, uplink: i64::MIN },
            change_cipher: PerDirection::default(),
            key_exchange: false,
            server_spoke: false,
            server_seen: false,
            early_data: false,
            finished_end: None,
            finished_within: None,
            last_flight: None,
            greeting: Greeting::default(),
            turns: Turns::default(),
            refused: false,
        }
    }

    /// Creates a connection whose handshake was complete before the capture began.
    pub(super) fn established(client: Direction) -> Self {
        Self {
            done: PerDirection { downlink: true, uplink: true },
            greeting: Greeting::over(),
            ..Self::opening(client, None)
        }
    }

    /// Takes what came of a direction's hello before its first segment.
    pub(super) fn came_early(&mut self, way: Direction, early: Option<Opening>) {
        *self.hellos.of_mut(way) = early.unwrap_or_default();
    }

    /// Whether the handshake was seen to begin and is not complete.
    pub(super) fn is_open(&self) -> bool {
        let server = *self.done.of(self.client.reverse()) || !self.server_seen;
        !(*self.done.of(self.client) && (server || !self.is_old()))
    }

    /// The time from the ClientHello to the client's Finished; `None` when it is negative because
    /// the clock stepped.
    pub(super) fn length(&self) -> Option<Duration> {
        let length = self.finished? - self.begun?;
        Some(length).filter(|length| *length >= Duration::ZERO)
    }

    /// The version in the ServerHello.
    pub(super) fn version(&self) -> Option<&'static str> {
        self.version.map(Version::as_str)
    }

    /// The application protocol that the ServerHello chooses.
    pub(super) fn protocol(&self) -> Option<&str> {
        self.protocol.as_deref()
    }

    /// The ClientHello, as far as it has arrived.
    pub(super) fn hello(&self) -> Cow<'_, ClientHello> {
        match self.hellos.of(self.client).so_far() {
            Some(bytes) => Cow::Owned(hello::client_hello(bytes)),
            None => Cow::Borrowed(&self.hello),
        }
    }

    /// Whether it turned out that the flow has no TLS handshake.
    pub(super) const fn is_refused(&self) -> bool {
        self.refused
    }

    /// Takes a segment with payload, and returns the kinds of its records.
    pub(super) fn take(&mut self, segment: &Segment<'_>, parameters: &Parameters) -> Found {
        let (way, whole) = (segment.direction, Chunk::of(segment));
        // The segments of a hello may arrive out of order, after records that have passed.
        self.collect(way, &whole);
        let Some(mut chunk) = self.records.of_mut(way).fresh(whole) else {
            return self.seen_before(way, &whole);
        };
        if way == self.client {
            // The capture may contain only this direction.
            self.server_spoke |= segment.ack.is_some_and(|ack| ack > 1);
        } else {
            self.on_server(segment);
        }
        self.turns.take(way == self.client, segment.payload_bytes);
        self.refused |= !*self.done.of(self.client) && self.turns.refuse(parameters);
        let mut found = Found::default();
        while let Some(piece) = self.records.of_mut(way).piece(&mut chunk) {
            self.judge(way, piece, &whole, &mut found, parameters);
        }
        if found == Found::default() && !*self.done.of(way) {
            // Only the first bytes of a header were captured.
            found.add(Kind::Handshake, whole.start());
        }
        self.time(segment);
        found
    }

    /// The kind of a segment without new bytes: its kind when it first passed, as far as that is
    /// known.
    fn seen_before(&self, way: Direction, chunk: &Chunk<'_>) -> Found {
        let mut found = Found::default();
        let flight = chunk.end() <= *self.flights_end.of(way);
        found.add(if flight { Kind::Handshake } else { Kind::Application }, chunk.start());
        found
    }

    /// Notes that the server has the client's Finished, once it answers the data that contained it.
    fn on_server(&mut self, segment: &Segment<'_>) {
        (self.server_spoke, self.server_seen) = (true, true);
        if let (Some(within), Some(ack)) = (self.finished_within, segment.ack)
            && ack >= within
        {
            *self.done.of_mut(self.client) = true;
        }
    }

    fn judge(
        &mut self,
        way: Direction,
        piece: Piece,
        chunk: &Chunk<'_>,
        found: &mut Found,
        parameters: &Parameters,
    ) {
        let was_done = *self.done.of(way);
        let (kind, from) = match piece {
            Piece::Header(record) => {
                let kind = self.kind(way, record, parameters);
                *self.kinds.of_mut(way) = kind;
                (kind, record.start.max(chunk.start()))
            }
            Piece::Body { from } => (*self.kinds.of(way), from),
            Piece::Unknown { from, to } => self.unknown(way, from, to, chunk, parameters),
        };
        if kind == Kind::Handshake && !was_done {
            let end = self.flights_end.of_mut(way);
            *end = chunk.end().max(*end);
        }
        found.add(kind, from);
    }

    /// Reads the hello of a direction, as far as it has passed.
    fn collect(&mut self, way: Direction, chunk: &Chunk<'_>) {
        let Some(bytes) = self.hellos.of_mut(way).take(chunk, HELLO_START, hello::length) else { return };
        if way == self.client {
            self.hello = hello::client_hello(&bytes);
        } else {
            if let Some(chosen) = hello::server_hello(&bytes) {
                self.version = chosen.version.or(self.version);
                self.protocol = chosen.protocol;
            }
        }
    }

    /// The kind of bytes whose record headers were not captured, by their position and number.
    fn unknown(
        &mut self,
        way: Direction,
        from: i64,
        to: i64,
        chunk: &Chunk<'_>,
        parameters: &Parameters,
    ) -> (Kind, i64) {
        let bytes = to - from;
        if *self.done.of(way) {
            let kind = match by_length(bytes, parameters) {
                Kind::Application if way != self.client => self.answer(bytes, parameters),
                kind => kind,
            };
            if way == self.client {
                self.greeting.on_client(kind);
            }
            return (kind, from);
        }
        let begins = from == chunk.start();
        let client = way == self.client;
        let answered = *self.done.of(self.client);
        let guess = self.turns.guess(client, begins, answered, bytes, parameters);
        *self.done.of_mut(way) |= guess.own_done;
        *self.done.of_mut(way.reverse()) |= guess.peer_done;
        self.key_exchange |= guess.old;
        let whole = self.turns.has_headers() && !self.records.of(way).hole;
        if guess.own_done && client && self.key_exchange && whole {
            self.finished_end = Some(to);
        }
        match guess.application {
            Some(skip) => (Kind::Application, from + skip),
            None => (Kind::Handshake, from),
        }
    }

    /// Notes the time at which the client's Finished had passed.
    fn time(&mut self, segment: &Segment<'_>) {
        if segment.direction != self.client {
            return;
        }
        if self.finished.is_none() && self.finished_end.is_some_and(|end| segment.end >= end) {
            self.finished = Some(segment.time);
        }
        if *self.flights_end.of(self.client) >= segment.end {
            self.last_flight = Some(segment.time);
        }
    }
}

/// The kind of a record by its length: records shorter than the least request carry control frames,
/// key updates and encrypted alerts.
fn by_length(bytes: i64, parameters: &Parameters) -> Kind {
    if (bytes as f64) < parameters.request_min_bytes { Kind::Minor } else { Kind::Application }
}
