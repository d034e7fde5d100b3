//! Why a frame gave no packet.

/// Why a frame gave no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skip {
    /// The frame holds another protocol; its EtherType (PPP protocol, address family).
    NotIp(u16),
    /// The snap length cut the frame before the end of the IP header.
    Cut,
    /// The IP header contradicts itself.
    Malformed,
    /// The frame's interface has a link type that is refused; its number.
    LinkType(u32),
    /// A fragment of a tunnel's packet: the packet inside is counted with another fragment of it.
    TunnelFragment,
    /// More link headers within each other than are followed.
    TooDeep,
    /// An IEEE 802.11 frame that is encrypted, an aggregate, or holds no data.
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
            Self::Cut => f.write_str("headers cut by the snap length"),
            Self::Malformed => f.write_str("malformed IP header"),
            Self::TunnelFragment => f.write_str("a further fragment of a tunnel's packet"),
            Self::TooDeep => f.write_str("link headers nested too deep"),
            Self::Wireless => f.write_str("not IP: IEEE 802.11 without readable data"),
            Self::LinkType(number) => {
                write!(f, "link type {number} ({})", crate::link_type::link_type_name(*number))
            }
        }
    }
}
