//! Reads the two addresses of one phone from messages of a cellular core network (methods A3).
//!
//! A message counts only if it names exactly one IPv4 address and exactly one IPv6 prefix.

mod gtp_control;
mod named;
mod pfcp;
mod radius;

use airmile_types::Address;

use crate::packet::{Packet, Transport};
use named::Named;

/// The ports of GTPv2-C (TS 29.274 section 4.2), PFCP (TS 29.244 section 4.2.2) and RADIUS (RFC 2865
/// section 3, RFC 2866 section 3; the older two are those in use before these).
const GTP_CONTROL: u16 = 2123;
const PFCP: u16 = 8805;
const RADIUS: [u16; 4] = [1812, 1813, 1645, 1646];

/// Whether a packet may be a message that [`announced`] reads.
#[inline]
pub fn may_announce(packet: &Packet<'_>) -> bool {
    match packet.transport {
        Transport::Udp { source_port, destination_port } => {
            reader(source_port).or_else(|| reader(destination_port)).is_some()
        }
        _ => false,
    }
}

/// The IPv4 address and the IPv6 prefix that a message of the core network gives to one phone.
pub fn announced(packet: &Packet<'_>) -> Option<(Address, Address)> {
    let Transport::Udp { source_port, destination_port } = packet.transport else { return None };
    let read = reader(destination_port).or_else(|| reader(source_port))?;
    let mut named = Named::default();
    read(packet.payload, &mut named);
    named.pair()
}

type Reader = fn(&[u8], &mut Named) -> Option<()>;

fn reader(port: u16) -> Option<Reader> {
    match port {
        GTP_CONTROL => Some(gtp_control::read),
        PFCP => Some(pfcp::read),
        port if RADIUS.contains(&port) => Some(radius::read),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    const V4: [u8; 4] = [10, 45, 0, 2];
    const V6: [u8; 16] = [0x20, 1, 0xd, 0xb8, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9];

    fn read(port: u16, payload: &[u8]) -> Option<(String, String)> {
        let transport = Transport::Udp { source_port: port, destination_port: port };
        let packet = Packet { payload, transport, ..Packet::default() };
        assert!(may_announce(&packet));
        announced(&packet).map(|(v4, v6)| (v4.to_string(), v6.to_string()))
    }

    fn both() -> Option<(String, String)> {
        let prefix = "2001:db8:1:2::".parse::<IpAddr>().unwrap();
        Some(("10.45.0.2".to_owned(), prefix.to_string()))
    }

    /// A Create Session Response (TS 29.274 section 7.2.2) with these information elements.
    fn gtp(elements: &[(u8, Vec<u8>)]) -> Vec<u8> {
        let mut body = vec![0, 0, 0, 7, 0, 0, 1, 0];
        for (kind, value) in elements {
            body.push(*kind);
            body.extend((value.len() as u16).to_be_bytes());
            body.push(0);
            body.extend(value);
        }
        let mut message = vec![0x48, 33];
        message.extend((body.len() as u16).to_be_bytes());
        message.extend(body);
        message
    }

    #[test]
    fn the_paa_of_gtpv2_names_both_addresses() {
        let paa = [vec![3, 64], V6.to_vec(), V4.to_vec()].concat();
        assert_eq!(read(2123, &gtp(&[(2, vec![16, 0]), (79, paa.clone())])), both());
        let v4_alone = [vec![1], V4.to_vec()].concat();
        assert_eq!(read(2123, &gtp(&[(79, v4_alone)])), None);
        let mut cut = gtp(&[(79, paa)]);
        cut.truncate(cut.len() - 3);
        assert_eq!(read(2123, &cut), None);
    }

    fn element(kind: u16, value: &[u8]) -> Vec<u8> {
        let length = (value.len() as u16).to_be_bytes();
        [&kind.to_be_bytes()[..], &length, value].concat()
    }

    /// A Session Establishment Request (TS 29.244 section 7.5.2) with these information elements.
    fn pfcp_request(elements: &[u8]) -> Vec<u8> {
        let body = [&[0; 8][..], &[0, 0, 1, 0], elements].concat();
        [&[0x21, 50][..], &(body.len() as u16).to_be_bytes(), &body].concat()
    }

    #[test]
    fn the_ue_addresses_of_pfcp_are_one_phones_if_they_are_one_of_each_family() {
        let v4 = element(93, &[&[2][..], &V4].concat());
        let v6 = element(93, &[&[1][..], &V6].concat());
        let rule = |address: &[u8]| element(1, &element(2, address));
        let request = pfcp_request(&[rule(&v4), rule(&v6), rule(&v4)].concat());
        assert_eq!(read(8805, &request), both());
        let other = element(93, &[2, 10, 45, 0, 3]);
        let request = pfcp_request(&[rule(&v4), rule(&v6), rule(&other)].concat());
        assert_eq!(read(8805, &request), None, "two IPv4 addresses");
        let in_one = element(93, &[&[3][..], &V4, &V6].concat());
        assert_eq!(read(8805, &pfcp_request(&rule(&in_one))), both());
    }

    #[test]
    fn radius_names_an_address_and_a_prefix() {
        let attributes = [&[8, 6][..], &V4, &[97, 12, 0, 64], &V6[..8]].concat();
        let length = (20 + attributes.len() as u16).to_be_bytes();
        let message = [&[4, 1][..], &length, &[0; 16], &attributes].concat();
        assert_eq!(read(1813, &message), both());
        assert_eq!(read(1813, &message[..30]), None);
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        let mut state = 1_u32;
        for length in 0..400 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            for port in [2123, 8805, 1812] {
                read(port, &bytes);
            }
        }
    }
}
