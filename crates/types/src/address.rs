//! Defines one address type for IPv4 and IPv6.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An IP address as 128 bits; IPv4 is kept as IPv4-mapped IPv6 (RFC 4291 section 2.5.5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(u128);

const MAPPED: u128 = 0xffff_0000_0000;

impl Address {
    /// `::`, which means that there is no address (RFC 4291 section 2.5.2).
    pub const UNSPECIFIED: Self = Self(0);

    /// The address with the four octets of an IPv4 header.
    pub const fn v4(octets: [u8; 4]) -> Self {
        Self(MAPPED | u32::from_be_bytes(octets) as u128)
    }

    /// The address with the sixteen octets of an IPv6 header.
    pub const fn v6(octets: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(octets))
    }

    /// The address as 128 bits; an IPv4 address is in its IPv4-mapped form.
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The IPv4 address; `None` for an IPv6 address.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower bits of a mapped address are its IPv4 address"
    )]
    pub const fn as_v4(self) -> Option<Ipv4Addr> {
        if self.0 >> 32 == MAPPED >> 32 { Some(Ipv4Addr::from_bits(self.0 as u32)) } else { None }
    }

    /// The address as the type of the standard library.
    pub const fn to_ip(self) -> IpAddr {
        match self.as_v4() {
            Some(v4) => IpAddr::V4(v4),
            None => IpAddr::V6(Ipv6Addr::from_bits(self.0)),
        }
    }

    /// Whether the address is private: RFC 1918, RFC 6598 (100.64/10), a phone's own end of 464XLAT
    /// (192.0.0.0/29, RFC 7335), link-local, or an IPv6 unique local address (RFC 4193).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower bits of a mapped address are its IPv4 address"
    )]
    pub const fn is_private(self) -> bool {
        // Every packet needs this check for both of its addresses, so it compares the bits of each
        // prefix.
        if self.0 >> 32 == MAPPED >> 32 {
            let a = self.0 as u32;
            (a >> 24 == 10)
                | (a >> 20 == 0xac1)
                | (a >> 16 == 0xc0a8)
                | (a >> 16 == 0xa9fe)
                | (a >> 22 == 100 << 2 | 1)
                | (a >> 3 == 0xc000_0000 >> 3)
        } else {
            (self.0 >> 121 == 0xfc >> 1) | (self.0 >> 118 == 0xfe80 >> 6)
        }
    }

    /// Whether the address can be that of one host. It cannot if it is unspecified (`0.0.0.0`, `::`;
    /// RFC 1122 section 3.2.1.3), multicast (RFC 1112 section 4, RFC 4291 section 2.7), or the
    /// limited broadcast address (RFC 919 section 7).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the lower bits of a mapped address are its IPv4 address"
    )]
    pub const fn is_host(self) -> bool {
        if self.0 >> 32 == MAPPED >> 32 {
            let a = self.0 as u32;
            a != 0 && a != u32::MAX && a >> 28 != 0xe
        } else {
            self.0 != 0 && self.0 >> 120 != 0xff
        }
    }

    /// Whether the address is valid on one link only: 169.254.0.0/16 (RFC 3927), fe80::/10 (RFC 4291
    /// section 2.5.6).
    pub const fn is_link_local(self) -> bool {
        if self.0 >> 32 == MAPPED >> 32 {
            self.0 >> 16 & 0xffff == 0xa9fe
        } else {
            self.0 >> 118 == 0xfe80 >> 6
        }
    }

    /// Whether the address is one of those that a phone gives to its own IPv4 applications in an
    /// IPv6-only network: 192.0.0.0/29 (RFC 7335), the same on every phone.
    pub const fn is_of_clat(self) -> bool {
        self.0 >> 32 == MAPPED >> 32 && self.0 >> 3 & 0x1fff_ffff == 0xc000_0000 >> 3
    }

    /// The IPv4 address inside an IPv6 address with the well-known prefix of NAT64, 64:ff9b::/96
    /// (RFC 6052 section 2.1); `None` for any other address.
    pub const fn nat64(self) -> Option<Self> {
        const PREFIX: u128 = 0x0064_ff9b_0000_0000_0000_0000;
        if self.0 >> 32 == PREFIX { Some(Self(MAPPED | (self.0 & 0xffff_ffff))) } else { None }
    }

    /// The address that identifies a subscriber: the IPv4 address itself, or the /64 prefix of an
    /// IPv6 address, because a UE gets a whole /64 (RFC 6459 section 5.2) and changes its interface
    /// identifier.
    pub const fn subscriber(self) -> Self {
        if self.as_v4().is_some() { self } else { Self(self.0 & !(u64::MAX as u128)) }
    }

    /// The address as text: RFC 5952 for IPv6, dotted form for IPv4.
    pub fn text(self) -> String {
        match self.to_ip() {
            IpAddr::V4(address) => dotted(address.octets()),
            IpAddr::V6(address) => address.to_string(),
        }
    }
}

