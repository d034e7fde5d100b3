//! Finds which interface of a host a frame passed, where its link header or the interface's name
//! says so (methods A2).

use super::pktap;
use crate::bytes::{be16, chunk};
use crate::link_type::LinkType;

/// The network that an interface leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Access {
    /// Nothing shows it.
    #[default]
    Unknown,
    /// A cellular network.
    Cellular,
    /// A wireless local network.
    Wlan,
    /// Ethernet, which leads anywhere.
    Ethernet,
    /// A tunnel, such as that of a VPN, whose packets pass another interface once more.
    Tunnel,
    /// The hosts to which a phone passes its connection on.
    Tethered,
    /// The host itself.
    Loopback,
}

/// What a frame shows of its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Device {
    /// A number that distinguishes the interfaces of a capture.
    pub(crate) number: u32,
    pub(crate) access: Access,
    /// Whether the capturing host sent the frame; `None` if that is not said.
    pub(crate) outgoing: Option<bool>,
}

impl Access {
    /// The word for the network in the tables; `None` if nothing shows it.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::Cellular => Some("cellular"),
            Self::Wlan => Some("wlan"),
            Self::Ethernet => Some("ethernet"),
            Self::Tunnel => Some("tunnel"),
            Self::Tethered => Some("tethered"),
            Self::Loopback => Some("loopback"),
        }
    }

    /// The network of an interface with this name, by the names that Android, iOS and Linux give.
    pub fn of_name(name: &str) -> Self {
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        if begins(&CELLULAR) {
            Self::Cellular
        } else if begins(&TUNNEL) {
            Self::Tunnel
        } else if begins(&TETHERED) {
            Self::Tethered
        } else if begins(&WLAN) {
            Self::Wlan
        } else if begins(&ETHERNET) {
            Self::Ethernet
        } else if name == "lo" || name == "lo0" {
            Self::Loopback
        } else {
            Self::Unknown
        }
    }
}

/// Modems of Qualcomm, MediaTek, Samsung and Unisoc, USB modems, iOS; the names with `v4-` and
/// `clat` are the IPv4 side of 464XLAT on a cellular interface.
/// Phones in software: srsUE, OpenAirInterface and UERANSIM.
const CELLULAR: [&str; 12] = [
    "rmnet",
    "r_rmnet",
    "ccmni",
    "pdp_ip",
    "wwan",
    "seth_",
    "v4-rmnet",
    "v4-ccmni",
    "clat",
    "tun_srsue",
    "oaitun_ue",
    "uesimtun",
];
const TUNNEL: [&str; 4] = ["tun", "utun", "ipsec", "wg"];
/// Access points, USB and Bluetooth through which a phone passes its connection on.
const TETHERED: [&str; 7] = ["ap0", "swlan", "softap", "rndis", "ncm", "bridge", "bt-pan"];
const WLAN: [&str; 4] = ["wlan", "wlp", "wlx", "p2p"];
const ETHERNET: [&str; 2] = ["en", "eth"];

// The types of hardware that Linux gives (if_arp.h).
const ARPHRD_ETHER: u16 = 1;
const ARPHRD_RAWIP: u16 = 519;
const ARPHRD_LOOPBACK: u16 = 772;
// The types of packets that a cooked header gives (if_packet.h): to this host, and from it.
const PACKET_HOST: u16 = 0;
const PACKET_OUTGOING: u16 = 4;

/// What a frame of this link type shows of its interface; `None` if its header has no such fields.
#[inline]
pub(crate) fn device(link: LinkType, frame: &[u8]) -> Option<Device> {
    match link {
        LinkType::Cooked1 => {
            let (kind, hardware) = (be16(frame, 0)?, be16(frame, 2)?);
            Some(cooked(u32::from(hardware), hardware, kind))
        }
        LinkType::Cooked2 => {
            let index = u32::from_be_bytes(*chunk::<4>(frame, 4)?);
            Some(cooked(index, be16(frame, 8)?, u16::from(*frame.get(10)?)))
        }
        LinkType::Pktap | LinkType::User2 => apple(frame),
        _ => None,
    }
}

/// Interfaces without a hardware header are unknown, because modems and tunnels are such.
fn cooked(number: u32, hardware: u16, kind: u16) -> Device {
    let access = match hardware {
        ARPHRD_RAWIP => Access::Cellular,
        ARPHRD_ETHER => Access::Ethernet,
        ARPHRD_LOOPBACK => Access::Loopback,
        _ => Access::Unknown,
    };
    let outgoing = match kind {
        PACKET_HOST => Some(false),
        PACKET_OUTGOING => Some(true),
        _ => None,
    };
    Device { number, access, outgoing }
}

fn apple(frame: &[u8]) -> Option<Device> {
    let name = pktap::interface(frame)?;
    // FNV-1a, so that each name has a number.
    let mix = |sum: u32, byte: u8| (sum ^ u32::from(byte)).wrapping_mul(16_777_619);
    let number = name.bytes().fold(2_166_136_261, mix);
    // On iOS, `en0` is the wireless network.
    let access = match Access::of_name(name) {
        Access::Ethernet => Access::Wlan,
        other => other,
    };
    Some(Device { number, access, outgoing: pktap::is_outgoing(frame) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_interfaces_show_their_network() {
        for (name, access) in [
            ("rmnet_data0", Access::Cellular),
            ("ccmni1", Access::Cellular),
            ("pdp_ip0", Access::Cellular),
            ("v4-rmnet_data0", Access::Cellular),
            ("wlan0", Access::Wlan),
            ("en0", Access::Ethernet),
            ("tun_srsue", Access::Cellular),
            ("tun0", Access::Tunnel),
            ("utun3", Access::Tunnel),
            ("swlan0", Access::Tethered),
            ("rndis0", Access::Tethered),
            ("lo", Access::Loopback),
            ("any", Access::Unknown),
            ("long", Access::Unknown),
        ] {
            assert_eq!(Access::of_name(name), access, "{name}");
        }
    }

    #[test]
    fn cooked_headers_show_interface_and_direction() {
        let mut first = [0_u8; 16];
        (first[1], first[2], first[3]) = (4, 2, 7);
        let found = device(LinkType::Cooked1, &first);
        let expected = Device { number: 519, access: Access::Cellular, outgoing: Some(true) };
        assert_eq!(found, Some(expected));
        let mut second = [0_u8; 20];
        (second[7], second[9], second[10]) = (12, 1, 0);
        let found = device(LinkType::Cooked2, &second);
        let expected = Device { number: 12, access: Access::Ethernet, outgoing: Some(false) };
        assert_eq!(found, Some(expected));
        assert_eq!(device(LinkType::Cooked2, &second[..8]), None);
        assert_eq!(device(LinkType::Ethernet, &second), None);
    }
}
