//! Defines one packet with decoded headers, independent of the packets before it.

use std::num::NonZeroU32;

use airmile_types::{Address, Instant, Protocol};

use crate::decode::device::Access;

/// A packet with more payload than this holds several segments that offload joined. The number is
/// the MTU of Ethernet (IEEE 802.3 clause 3.2.7), which no path over a cellular link exceeds (3GPP
/// TS 23.060 annex C).
pub(crate) const SUPER_SEGMENT_BYTES: u32 = 1500;

/// One IP packet as the capture contains it; for a tunnelled packet, the innermost one.
///
/// Lengths come from the IP header and not from the number of captured bytes, so any snap length
/// gives the same numbers (methods A1).
#[derive(Clone, Debug, Default)]
pub struct Packet<'a> {
    /// The time at which the packet was captured.
    pub time: Instant,
    /// The number of the packet's record in its input. All packet records are counted from 1,
    /// readable or not, as in Wireshark (`frame.number`). For joined fragments it is the record
    /// that completes them. It is 0 for a frame that was decoded on its own.
    pub frame: u64,
    /// The address of the sender.
    pub source: Address,
    /// The address of the receiver.
    pub destination: Address,
    /// The IP protocol number; for IPv6, the number after the extension headers.
    pub ip_protocol: u8,
    /// The version of IP: 4 or 6.
    pub ip_version: u8,
    /// The TTL of IPv4 or the hop limit of IPv6.
    pub hop_limit: u8,
    /// The two ECN bits (RFC 3168 section 5): 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
    /// The identification of IPv4; for IPv6 the lower half of the fragment header's identification,
    /// or 0 without that header.
    pub ip_id: u16,
    /// Whether the packet is whole, or which fragment it is.
    pub fragment: Fragment,
    /// The TEID of the GTP-U tunnel that carried the packet.
    pub teid: Option<u32>,
    /// The number of the interface: in pcapng that of its description, counted over all sections of
    /// an input. In cooked captures and those of Apple's systems it is a number that distinguishes
    /// the host's interfaces. 0 where nothing distinguishes them.
    pub interface: u32,
    /// The network that the interface leads to.
    pub access: Access,
    /// Whether the capturing host sent the packet; `None` where the capture does not say.
    pub outgoing: Option<bool>,
    /// The number of the capture, where several are read as one stream; 0 for a capture that is
    /// read on its own.
    pub capture: u32,
    /// Whether the record holds several segments. That is so if the payload exceeds any link's MTU,
    /// or if the IP length is 0 because of segmentation offload; the length of the frame is then
    /// used.
    pub super_segment: bool,
    /// The length of the IP packet in bytes, headers included.
    pub ip_bytes: u32,
    /// The bytes after the transport header, computed from the IP length.
    pub payload_bytes: u32,
    /// The part of the payload that was captured; may be empty.
    pub payload: &'a [u8],
    /// The fields of the transport header.
    pub transport: Transport,
}

impl Packet<'_> {
    /// The transport protocol; [`Protocol::Other`] for TCP without its header, because no TCP
    /// analysis can use such a packet.
    pub const fn protocol(&self) -> Protocol {
        match (self.transport, Protocol::from_number(self.ip_protocol)) {
            (Transport::None, Protocol::Tcp) => Protocol::Other,
            (_, protocol) => protocol,
        }
    }

    /// Whether the TCP or UDP header is missing: the packet is a later fragment, or the snap length
    /// cut it.
    pub const fn lacks_header(&self) -> bool {
        let ports =
            matches!(Protocol::from_number(self.ip_protocol), Protocol::Tcp | Protocol::Udp);
        ports && matches!(self.transport, Transport::None)
    }
}

/// Whether a packet is whole, or which fragment it is (RFC 791, RFC 8200 section 4.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fragment {
    /// The packet is not a fragment.
    #[default]
    Whole,
    /// The first fragment: the one with the transport header.
    First,
    /// A later fragment, which has no ports.
    Later,
    /// A TCP segment that was joined from fragments, or the part of it that a later fragment
    /// carries.
    Joined,
}

