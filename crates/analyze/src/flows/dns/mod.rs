
// Tests may index: a panic is a failure of the test.
#![cfg_attr(not(test), warn(clippy::indexing_slicing, clippy::cast_possible_truncation))]
#![doc = include_str!("dns.md")]

mod asking;
mod message;
mod names;

use airmile_track::{Analysis, Datagram, Events, FlowFacts, NoColumns, Scope};
use airmile_types::{Direction, Duration, EventTable, Held, Instant, Parameters, columns};

pub(crate) use asking::asking;
use message::Message;
pub(crate) use names::Names;

columns! {
    /// One DNS look-up.
    pub struct DnsRow {
        /// The flow that carried the look-up.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// Time of the first query.
        #[unit("ns")] #[cite("B3")] pub query_ns: Instant,
        /// Time of the first response; null when none came within `dns.timeout_s`, and when the
        /// capture's clock stepped back before it (`answered` is then true).
        #[unit("ns")] #[cite("B3")] pub response_ns: Option<Instant>,
        /// Time from first query to response at the capture point; null without response.
        #[unit("ms")] #[cite("B3, LTE13 section 4.2")] pub lookup_ms: Option<f64>,
        /// Name in the query, in lower case, with special characters as \DDD; null when the capture
        /// cut the packet before the name.
        #[unit("")] #[cite("RFC 1035 section 4.1.2")] pub name: Option<String>,
        /// Whether the capture cut the packet inside the name.
        #[unit("")] #[cite("B3")] pub name_cut: bool,
        /// Type of the query: A, AAAA, HTTPS, ... or TYPE and a number; null when it was not captured.
        #[unit("")] #[cite("RFC 1035 section 3.2.2, RFC 9460")] pub query_type: Option<String>,
        /// Transaction identifier.
        #[unit("")] #[cite("RFC 1035 section 4.1.1")] pub transaction: u16,
        /// Number of times that the query was sent, the first time included; above 1, `lookup_ms`
        /// is ambiguous.
        #[unit("queries")] #[cite("B3")] pub queries: u32,
        /// Whether a response came in time.
        #[unit("")] #[cite("B3")] pub answered: bool,
        /// Response code: 0 no error, 2 server failure, 3 no such name; null without response.
        #[unit("")] #[cite("RFC 1035 section 4.1.1")] pub rcode: Option<u16>,
        /// Records in the answer section; null without response.
        #[unit("")] #[cite("RFC 1035 section 4.1.1")] pub answers: Option<u32>,
        /// Whether the response is marked as truncated (TC); null without response.
        #[unit("")] #[cite("RFC 1035 section 4.1.1")] pub truncated: Option<bool>,
    }
}

impl EventTable for DnsRow {
    const TABLE: &'static str = "dns";
    const DOC: &'static str =
        "One row per DNS look-up over UDP (methods B3), in the order of responses; unanswered ones are added when they are given up.";
}

impl DnsRow {
    /// When the look-up was asked for that this packet has ended, if the last of the rows is its.
    pub(crate) fn asked(rows: &[Self], datagram: &Datagram<'_>) -> Option<Instant> {
        let last = rows.last().filter(|row| row.uid == datagram.flow.uid);
        last.filter(|row| row.response_ns == Some(datagram.time)).map(|row| row.query_ns)
    }
}

/// The greatest number of open look-ups in one flow; with one more, the oldest is given up.
const OPEN_MOST: usize = 64;
/// A query that is repeated within this time is a duplicate of the capture (methods C2).
const CAPTURE_DUPLICATE: Duration = Duration::from_millis(5);

/// The look-ups that wait for their response.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dns(Vec<Lookup>);

impl Held for Dns {
    fn held_bytes(&self) -> usize {
        let names = self.0.iter().filter_map(|lookup| lookup.message.name.as_ref());
        self.0.capacity() * size_of::<Lookup>() + names.map(String::capacity).sum::<usize>()
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Lookup {
    first: Instant,
    newest: Instant,
    queries: u32,
    message: Message,
}

impl Analysis for Dns {
    const NAME: &'static str = "dns";
    const PAGE: &'static str = include_str!("dns.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = NoColumns;
    type Event = DnsRow;

    fn on_datagram(&mut self, datagram: &Datagram<'_>, parameters: &Parameters, out: &mut Vec<DnsRow>) {
        let flow = datagram.flow;
        let Some(asking) = asking(flow) else { return };
        let Some(message) = Message::read(datagram.payload) else { return };
        self.give_up(flow, datagram.time, parameters, out);
        // A reflected or forged message has the wrong direction.
        match (message.response, datagram.direction == asking) {
            (false, true) => self.ask(flow, datagram.time, message, out),
            (true, false) => self.answer(flow, datagram.time, &message, out),
            _ => {}
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, out: &mut Vec<DnsRow>) {
        out.extend(self.0.drain(..).map(|lookup| lookup.row(flow, None)));
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}

impl Dns {
    fn ask(&mut self, flow: &FlowFacts, time: Instant, message: Message, out: &mut Vec<DnsRow>) {
        if let Some(lookup) = self.0.iter_mut().find(|lookup| lookup.message.matches(&message)) {
            lookup.queries += u32::from(time - lookup.newest > CAPTURE_DUPLICATE);
            lookup.newest = time;
            return;
        }
        if self.0.len() == OPEN_MOST {
            out.push(self.0.remove(0).row(flow, None));
        }
        if self.0.is_empty() {
            // Most flows have one look-up, so that room for one is enough.
            self.0.reserve_exact(1);
        }
        self.0.push(Lookup { first: time, newest: time, queries: 1, message });
    }

    fn answer(&mut self, flow: &FlowFacts, time: Instant, message: &Message, out: &mut Vec<DnsRow>) {
        if let Some(at) = self.0.iter().position(|lookup| lookup.message.matches(message)) {
            out.push(self.0.remove(at).row(flow, Some((time, message))));
        }
        if self.0.is_empty() {
            // The flow may stay open for long, mostly without another look-up.
            self.0 = Vec::new();
        }
    }

    fn give_up(&mut self, flow: &FlowFacts, now: Instant, parameters: &Parameters, out: &mut Vec<DnsRow>) {
        let timeout = Duration::from_secs_f64(parameters.dns_timeout_s);
        while self.0.first().is_some_and(|lookup| now - lookup.newest > timeout) {
            out.push(self.0.remove(0).row(flow, None));
        }
    }
}

impl Lookup {
    fn row(self, flow: &FlowFacts, response: Option<(Instant, &Message)>) -> DnsRow {
        let (time, message) = response.unzip();
        let time = time.filter(|time| *time >= self.first);
        DnsRow {
            uid: flow.uid,
            query_ns: self.first,
            response_ns: time,
            lookup_ms: time.map(|time| (time - self.first).as_millis_f64()),
            name: self.message.name,
            name_cut: self.message.name_cut,
            query_type: self.message.query_type.map(message::type_word),
            transaction: self.message.id,
            queries: self.queries,
            answered: message.is_some(),
            rcode: message.map(|message| message.rcode),
            answers: message.map(|message| message.answers.into()),
            truncated: message.map(|message| message.truncated),
        }
    }
}
