//! What is known of a flow and of a subscriber as a whole.

use std::num::NonZeroU32;

use airmile_read::Timestamps;
use airmile_types::{Address, Direction, Duration, Instant, PerDirection, Protocol, Side, Vantage};

/// How a flow ended (methods A4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// FIN both ways; wins over a later RST.
    Fin,
    /// RST, also a SYN answered by one.
    Rst,
    /// SYN or SYN-ACK alone.
    SynOnly,
    /// A new SYN with another initial sequence number took the ports.
    Reused,
    /// Nothing for `flow_gap`.
    Idle,
    /// All live flows together held too much memory; what follows is another flow.
    Memory,
    /// Still open at the end of the capture.
    #[default]
    Open,
}

impl Ending {
    /// Whether the flow was cut off: it might have gone on.
    pub const fn is_cut_off(self) -> bool {
        matches!(self, Self::Open | Self::Memory)
    }

    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fin => "fin",
            Self::Rst => "rst",
            Self::SynOnly => "syn_only",
            Self::Reused => "reused",
            Self::Idle => "idle",
            Self::Memory => "memory",
            Self::Open => "open",
        }
    }
}

/// How the vantage of a flow is known (methods A11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VantageSource {
    /// The user said it.
    Given,
    /// It came through a GTP-U tunnel.
    Tunnel,
    /// Its own handshake.
    Handshake,
    /// Its own data and ACKs, because its handshake did not show it.
    Acks,
    /// What most flows before it said.
    Others,
}

impl VantageSource {
    /// The word in the tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Tunnel => "tunnel",
            Self::Handshake => "handshake",
            Self::Acks => "acks",
            Self::Others => "others",
        }
    }
}

/// One packet of the handshake at the tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandshakePacket {
    /// The time at which it was first seen.
    pub time: Instant,
    /// Number of its record in its input.
    pub frame: u64,
    /// Its timestamps.
    pub timestamps: Option<Timestamps>,
    /// How often it was seen.
    pub copies: u32,
}

/// What one side announced in its SYN, or in several of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynOptions {
    /// Maximum segment size.
    pub mss_bytes: Option<u16>,
    /// Window scale shift.
    pub window_scale: Option<u8>,
    /// SACK permitted.
    pub sack: bool,
    /// Timestamps.
    pub timestamps: bool,
    /// Window field (never scaled in a SYN, RFC 7323 section 2.2).
    pub window: u16,
    /// ECN was offered or accepted (ECE set).
    pub ecn: bool,
    /// MPTCP option present.
    pub mptcp: bool,
    /// TCP Fast Open option present.
    pub fast_open: bool,
}

impl SynOptions {
    /// Another SYN of the same side: its MSS is the newest (a path that drops SYNs makes some
    /// stacks announce less, or fewer options), what either offered may be in force.
    pub(crate) fn renew(mut self, newest: &Self) -> Self {
        self.mss_bytes = newest.mss_bytes.or(self.mss_bytes);
        self.window_scale = newest.window_scale.or(self.window_scale);
        self.sack |= newest.sack;
        self.timestamps |= newest.timestamps;
        self.ecn |= newest.ecn;
        self.mptcp |= newest.mptcp;
        self.fast_open |= newest.fast_open;
        self
    }
}