/// The transport header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp(TcpHeader),
    /// UDP.
    Udp {
        /// The source port.
        source_port: u16,
        /// The destination port.
        destination_port: u16,
    },
    /// ICMP or ICMPv6 echo request or reply, identified by id and sequence number.
    Echo {
        /// Whether this is the reply; otherwise it is the request.
        reply: bool,
        /// The identifier of the echo.
        id: u16,
        /// The sequence number of the echo.
        sequence: u16,
    },
    /// No header: another protocol, a later fragment, or a header that the snap length cut.
    #[default]
    None,
}

/// A TCP header (RFC 9293 section 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpHeader {
    /// Source port.
    pub source_port: u16,
    /// Destination port.
    pub destination_port: u16,
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgement number; it has no meaning without [`TcpFlags::ACK`].
    pub acknowledgement: u32,
    /// Control bits.
    pub flags: TcpFlags,
    /// Window field, without scaling.
    pub window: u16,
    /// The TCP options that are read.
    pub options: TcpOptions,
}

/// The control bits of a TCP header; bit 8 is AE (RFC 9768), which was called NS before.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpFlags(pub u16);

impl TcpFlags {
    /// FIN: the sender has no more data.
    pub const FIN: Self = Self(0x01);
    /// SYN: synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// RST: reset the connection.
    pub const RST: Self = Self(0x04);
    /// PSH: push.
    pub const PSH: Self = Self(0x08);
    /// ACK: the acknowledgement number is valid.
    pub const ACK: Self = Self(0x10);
    /// URG: the urgent pointer is valid.
    pub const URG: Self = Self(0x20);
    /// ECE: ECN echo.
    pub const ECE: Self = Self(0x40);
    /// CWR: congestion window reduced.
    pub const CWR: Self = Self(0x80);
    /// AE: accurate ECN.
    pub const AE: Self = Self(0x100);

    /// The two bits that answer congestion marks, ECE and CWR.
    pub const ECHOES: Self = Self(Self::ECE.0 | Self::CWR.0);
    /// The three bits that open and close a connection, FIN, SYN and RST.
    pub const CONTROL: Self = Self(Self::FIN.0 | Self::SYN.0 | Self::RST.0);

    /// Whether all bits of `other` are set.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether at least one bit of `other` is set.
    #[inline]
    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl std::ops::BitOr for TcpFlags {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::fmt::Debug for TcpFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = ["F", "S", "R", "P", ".", "U", "E", "C", "A"];
        for (bit, name) in names.iter().enumerate() {
            if self.0 >> bit & 1 == 1 {
                f.write_str(name)?;
            }
        }
        Ok(())
    }
}

/// TCP options, as far as they were captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions {
    /// Maximum segment size in bytes (RFC 9293 section 3.2).
    pub mss: Option<u16>,
    /// Shift of the window scale (RFC 7323 section 2).
    pub window_scale: Option<u8>,
    /// Whether SACK is permitted (RFC 2018 section 2).
    pub sack_permitted: bool,
    /// TSval and TSecr (RFC 7323 section 3).
    pub timestamps: Option<Timestamps>,
    /// SACK blocks as left and right edges (RFC 2018 section 3).
    pub sack_blocks: [(u32, u32); 4],
    /// How many of `sack_blocks` are valid.
    pub sack_count: u8,
    /// Whether an MPTCP option (RFC 8684) is present.
    pub mptcp: bool,
    /// Token of the MPTCP connection, if an option contains it. It is the token of the listening
    /// side, taken from MP_JOIN, or computed from the keys in MP_CAPABLE (RFC 8684 section 3.2).
    pub mptcp_token: Option<NonZeroU32>,
    /// Whether a TCP Fast Open option (RFC 7413) is present.
    pub fast_open: bool,
    /// Whether options are missing: the list is malformed, or longer than what was captured.
    pub cut: bool,
    /// Whether the list is malformed, or longer than the IP packet; no snap length cut it.
    pub malformed: bool,
    /// A hash of the kinds and lengths of the options, in order. This layout distinguishes TCP
    /// implementations.
    pub layout: u16,
}

/// The timestamps option (RFC 7323).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the value of the sender's clock.
    pub value: u32,
    /// TSecr: the newest value that the sender has received from its peer; it has no meaning
    /// without ACK.
    pub echo: u32,
}

impl TcpOptions {
    /// The SACK blocks that are present.
    #[inline]
    pub fn sack(&self) -> &[(u32, u32)] {
        self.sack_blocks.get(..usize::from(self.sack_count)).unwrap_or(&self.sack_blocks)
    }
}