impl From<IpAddr> for Address {
    fn from(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(a) => Self::v4(a.octets()),
            IpAddr::V6(a) => Self::v6(a.octets()),
        }
    }
}

/// Writes IPv6 as in RFC 5952, and IPv4 in dotted form.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_ip().fmt(f)
    }
}

/// Writes four octets in dotted form, without the slow general formatter: each row of `flows` has
/// two addresses.
fn dotted(octets: [u8; 4]) -> String {
    let mut text = String::with_capacity("255.255.255.255".len());
    for (place, octet) in octets.into_iter().enumerate() {
        if place > 0 {
            text.push('.');
        }
        for unit in [100, 10, 1].into_iter().filter(|unit| octet >= *unit || *unit == 1) {
            text.push(char::from(b'0' + octet / unit % 10));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_address_is_what_is_displayed() {
        for octet in 0..=255 {
            let address = Address::v4([octet, 255 - octet, 7, octet]);
            assert_eq!(address.text(), address.to_string());
        }
        let address = Address::from("2001:db8::5".parse::<IpAddr>().unwrap());
        assert_eq!(address.text(), "2001:db8::5");
    }

    #[test]
    fn subscribers_of_ipv6_are_their_prefix() {
        let a: IpAddr = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        assert_eq!(Address::from(a).subscriber().to_string(), "2001:db8:1:2::");
        assert_eq!(Address::v4([10, 1, 2, 3]).subscriber().to_string(), "10.1.2.3");
    }

    #[test]
    fn nat64_addresses_hold_an_ipv4_one() {
        let of = |text: &str| Address::from(text.parse::<IpAddr>().unwrap()).nat64();
        assert_eq!(of("64:ff9b::c633:6409"), Some(Address::v4([198, 51, 100, 9])));
        assert_eq!(of("64:ff9b:1::c633:6409"), None);
        assert_eq!(of("198.51.100.9"), None);
    }

    #[test]
    fn private_is_what_the_standard_library_calls_so_and_carrier_grade_nat() {
        let texts = [
            "9.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "11.0.0.0",
            "172.15.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.168.0.0",
            "192.168.255.255",
            "192.169.0.0",
            "169.253.255.255",
            "169.254.0.0",
            "169.254.255.255",
            "169.255.0.0",
            "fbff::1",
            "fc00::",
            "fdff:ffff::1",
            "fe00::",
            "fe7f::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "::1",
            "2001:db8::1",
        ];
        for text in texts {
            let ip: IpAddr = text.parse().unwrap();
            let private = match ip {
                IpAddr::V4(a) => a.is_private() || a.is_link_local(),
                IpAddr::V6(a) => a.is_unique_local() || a.is_unicast_link_local(),
            };
            assert_eq!(Address::from(ip).is_private(), private, "{text}");
        }
    }

    #[test]
    fn a_host_is_what_the_standard_library_does_not_call_otherwise() {
        let texts = [
            "0.0.0.0",
            "0.0.0.1",
            "10.0.0.1",
            "223.255.255.255",
            "224.0.0.0",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.254",
            "255.255.255.255",
            "::",
            "::1",
            "2001:db8::1",
            "feff::1",
            "ff00::",
            "ff02::fb",
            "ff::1",
        ];
        for text in texts {
            let ip: IpAddr = text.parse().unwrap();
            let broadcast = matches!(ip, IpAddr::V4(v4) if v4.is_broadcast());
            let host = !(ip.is_unspecified() || ip.is_multicast() || broadcast);
            assert_eq!(Address::from(ip).is_host(), host, "{text}");
        }
    }

    #[test]
    fn carrier_grade_nat_is_private() {
        assert!(Address::v4([100, 64, 0, 1]).is_private());
        assert!(!Address::v4([100, 128, 0, 1]).is_private());
        assert!(Address::v4([192, 0, 0, 4]).is_private());
        assert!(!Address::v4([192, 0, 0, 8]).is_private());
    }
}