/// What is known of a flow as a whole.
#[derive(Clone, Debug)]
pub struct FlowFacts {
    /// Unique in a dataset and the same for every thread count.
    pub uid: u64,
    /// The subscriber session that it belongs to.
    pub session_id: u64,
    /// The phone's address.
    pub ue: Address,
    /// The phone's port.
    pub ue_port: u16,
    /// The other side's address.
    pub server: Address,
    /// The other side's port.
    pub server_port: u16,
    /// Transport protocol.
    pub protocol: Protocol,
    /// TCP or UDP whose headers are not in the capture: later fragments, or cut by the snap length.
    pub lacks_headers: bool,
    /// GTP-U tunnel of the first packet.
    pub teid: Option<u32>,
    /// Who opened it; `None` in mid-stream.
    pub initiator: Option<Side>,
    /// First packet.
    pub start: Instant,
    /// Last packet.
    pub end: Instant,
    /// How it ended (valid at the end).
    pub ending: Ending,
    /// The place where it was captured, as far as known.
    pub vantage: Option<Vantage>,
    /// How that is known.
    pub vantage_source: Option<VantageSource>,
    /// SYN of the initiator.
    pub syn: Option<HandshakePacket>,
    /// SYN-ACK.
    pub syn_ack: Option<HandshakePacket>,
    /// First packet of the initiator that acknowledges the SYN-ACK.
    pub handshake_ack: Option<HandshakePacket>,
    /// That packet carried payload, so its time is no handshake sample (methods B1).
    pub handshake_ack_had_payload: bool,
    /// Options of each side's SYN (`downlink`: the server's; `uplink`: the UE's).
    pub syn_options: PerDirection<Option<SynOptions>>,
    /// What [`Self::window_shift`] answers, which every packet asks.
    pub(crate) window_shifts: PerDirection<Option<u8>>,
    /// Token of the MPTCP connection that it is a subflow of (RFC 8684 section 3.2); `None` for
    /// plain TCP, and while nothing has shown it.
    pub mptcp_token: Option<NonZeroU32>,
    /// Time without any packet of the UE before this flow's first packet; `None` when the UE was
    /// not seen before.
    pub ue_idle_before: Option<Duration>,
    /// Time from the first packet of the capture to this flow's first packet.
    pub since_capture_start: Duration,
    /// Query and answer of the UE's newest exchange with a name server before this flow; `None`
    /// when there was none.
    pub dns: Option<(Instant, Instant)>,
}

impl FlowFacts {
    /// A flow of which nothing is known but its ends and its first packet.
    pub(crate) fn new(
        uid: u64,
        (ue, ue_port): (Address, u16),
        (server, server_port): (Address, u16),
        protocol: Protocol,
        start: Instant,
    ) -> Self {
        Self {
            uid,
            session_id: 0,
            ue,
            ue_port,
            server,
            server_port,
            protocol,
            lacks_headers: false,
            teid: None,
            initiator: None,
            start,
            end: start,
            ending: Ending::Open,
            vantage: None,
            vantage_source: None,
            syn: None,
            syn_ack: None,
            handshake_ack: None,
            handshake_ack_had_payload: false,
            syn_options: PerDirection::default(),
            window_shifts: PerDirection::default(),
            mptcp_token: None,
            ue_idle_before: None,
            since_capture_start: Duration::ZERO,
            dns: None,
        }
    }

    /// Options that the sender of a direction announced.
    pub const fn options(&self, direction: Direction) -> Option<SynOptions> {
        *self.syn_options.of(direction)
    }

    /// Window scale in force for windows announced by the sender of `direction`; scaling holds
    /// only when both SYNs offered it (RFC 7323 section 2.2). `None`: a SYN was not seen.
    #[inline]
    pub const fn window_shift(&self, direction: Direction) -> Option<u8> {
        *self.window_shifts.of(direction)
    }

    /// A SYN of one side passes.
    pub(crate) fn announce(&mut self, direction: Direction, announced: &SynOptions) {
        let options = self.syn_options.of_mut(direction);
        *options = Some(options.map_or(*announced, |earlier| earlier.renew(announced)));
        for direction in [Direction::Uplink, Direction::Downlink] {
            *self.window_shifts.of_mut(direction) = self.agreed_shift(direction);
        }
    }

    fn agreed_shift(&self, direction: Direction) -> Option<u8> {
        let own = self.options(direction)?;
        let other = self.options(direction.reverse())?;
        Some(match (own.window_scale, other.window_scale) {
            (Some(shift), Some(_)) => shift,
            _ => 0,
        })
    }
}

/// What is known of a subscriber when a packet of theirs passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UeFacts {
    /// The current session.
    pub session_id: u64,
    /// The first packet of the session.
    pub session_start: Instant,
    /// Last packet of the UE before this one, either way, any protocol.
    pub last_packet: Option<Instant>,
    /// Flows of this session so far.
    pub flows: u32,
    /// Payload of the UE so far, all flows, any protocol.
    pub payload_bytes: PerDirection<u64>,
}
