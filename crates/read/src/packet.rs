//! One packet with its headers decoded, independent of the packets before it.

use std::num::NonZeroU32;

use airmile_types::{Address, Instant, Protocol};

/// More payload than this in one packet is several segments that offload joined: Ethernet's MTU
/// (IEEE 802.3 clause 3.2.7), which no path over a cellular link exceeds (3GPP TS 23.060 annex C).
pub(crate) const SUPER_SEGMENT_BYTES: u32 = 1500;

/// One IP packet (the innermost one, tunnels peeled), as the capture holds it.
///
/// Lengths come from the IP header and not from what was captured, so any snap length gives the
/// same numbers (methods A1).
#[derive(Clone, Debug)]
pub struct Packet<'a> {
    /// The time at which it was captured.
    pub time: Instant,
    /// Number of its record in its input, counted from 1 over all packet records, readable or not,
    /// as Wireshark does (`frame.number`); of fragments that were joined, the record that completes
    /// them. 0 for a frame that was decoded by itself.
    pub frame: u64,
    /// The address of the sender.
    pub source: Address,
    /// The address of the receiver.
    pub destination: Address,
    /// IP protocol number after IPv6 extension headers.
    pub ip_protocol: u8,
    /// The version of IP: 4 or 6.
    pub ip_version: u8,
    /// IPv4 TTL or IPv6 hop limit.
    pub hop_limit: u8,
    /// The two ECN bits (RFC 3168 section 5): 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    pub ecn: u8,
    /// IPv4 identification; 0 for IPv6 (or the fragment header's low half).
    pub ip_id: u16,
    /// Whole packet, or which part of one.
    pub fragment: Fragment,
    /// GTP-U tunnel that carried it.
    pub teid: Option<u32>,
    /// pcapng interface, numbered over the sections of an input; 0 in classic pcap.
    pub interface: u32,
    /// The IP length was 0, so the frame's length was taken (segmentation offload), or the payload
    /// exceeds any link's MTU: several segments in one record.
    pub super_segment: bool,
    /// Length of the IP packet in bytes, headers included.
    pub ip_bytes: u32,
    /// Bytes after the transport header, by IP length.
    pub payload_bytes: u32,
    /// The part of the payload that was captured; may be empty.
    pub payload: &'a [u8],
    /// The fields of the transport header.
    pub transport: Transport,
}

impl Packet<'_> {
    /// The transport protocol; [`Protocol::Other`] for TCP without its header, of which no analysis
    /// of TCP can say anything.
    pub const fn protocol(&self) -> Protocol {
        match (self.transport, Protocol::from_number(self.ip_protocol)) {
            (Transport::None, Protocol::Tcp) => Protocol::Other,
            (_, protocol) => protocol,
        }
    }

    /// TCP or UDP without the header: a later fragment, or cut by the snap length.
    pub const fn lacks_header(&self) -> bool {
        let ports =
            matches!(Protocol::from_number(self.ip_protocol), Protocol::Tcp | Protocol::Udp);
        ports && matches!(self.transport, Transport::None)
    }
}

/// Whether a packet is whole, or which fragment it is (RFC 791, RFC 8200 section 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fragment {
    /// The packet is not a fragment.
    Whole,
    /// The first fragment: the one with the transport header.
    First,
    /// A later fragment, which has no ports.
    Later,
}

/// The transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp(TcpHeader),
    /// UDP.
    Udp {
        /// Source port.
        source_port: u16,
        /// Destination port.
        destination_port: u16,
    },
    /// ICMP or ICMPv6 echo request or reply, identified by id and sequence number.
    Echo {
        /// Whether this is the reply.
        reply: bool,
        /// Echo identifier.
        id: u16,
        /// Echo sequence number.
        sequence: u16,
    },
    /// Another protocol, a later fragment, or a header that was cut by the snap length.
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
    /// Acknowledgement number; meaningless without [`TcpFlags::ACK`].
    pub acknowledgement: u32,
    /// Control bits.
    pub flags: TcpFlags,
    /// Window field, unscaled.
    pub window: u16,
    /// Options that matter here.
    pub options: TcpOptions,
}

/// The control bits of a TCP header, with AE (RFC 9768, once NS) as bit 8.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct TcpFlags(pub u16);

impl TcpFlags {
    /// The sender has no more data.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgement field is significant.
    pub const ACK: Self = Self(0x10);
    /// The urgent pointer is significant.
    pub const URG: Self = Self(0x20);
    /// ECN echo.
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced.
    pub const CWR: Self = Self(0x80);
    /// Accurate ECN.
    pub const AE: Self = Self(0x100);

    /// Either of the two that answer congestion marks.
    pub const ECHOES: Self = Self(Self::ECE.0 | Self::CWR.0);
    /// Any of the three that open and close.
    pub const CONTROL: Self = Self(Self::FIN.0 | Self::SYN.0 | Self::RST.0);

    /// Whether every bit of `other` is set.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any bit of `other` is set.
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
    /// Maximum segment size (RFC 9293 section 3.2).
    pub mss: Option<u16>,
    /// Window scale shift (RFC 7323 section 2).
    pub window_scale: Option<u8>,
    /// SACK permitted (RFC 2018 section 2).
    pub sack_permitted: bool,
    /// TSval and TSecr (RFC 7323 section 3).
    pub timestamps: Option<Timestamps>,
    /// SACK blocks (RFC 2018 section 3): left and right edges.
    pub sack_blocks: [(u32, u32); 4],
    /// How many of `sack_blocks` are valid.
    pub sack_count: u8,
    /// An MPTCP option (RFC 8684) was present.
    pub mptcp: bool,
    /// Token of the MPTCP connection, where the option holds it: that of the listening side, from
    /// the keys of MP_CAPABLE or from MP_JOIN itself (RFC 8684 section 3.2).
    pub mptcp_token: Option<NonZeroU32>,
    /// A TCP Fast Open option (RFC 7413) was present.
    pub fast_open: bool,
    /// The option list was longer than what was captured, or malformed.
    pub cut: bool,
    /// A hash of kinds and lengths in order: the option layout, which distinguishes TCP
    /// implementations.
    pub layout: u16,
}

/// The RFC 7323 timestamps option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// The sender's clock.
    pub value: u32,
    /// The newest value the sender has seen from its peer; meaningless without ACK.
    pub echo: u32,
}

impl TcpOptions {
    /// The SACK blocks that are present.
    #[inline]
    pub fn sack(&self) -> &[(u32, u32)] {
        self.sack_blocks.get(..usize::from(self.sack_count)).unwrap_or(&self.sack_blocks)
    }
}
