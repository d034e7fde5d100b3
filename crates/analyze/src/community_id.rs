//! Computes the Community ID (version 1, seed 0): the flow hash that Zeek, Suricata and Wireshark
//! also print.
//!
//! <https://github.com/corelight/community-id-spec>: the base64 text of the SHA-1 hash over seed,
//! addresses, protocol, a zero byte and ports. The numerically smaller end comes first.

use airmile_track::FlowFacts;
use airmile_types::{Address, Protocol, Side};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

/// The hash of a flow. `None` when its protocol number is no longer known, or when an ICMP flow
/// does not show which side sent the requests.
pub(crate) fn community_id(flow: &FlowFacts) -> Option<String> {
    let (number, ue_port, server_port) = match flow.protocol {
        Protocol::Tcp => (6, flow.ue_port, flow.server_port),
        Protocol::Udp => (17, flow.ue_port, flow.server_port),
        Protocol::Icmp => echo_ports(flow)?,
        Protocol::Other => return None,
    };
    let ue = (flow.ue, ue_port);
    let server = (flow.server, server_port);
    let (first, second) = if ends_in_order(ue, server) { (ue, server) } else { (server, ue) };
    Some(hash(number, first, second))
}

/// The types of echo request and echo reply, which take the place of ports. The type of the request
/// is on the side that sends requests.
fn echo_ports(flow: &FlowFacts) -> Option<(u8, u16, u16)> {
    let (number, request, reply) =
        if flow.ue.as_v4().is_some() { (1, 8, 0) } else { (58, 128, 129) };
    match flow.initiator? {
        Side::Ue => Some((number, request, reply)),
        Side::Server => Some((number, reply, request)),
    }
}

fn ends_in_order(a: (Address, u16), b: (Address, u16)) -> bool {
    a <= b
}

fn hash(protocol: u8, first: (Address, u16), second: (Address, u16)) -> String {
    let mut sha = Sha1::new();
    sha.update([0, 0]);
    for (address, _) in [first, second] {
        match address.as_v4() {
            Some(v4) => sha.update(v4.octets()),
            None => sha.update(address.bits().to_be_bytes()),
        }
    }
    sha.update([protocol, 0]);
    sha.update(first.1.to_be_bytes());
    sha.update(second.1.to_be_bytes());
    format!("1:{}", STANDARD.encode(sha.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v4(text: &str) -> Address {
        Address::from(text.parse::<std::net::IpAddr>().unwrap())
    }

    /// These values come from the specification's list of baselines.
    #[test]
    fn baselines() {
        let tcp = hash(6, (v4("66.35.250.204"), 80), (v4("128.232.110.120"), 34855));
        assert_eq!(tcp, "1:LQU9qZlK+B5F3KDmev6m5PMibrg=");
        let echo = hash(1, (v4("192.168.0.1"), 0), (v4("192.168.0.89"), 8));
        assert_eq!(echo, "1:X0snYXpgwiv9TZtqg64sgzUn6Dk=");
    }
}
