//! Defines what is known of a flow as a whole, and of a subscriber.

use std::num::NonZeroU32;

use airmile_read::Timestamps;
use airmile_types::{Address, Direction, Duration, Instant, PerDirection, Protocol, Side, Vantage};

/// How a flow ended (methods A4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Both sides sent a FIN; this wins over a later RST.
    Fin,
    /// A side sent an RST, possibly as the answer to a SYN.
    Rst,
    /// Only a SYN or a SYN-ACK was seen.
    SynOnly,
    /// A SYN with another initial sequence number opened a new connection on the same ports.
    Reused,
    /// No packet came for the time `flow_gap`.
    Idle,
    /// All live flows together used too much memory, so this flow was ended; later packets of the
    /// same connection make another flow.
    Memory,
    /// The flow was still open at the end of the capture.
    #[default]
    Open,
}

impl Ending {
    /// Whether the flow was cut off, so that it may have continued.
    pub const fn is_cut_off(self) -> bool {
        matches!(self, Self::Open | Self::Memory)
    }

    /// The word for the ending in the tables.
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

/// How the capture point (vantage) of a flow is known (methods A11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VantageSource {
    /// The user named it.
    Given,
    /// The flow's packets came through a GTP-U tunnel.
    Tunnel,
    /// The flow's own handshake showed it.
    Handshake,
    /// The flow's own data and ACKs showed it, because its handshake did not.
    Acks,
    /// Most earlier flows showed this capture point.
    Others,
}

impl VantageSource {
    /// The word for the source in the tables.
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

/// One packet of the handshake as it passed the capture point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandshakePacket {
    /// The time at which the packet first passed.
    pub time: Instant,
    /// The number of the packet's record in its input.
    pub frame: u64,
    /// The TCP timestamps of the packet.
    pub timestamps: Option<Timestamps>,
    /// How many times the packet was seen.
    pub copies: u32,
}

/// What one side announced in its SYN, or in several SYNs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynOptions {
    /// Maximum segment size in bytes.
    pub mss_bytes: Option<u16>,
    /// Shift of the window scale.
    pub window_scale: Option<u8>,
    /// Whether SACK is permitted.
    pub sack: bool,
    /// Whether the timestamps option is present.
    pub timestamps: bool,
    /// Window field; it is never scaled in a SYN (RFC 7323 section 2.2).
    pub window: u16,
    /// Whether ECN was offered or accepted (ECE is set).
    pub ecn: bool,
    /// Whether accurate ECN was offered or accepted: its flags count marks (RFC 9768 section 3.1).
    pub accurate_ecn: bool,
    /// Whether the MPTCP option is present.
    pub mptcp: bool,
    /// Whether the TCP Fast Open option is present.
    pub fast_open: bool,
}

impl SynOptions {
    /// Merges these options with those of a newer SYN of the same side. The newest MSS counts,
    /// because some stacks announce a smaller one, or fewer options, after a SYN was lost. Any
    /// other option that one of the SYNs offered may be in force.
    pub(crate) fn renew(mut self, newest: &Self) -> Self {
        self.mss_bytes = newest.mss_bytes.or(self.mss_bytes);
        self.window_scale = newest.window_scale.or(self.window_scale);
        self.sack |= newest.sack;
        self.timestamps |= newest.timestamps;
        self.ecn |= newest.ecn;
        self.accurate_ecn |= newest.accurate_ecn;
        self.mptcp |= newest.mptcp;
        self.fast_open |= newest.fast_open;
        self
    }
}

/// What is known of a flow as a whole.
#[derive(Clone, Debug)]
pub struct FlowFacts {
    /// Identifier of the flow: unique in a dataset, and the same for every number of threads.
    pub uid: u64,
    /// The subscriber session that the flow belongs to.
    pub session_id: u64,
    /// Whether the flow is a subscriber's: traffic within a link is not (methods A2).
    pub is_subscribers: bool,
    /// The address by which the phone is known; valid once the flow has ended.
    pub subscriber: Option<Address>,
    /// Address of the phone.
    pub ue: Address,
    /// Port of the phone.
    pub ue_port: u16,
    /// Address of the server.
    pub server: Address,
    /// Port of the server.
    pub server_port: u16,
    /// Transport protocol.
    pub protocol: Protocol,
    /// Whether the TCP or UDP header is missing from the capture: the packets are later fragments,
    /// or the snap length cut them.
    pub lacks_headers: bool,
    /// TEID of the GTP-U tunnel that carried the first packet.
    pub teid: Option<u32>,
    /// The side that opened the flow; `None` for a flow first seen in mid-stream.
    pub initiator: Option<Side>,
    /// The time of the first packet.
    pub start: Instant,
    /// The time of the last packet.
    pub end: Instant,
    /// How the flow ended; valid once the flow has ended.
    pub ending: Ending,
    /// The capture point, as far as it is known.
    pub vantage: Option<Vantage>,
    /// How the capture point is known.
    pub vantage_source: Option<VantageSource>,
    /// The SYN of the initiator.
    pub syn: Option<HandshakePacket>,
    /// When the newest copy of that SYN passed, and its TSval; `None` while it was not repeated.
    pub repeated_syn: Option<(Instant, Option<u32>)>,
    /// The SYN-ACK of the responder.
    pub syn_ack: Option<HandshakePacket>,
    /// The first packet of the initiator that acknowledges the SYN-ACK.
    pub handshake_ack: Option<HandshakePacket>,
    /// Whether `handshake_ack` carried payload; if so, its time is no sample of the handshake
    /// (methods B1).
    pub handshake_ack_had_payload: bool,
    /// Options in the SYN of each side (`downlink`: of the server; `uplink`: of the UE).
    pub syn_options: PerDirection<Option<SynOptions>>,
    /// The result of [`Self::agreed_on_scales`].
    pub(crate) has_syns: bool,
    /// The result of [`Self::window_shift`], stored because each packet needs it.
    pub(crate) window_shifts: PerDirection<Option<u8>>,
    /// The result of [`Self::is_scale_guessed`].
    pub(crate) guessed_shifts: PerDirection<bool>,
    /// The result of [`Self::least_window_shift`].
    pub(crate) least_shifts: PerDirection<Option<u8>>,
    /// Token of the MPTCP connection to which this flow belongs as a subflow (RFC 8684 section
    /// 3.2); `None` for plain TCP, and as long as no packet has shown the token.
    pub mptcp_token: Option<NonZeroU32>,
    /// Time between the UE's last packet before this flow and the flow's first packet; `None` if
    /// the UE was not seen before.
    pub ue_idle_before: Option<Duration>,
    /// The number of the capture that the first packet is of.
    pub capture: u32,
    /// Time from the beginning of that capture to this flow's first packet.
    pub since_capture_start: Duration,
}

