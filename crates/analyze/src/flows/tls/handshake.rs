//! The progress of the TLS handshake of a flow.

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Direction, Held, Parameters, Side};
use airmile_verdict::TlsProgress;

use super::connection::Connection;
use super::hello::{CLIENT_HELLO, SERVER_HELLO};
use super::records::{Chunk, Content, Record};

/// Ports that IANA assigns to protocols which begin with a TLS handshake.
const PORTS: [u16; 12] = [443, 465, 563, 636, 853, 990, 992, 993, 995, 5061, 8443, 8883];
/// The number of segments with payload without a sign of TLS after which a flow counts as having
/// none.
const SEGMENTS_MOST: u8 = 8;

/// The progress of a flow's TLS handshake, by stream offset. A flow without TLS costs only a few
/// words of memory and one comparison per segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TlsHandshake {
    state: State,
    progress: TlsProgress,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// The number of segments with payload so far, which show neither TLS nor its absence.
    Undecided(u8),
    Plain,
    Tls(Box<Connection>),
}

impl Held for TlsHandshake {
    fn held_bytes(&self) -> usize {
        match &self.state {
            State::Tls(connection) => connection.held_bytes(),
            State::Undecided(_) | State::Plain => 0,
        }
    }

    fn give_back(&mut self) {
        if let State::Tls(connection) = &mut self.state {
            connection.give_back();
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::Undecided(0)
    }
}

impl TlsHandshake {
    /// Takes a segment; segments come in order of time.
    #[inline]
    pub(crate) fn take(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if segment.payload_bytes == 0 || matches!(self.state, State::Plain) {
            return;
        }
        self.take_payload(segment, parameters);
    }

    /// The progress, including the newest segment.
    pub(crate) const fn progress(&self) -> &TlsProgress {
        &self.progress
    }

    /// What is known about the connection.
    pub(super) fn connection(&self) -> Option<&Connection> {
        match &self.state {
            State::Tls(connection) => Some(connection),
            State::Undecided(_) | State::Plain => None,
        }
    }

    fn take_payload(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if let State::Undecided(segments) = self.state {
            self.state = decide(segment, segments);
        }
        let State::Tls(connection) = &mut self.state else {
            return;
        };
        let found = connection.take(segment, parameters);
        let is_open = connection.is_open();
        self.progress = TlsProgress { part: found.part(), is_tls: true, is_open };
        if connection.is_refused() {
            *self = Self { state: State::Plain, ..Self::default() };
        }
    }
}

/// Decides whether a flow uses TLS, by its first segment with payload; when the start was not
/// captured, by the first segment that begins with a record header.
fn decide(segment: &Segment<'_>, segments: u8) -> State {
    let flow = segment.flow;
    let opened = flow.syn.is_some() || flow.syn_ack.is_some();
    let client = client(flow);
    if let Some(record) = Record::at_start(segment.payload) {
        return by_header(segment, record, opened, client);
    }
    if opened && Chunk::of(segment).start() == 1 {
        let begins = segment.direction == client && may_begin(segment, server_port(flow, client));
        return if begins { opening(client, segment) } else { State::Plain };
    }
    if segments < SEGMENTS_MOST { State::Undecided(segments + 1) } else { State::Plain }
}

fn by_header(segment: &Segment<'_>, record: Record, opened: bool, client: Direction) -> State {
    let hello = record.content == Content::Handshake;
    let way = segment.direction;
    match record.first {
        Some(CLIENT_HELLO) | None if hello => opening(way, segment),
        Some(SERVER_HELLO) if hello => {
            State::Tls(Box::new(Connection::opening(way.reverse(), None)))
        }
        _ if opened && Chunk::of(segment).start() == 1 => State::Plain,
        _ => State::Tls(Box::new(Connection::established(client))),
    }
}

fn opening(client: Direction, segment: &Segment<'_>) -> State {
    State::Tls(Box::new(Connection::opening(client, Some(segment.time))))
}

/// Whether the first captured bytes begin a handshake record; when none was captured, the port
/// decides.
fn may_begin(segment: &Segment<'_>, port: u16) -> bool {
    const HANDSHAKE: [u8; 2] = [22, 3];
    let visible = segment.payload.iter().take(HANDSHAKE.len());
    let cut = segment.payload.len() < segment.payload_bytes as usize;
    (!cut || segment.payload.len() >= HANDSHAKE.len() || PORTS.contains(&port))
        && visible.eq(HANDSHAKE.iter().take(segment.payload.len()))
}

/// The direction of the TLS client's data; the client is the side that opened the connection.
pub(super) fn client(flow: &FlowFacts) -> Direction {
    match flow.initiator {
        Some(Side::Server) => Direction::Downlink,
        Some(Side::Ue) | None => Direction::Uplink,
    }
}

const fn server_port(flow: &FlowFacts, client: Direction) -> u16 {
    match client {
        Direction::Uplink => flow.server_port,
        Direction::Downlink => flow.ue_port,
    }
}
