//! Lists link types by their number in the LINKTYPE registry of tcpdump.org: those that are read,
//! and the names of those that are refused.

/// How the frames of an interface begin, for each link type that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// IEEE 802.3 / Ethernet II.
    Ethernet,
    /// An IPv4 or IPv6 header without a link header.
    Raw,
    /// BSD loopback: four bytes of address family, in either byte order.
    Loopback,
    /// PPP, with or without HDLC framing, or Cisco's HDLC.
    Ppp,
    /// PPPoE without the Ethernet header.
    PppoE,
    /// Linux cooked capture, version 1.
    Cooked1,
    /// Linux cooked capture, version 2.
    Cooked2,
    /// IEEE 802.11.
    Wireless,
    /// IEEE 802.11 behind a radiotap header.
    Radiotap,
    /// A frame behind Apple's PKTAP header, which names its link type.
    Pktap,
    /// DLT_USER2, which is read where the frames begin with a PKTAP header.
    User2,
    /// A frame behind a header of Per-Packet Information, which names its link type.
    Ppi,
    /// An IP packet that Linux's firewall logged.
    Nflog,
}

/// The number of DLT_USER2. It is for private use (LINKTYPE_USER2); Apple's systems used it for
/// DLT_PKTAP before the registry had a number for that.
pub(crate) const USER2: u32 = 149;

impl LinkType {
    /// The link type with this number; `None` if it is not read.
    pub const fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            1 => Self::Ethernet,
            // 12 and 14 are numbers of DLT_RAW that various systems wrote into files before
            // LINKTYPE_RAW existed.
            12 | 14 | 101 | 228 | 229 => Self::Raw,
            0 | 108 => Self::Loopback,
            9 | 50 | 104 => Self::Ppp,
            51 => Self::PppoE,
            113 => Self::Cooked1,
            276 => Self::Cooked2,
            105 => Self::Wireless,
            127 => Self::Radiotap,
            258 => Self::Pktap,
            USER2 => Self::User2,
            192 => Self::Ppi,
            239 => Self::Nflog,
            _ => return None,
        })
    }
}

/// The name of a link type in the registry, with its usual contents where that helps.
pub const fn link_type_name(number: u32) -> &'static str {
    match number {
        0 => "BSD loopback, NULL",
        1 => "Ethernet",
        3 => "AX.25",
        6 => "Token Ring",
        7 => "ARCNET",
        8 => "SLIP",
        9 => "PPP",
        10 => "FDDI",
        12 | 14 | 101 => "raw IP",
        50 => "PPP in HDLC-like framing",
        51 => "PPPoE without Ethernet",
        99 => "Symantec firewall",
        100 => "ATM, RFC 1483",
        104 => "Cisco HDLC",
        105 => "IEEE 802.11",
        107 => "Frame Relay",
        108 => "OpenBSD loopback",
        109 => "OpenBSD IPsec",
        113 => "Linux cooked v1",
        114 => "LocalTalk",
        117 => "OpenBSD pflog",
        119 => "IEEE 802.11 with Prism header",
        122 => "IP over Fibre Channel",
        123 => "SunATM",
        127 => "IEEE 802.11 with radiotap header",
        129 => "Linux ARCNET",
        138 => "IP over IEEE 1394",
        139 => "SS7 MTP2 with pseudo-header",
        140 => "SS7 MTP2",
        141 => "SS7 MTP3",
        142 => "SS7 SCCP",
        143 => "DOCSIS",
        144 => "Linux IrDA",
        // Modem tools use the first user link type for MAC frames of the radio.
        147 => "LTE-MAC, DLT_USER0",
        148 => "LTE-RLC or other, DLT_USER1",
        149 => "PKTAP, LTE-RRC or other, DLT_USER2",
        150..=162 => "reserved for private use, DLT_USER",
        163 => "IEEE 802.11 with AVS header",
        165 => "BACnet MS/TP",
        166 => "pppd PPP with direction",
        169 => "GPRS LLC",
        177 => "Linux LAPD",
        187 => "Bluetooth HCI H4",
        189 => "Linux USB",
        190 => "CAN 2.0B",
        192 => "Per-Packet Information",
        195 => "IEEE 802.15.4",
        196 => "SITA",
        197 => "Endace ERF",
        201 => "Bluetooth HCI H4 with direction",
        202 => "AX.25 with KISS header",
        203 => "LAPD",
        204 => "PPP with direction",
        205 => "Cisco HDLC with direction",
        206 => "Frame Relay with direction",
        209 => "Linux IPMB",
        215 => "IEEE 802.15.4 without PHY",
        217 => "GSMTAP Um",
        218 => "GSMTAP Abis",
        220 => "Linux USB, mmapped",
        224 => "Fibre Channel",
        226 => "Solaris IPNET",
        227 => "CAN, SocketCAN",
        228 => "raw IPv4",
        229 => "raw IPv6",
        230 => "IEEE 802.15.4 without FCS",
        231 => "D-Bus",
        235 => "DVB-CI",
        239 => "NFLOG",
        240 => "Hilscher netANALYZER",
        242 => "IP over InfiniBand",
        243 => "MPEG-2 transport stream",
        247 => "InfiniBand",
        248 => "SCTP without IP",
        249 => "USBPcap",
        251 => "Bluetooth LE",
        252 => "Wireshark upper PDU",
        253 => "Linux netlink",
        254 => "Bluetooth Linux monitor",
        256 => "Bluetooth LE with PHY header",
        258 => "Apple PKTAP",
        264 => "ISO 14443",
        266 => "USB Darwin",
        270 => "LoRaTap",
        272 => "nRF sniffer",
        276 => "Linux cooked v2",
        283 => "IEEE 802.15.4 TAP",
        288 => "USB 2.0",
        _ => "not in our table",
    }
}
