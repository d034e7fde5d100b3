//! Follows the progress of the TLS handshake of a flow.

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Direction, Held, Parameters, Side};
use airmile_verdict::{TlsPart, TlsProgress};

use super::connection::{Connection, HELLO_START};
use super::hello::{CLIENT_HELLO, SERVER_HELLO};
use super::opening::Opening;
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
    /// What has passed shows neither TLS nor its absence.
    Undecided {
        /// Number of segments with payload.
        segments: u8,
        early: Early,
    },
    Plain,
    Tls(Box<Connection>),
}

/// Segments of the client that came before its first, which decides; they may hold a ClientHello.
type Early = Option<Box<Opening>>;

impl Held for TlsHandshake {
    fn held_bytes(&self) -> usize {
        match &self.state {
            State::Tls(connection) => connection.held_bytes(),
            State::Undecided { early: Some(early), .. } => {
                size_of::<Opening>() + early.held_bytes()
            }
            State::Undecided { early: None, .. } | State::Plain => 0,
        }
    }

    fn give_back(&mut self) {
        match &mut self.state {
            State::Tls(connection) => connection.give_back(),
            State::Undecided { early: Some(early), .. } => early.give_back(),
            State::Undecided { early: None, .. } | State::Plain => {}
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self::Undecided { segments: 0, early: None }
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
            State::Undecided { .. } | State::Plain => None,
        }
    }

    fn take_payload(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        if let State::Undecided { segments, early } = &mut self.state {
            self.state = decide(segment, *segments, early.take());
        }
        let State::Tls(connection) = &mut self.state else {
            self.progress = self.without_connection(segment.flow);
            return;
        };
        let found = connection.take(segment, parameters);
        let is_open = connection.is_open();
        self.progress = TlsProgress { part: found.part(), is_tls: true, is_open };
        if connection.is_refused() {
            *self = Self { state: State::Plain, ..Self::default() };
        }
    }

    /// The progress while no connection is known. What comes before the first segment of a flow on a
    /// port of TLS continues a flight that begins in that segment, so it is no request and no answer.
    fn without_connection(&self, flow: &FlowFacts) -> TlsProgress {
        let port = server_port(flow, client(flow));
        if matches!(self.state, State::Undecided { .. }) && is_opened(flow) && PORTS.contains(&port) {
            TlsProgress { part: TlsPart::Handshake, is_tls: true, is_open: true }
        } else {
            TlsProgress::default()
        }
    }
}

/// Whether the capture contains the opening of the flow, so that its first byte is known.
const fn is_opened(flow: &FlowFacts) -> bool {
    flow.syn.is_some() || flow.syn_ack.is_some()
}

/// Decides whether a flow uses TLS, by its first segment with payload; when the start was not
/// captured, by the first segment that begins with a record header.
fn decide(segment: &Segment<'_>, segments: u8, early: Early) -> State {
    let (flow, way) = (segment.flow, segment.direction);
    let opened = is_opened(flow);
    let client = client(flow);
    let is_first = opened && Chunk::of(segment).start() == 1;
    let connection = match Record::at_start(segment.payload) {
        Some(record) => by_header(segment, record, is_first, client),
        None if is_first => (way == client && may_begin(segment, server_port(flow, client)))
            .then(|| Connection::opening(client, Some(segment.time))),
        None if segments < SEGMENTS_MOST => {
            let early = if opened && way == client { with(early, segment) } else { early };
            return State::Undecided { segments: segments + 1, early };
        }
        None => None,
    };
    connection.map_or(State::Plain, |mut connection| {
        connection.came_early(client, early.map(|early| *early));
        State::Tls(Box::new(connection))
    })
}

/// Adds a segment; too many are forgotten.
fn with(early: Early, segment: &Segment<'_>) -> Early {
    let mut early = early.unwrap_or_default();
    // The message ends when the connection has it, not before.
    let is_full = early.take(&Chunk::of(segment), HELLO_START, |_| None).is_some();
    (!is_full).then_some(early)
}

/// The connection of a segment that begins with a record's header; `None` without TLS.
fn by_header(
    segment: &Segment<'_>,
    record: Record,
    is_first: bool,
    client: Direction,
) -> Option<Connection> {
    let hello = record.content == Content::Handshake;
    let way = segment.direction;
    match record.first {
        Some(CLIENT_HELLO) | None if hello => Some(Connection::opening(way, Some(segment.time))),
        Some(SERVER_HELLO) if hello => Some(Connection::opening(way.reverse(), None)),
        _ if is_first => None,
        _ => Some(Connection::established(client)),
    }
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
