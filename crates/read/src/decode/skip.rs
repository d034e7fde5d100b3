//! Defines the reasons why a frame has no packet; the report counts frames by reason.

/// Why a frame has no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// The frame contains another protocol; the number is its EtherType, PPP protocol or address
    /// family.
    NotIp(u16),
    /// The record contains no byte of its frame.
    Empty,
    /// The snap length cut the frame before the end of the IP header.
    Cut,
    /// The IP header contradicts itself.
    Malformed,
    /// The header that the capturing system put before the frame contradicts itself.
    LinkHeader,
    /// The link type of the frame's interface is not read; this is its number.
    LinkType(u32),
    /// The frame is a fragment of a tunnelled packet, which is counted with another fragment.
    TunnelFragment,
    /// The frame is a fragment of a TCP segment, which is counted with the fragment that completes
    /// it.
    TcpFragment,
    /// The frame has more nested link headers than are read.
    TooDeep,
    /// An IEEE 802.11 frame that is encrypted, is an aggregate, or contains no data.
    Wireless,
}

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotIp(0x0806) => f.write_str("not IP: ARP"),
            Self::NotIp(0x88cc) => f.write_str("not IP: LLDP"),
            Self::NotIp(0x888e) => f.write_str("not IP: EAPOL"),
            Self::NotIp(0..=1500) => f.write_str("not IP: LLC or address family"),
            Self::NotIp(protocol) => write!(f, "not IP: protocol 0x{protocol:04x}"),
            Self::Empty => f.write_str("an empty record"),
            Self::Cut => f.write_str("headers cut by the snap length"),
            Self::LinkHeader => f.write_str("malformed header of the capturing system"),
            Self::Malformed => f.write_str("malformed IP header"),
            Self::TunnelFragment => f.write_str("a further fragment of a tunnel's packet"),
            Self::TcpFragment => {
                f.write_str("a fragment of a TCP segment, which counts where it is complete")
            }
            Self::TooDeep => f.write_str("link headers nested too deep"),
            Self::Wireless => f.write_str("not IP: IEEE 802.11 without readable data"),
            Self::LinkType(number) => {
                write!(f, "link type {number} ({})", crate::link_type::link_type_name(*number))
            }
        }
    }
}