impl FlowFacts {
    /// A flow of which only the two ends and the first packet are known.
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
            is_subscribers: true,
            subscriber: None,
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
            repeated_syn: None,
            syn_ack: None,
            handshake_ack: None,
            handshake_ack_had_payload: false,
            syn_options: PerDirection::default(),
            has_syns: false,
            window_shifts: PerDirection::default(),
            guessed_shifts: PerDirection::default(),
            least_shifts: PerDirection { downlink: Some(0), uplink: Some(0) },
            mptcp_token: None,
            ue_idle_before: None,
            capture: 0,
            since_capture_start: Duration::ZERO,
        }
    }

    /// The options that the sender of `direction` announced.
    pub const fn options(&self, direction: Direction) -> Option<SynOptions> {
        *self.syn_options.of(direction)
    }

    /// The window scale that applies to windows announced by the sender of `direction`. Scaling
    /// applies only if both SYNs offered it (RFC 7323 section 2.2). If one of the SYNs was not seen,
    /// it is the scale that other handshakes of the host or the packets show (methods C6), or
    /// `None`.
    #[inline]
    pub const fn window_shift(&self, direction: Direction) -> Option<u8> {
        *self.window_shifts.of(direction)
    }

    /// Whether the scale of a sender's window is only that of its host's other handshakes: neither
    /// SYNs nor packets of this flow show it.
    #[inline]
    pub const fn is_scale_guessed(&self, direction: Direction) -> bool {
        *self.guessed_shifts.of(direction)
    }

    /// The least window scale that the packets leave while the scale is unknown; `None` if they
    /// contradict every scale.
    #[inline]
    pub const fn least_window_shift(&self, direction: Direction) -> Option<u8> {
        *self.least_shifts.of(direction)
    }

    /// Whether the ECN flags of the flow count marks (RFC 9768): both SYNs say so, or the only one
    /// that was seen.
    pub fn counts_marks(&self) -> bool {
        let seen = self.syn_options.uplink.is_some() || self.syn_options.downlink.is_some();
        let agrees = |options: Option<SynOptions>| options.is_none_or(|it| it.accurate_ecn);
        seen && agrees(self.syn_options.uplink) && agrees(self.syn_options.downlink)
    }

    /// Whether the capture point is at the host to which data of this direction goes.
    #[inline]
    pub fn is_at_receiver_of(&self, direction: Direction) -> bool {
        let host = match direction {
            Direction::Downlink => Vantage::Ue,
            Direction::Uplink => Vantage::Server,
        };
        self.vantage == Some(host)
    }

    /// Whether both SYNs show the window scales, which then hold for the whole flow.
    #[inline]
    pub const fn agreed_on_scales(&self) -> bool {
        self.has_syns
    }

    /// Whether a SYN is missing, so that only other packets can show the window scales.
    #[inline]
    pub(crate) const fn lacks_scale(&self) -> bool {
        !self.has_syns
    }

    /// Notes the options in a SYN of the sender of `direction`.
    pub(crate) fn announce(&mut self, direction: Direction, announced: &SynOptions) {
        let options = self.syn_options.of_mut(direction);
        *options = Some(options.map_or(*announced, |earlier| earlier.renew(announced)));
        self.has_syns = self.syn_options.uplink.is_some() && self.syn_options.downlink.is_some();
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

/// What is known of a subscriber at the time of one of the subscriber's packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UeFacts {
    /// The current session.
    pub session_id: u64,
    /// The time of the first packet of the session.
    pub session_start: Instant,
    /// The time of the UE's previous packet in any direction, flow and protocol.
    pub last_packet: Option<Instant>,
    /// The number of flows in this session so far.
    pub flows: u32,
    /// The UE's payload bytes so far, in all flows and protocols.
    pub payload_bytes: PerDirection<u64>,
}
