#![doc = include_str!("pings.md")]

use airmile_track::{Analysis, Datagram, Events, FlowFacts, NoColumns, Scope};
use airmile_types::{Direction, Duration, EventTable, Instant, Parameters, Side, columns};

use crate::flows::rtt::covers;

columns! {
    /// One ICMP echo request with its reply.
    pub struct PingRow {
        /// The flow, which contains all echoes with one identifier between two hosts.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// Side that sent the request: ue, server.
        #[unit("")] #[cite("B5")] pub asked_by: Side,
        /// Sequence number of the echo.
        #[unit("")] #[cite("RFC 792, RFC 4443 section 4.1")] pub sequence: u16,
        /// Time of the first request.
        #[unit("ns")] #[cite("B5")] pub request_ns: Instant,
        /// Time of the first reply; null when none came within `pings.timeout_s`, and when the
        /// capture's clock stepped back before it (`answered` is then true).
        #[unit("ns")] #[cite("B5")] pub reply_ns: Option<Instant>,
        /// Time from request to reply at the capture point. Null without reply, when the request
        /// was repeated (the reply does not show which one it answers), and when the capture point
        /// is at the host that answers.
        #[unit("ms")] #[cite("B5, HWY18 section 5.3")] pub rtt_ms: Option<f64>,
        /// What the round trip covers: downstream, upstream, whole; tap when the vantage is not
        /// known; null at the host that answers.
        #[unit("")] #[cite("B4, B5")] pub source: Option<&'static str>,
        /// Number of times that the request was sent, the first time included.
        #[unit("packets")] #[cite("B5")] pub requests: u32,
        /// Whether a reply came in time.
        #[unit("")] #[cite("B5")] pub answered: bool,
        /// Bytes of the request after the ICMP header.
        #[unit("bytes")] #[cite("B5")] pub payload_bytes: u32,
    }
}

impl EventTable for PingRow {
    const TABLE: &'static str = "pings";
    const DOC: &'static str = "One row per ICMP echo request (methods B5), in the order of replies; unanswered ones are added when they are given up.";
}

/// The greatest number of open requests in one flow; with one more, the oldest is given up.
const OPEN_MOST: usize = 64;
/// A request that is repeated within this time is a duplicate of the capture (methods C2).
const CAPTURE_DUPLICATE: Duration = Duration::from_millis(5);

/// The requests that wait for their reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pings(Vec<Ping>);

airmile_types::held!(Pings { 0 });

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ping {
    direction: Direction,
    sequence: u16,
    first: Instant,
    newest: Instant,
    requests: u32,
    payload_bytes: u32,
}

impl Analysis for Pings {
    const NAME: &'static str = "pings";
    const PAGE: &'static str = include_str!("pings.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = NoColumns;
    type Event = PingRow;

    fn on_datagram(&mut self, datagram: &Datagram<'_>, parameters: &Parameters, out: &mut Vec<PingRow>) {
        let Some((is_reply, sequence)) = datagram.echo else { return };
        self.give_up(datagram.flow, datagram.time, parameters, out);
        if is_reply {
            self.reply(datagram, sequence, out);
        } else {
            self.request(datagram, sequence, out);
        }
    }

    fn on_end(&mut self, flow: &FlowFacts, _: &Parameters, out: &mut Vec<PingRow>) {
        out.extend(self.0.drain(..).map(|ping| ping.row(flow, None)));
    }

    fn row(&self, _: &FlowFacts, _: Direction, _: &Parameters) -> NoColumns {
        NoColumns
    }
}

impl Pings {
    fn request(&mut self, datagram: &Datagram<'_>, sequence: u16, out: &mut Vec<PingRow>) {
        let same = |ping: &&mut Ping| (ping.direction, ping.sequence) == (datagram.direction, sequence);
        if let Some(ping) = self.0.iter_mut().find(same) {
            ping.requests += u32::from(datagram.time - ping.newest > CAPTURE_DUPLICATE);
            ping.newest = datagram.time;
            return;
        }
        if self.0.len() == OPEN_MOST {
            out.push(self.0.remove(0).row(datagram.flow, None));
        }
        self.0.push(Ping {
            direction: datagram.direction,
            sequence,
            first: datagram.time,
            newest: datagram.time,
            requests: 1,
            payload_bytes: datagram.payload_bytes,
        });
    }

    fn reply(&mut self, datagram: &Datagram<'_>, sequence: u16, out: &mut Vec<PingRow>) {
        let asked = (datagram.direction.reverse(), sequence);
        if let Some(at) = self.0.iter().position(|ping| (ping.direction, ping.sequence) == asked) {
            out.push(self.0.remove(at).row(datagram.flow, Some(datagram.time)));
        }
    }

    fn give_up(&mut self, flow: &FlowFacts, now: Instant, parameters: &Parameters, out: &mut Vec<PingRow>) {
        let timeout = Duration::from_secs_f64(parameters.ping_timeout_s);
        while self.0.first().is_some_and(|ping| now - ping.newest > timeout) {
            out.push(self.0.remove(0).row(flow, None));
        }
    }
}

impl Ping {
    fn row(self, flow: &FlowFacts, reply: Option<Instant>) -> PingRow {
        // A request and its reply correspond to data and its ACK (methods B4).
        let source = covers(flow.vantage, self.direction);
        let answered = reply.is_some();
        let reply = reply.filter(|reply| *reply >= self.first);
        let rtt = reply.map(|reply| reply - self.first).filter(|_| self.requests == 1 && source.is_some());
        PingRow {
            uid: flow.uid,
            asked_by: self.direction.sender(),
            sequence: self.sequence,
            request_ns: self.first,
            reply_ns: reply,
            rtt_ms: rtt.map(Duration::as_millis_f64),
            source,
            requests: self.requests,
            answered,
            payload_bytes: self.payload_bytes,
        }
    }
}
