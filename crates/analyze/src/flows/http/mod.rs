// Tests may index: a panic is a failure of the test.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]
#![doc = include_str!("http.md")]

mod class;
mod exchange;
mod message;
mod row;
mod stream;
#[cfg(test)]
mod tests;

use airmile_track::{Analysis, Events, FlowFacts, NoColumns, Scope, Segment};
use airmile_types::{Direction, Parameters};
use airmile_verdict::HttpProgress;

use exchange::Exchanges;
use message::{Kind, Sender};
use row::HttpRow;
use stream::{Part, Stream};

/// The number of segments with payload in which the first message of a flow is searched.
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
    /// The state of the messages when the newest payload came.
    progress: HttpProgress,
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
        // The number of segments counted must not depend on what other analyses want to see.
        if !segment.events.any(Self::WANTS) {
            return;
        }
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
    /// The state of the messages when the newest segment with payload came.
    pub(crate) fn progress(&self) -> &HttpProgress {
        self.connection.as_ref().map_or(&HttpProgress::UNKNOWN, |connection| &connection.progress)
    }

    /// Tests whether a segment is the first message of the flow.
    fn look(&mut self, segment: &Segment<'_>, out: &mut Vec<HttpRow>) {
        self.tried += 1;
        let client = match message::begins(segment.payload).map(Kind::sender) {
            Some(Sender::Client) => segment.direction,
            Some(Sender::Server) => segment.direction.reverse(),
            None => return,
        };
        let connection = Connection {
            client,
            requests: Stream::of(Sender::Client),
            responses: Stream::of(Sender::Server),
            exchanges: Exchanges::default(),
            progress: HttpProgress::default(),
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
        self.progress = self.before(&part, segment.direction);
        if segment.direction == self.client {
            self.requests.take(&part, &mut |found| self.exchanges.of_client(&found));
        } else {
            self.responses.take(&part, &mut |found| self.exchanges.of_server(uid, &found, out));
        }
        self.progress.owes_rest =
            self.responses.is_followed() && self.responses.is_within_length();
    }

    /// The state of the messages before a part of a stream is read.
    fn before(&self, part: &Part<'_>, direction: Direction) -> HttpProgress {
        let asks = direction == self.client;
        let stream = if asks { &self.requests } else { &self.responses };
        let continues = stream.is_within_message(part);
        HttpProgress {
            continues,
            owes: self.responses.is_followed()
                && (self.exchanges.is_waiting() || self.responses.is_within_length()),
            owes_rest: false,
            responds: !asks && !continues && stream.begins_message(part),
        }
    }

    /// Reads the segments that wait for a segment that was not captured.
    fn give_up(&mut self, uid: u64, out: &mut Vec<HttpRow>) {
        self.requests.give_up(&mut |found| self.exchanges.of_client(&found));
        self.responses.give_up(&mut |found| self.exchanges.of_server(uid, &found, out));
    }
}
