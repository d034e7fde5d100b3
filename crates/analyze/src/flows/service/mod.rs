#![doc = include_str!("service.md")]

use airmile_track::{Analysis, Datagram, Events, FlowFacts, NoEvents, Scope};
use airmile_types::{Direction, Parameters, Protocol, columns};

columns! {
    /// What kind of traffic the flow carries.
    pub struct ServiceRow {
        /// Kind of traffic: http (TCP ports 80 and 8080), https (TCP port 443), dns (port 53), quic
        /// (UDP with an Initial packet, or port 443), other.
        #[unit("")] #[cite("A7")] pub service: &'static str,
    }
}

const DNS: u16 = 53;
const HTTPS: u16 = 443;
const HTTP: [u16; 2] = [80, 8080];

/// The facts about a flow's service that its payload shows and its ports do not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Service {
    quic: bool,
}

airmile_types::held!(Service {});

impl Analysis for Service {
    const NAME: &'static str = "service";
    const PAGE: &'static str = include_str!("service.md");
    const SCOPE: Scope = Scope::Flow;
    const WANTS: Events = Events::NONE;
    type Row = ServiceRow;
    type Event = NoEvents;

    fn on_datagram(&mut self, datagram: &Datagram<'_>, _: &Parameters, _: &mut Vec<NoEvents>) {
        self.quic |= datagram.flow.protocol == Protocol::Udp && is_quic_initial(datagram.payload);
    }

    fn row(&self, flow: &FlowFacts, _: Direction, _: &Parameters) -> ServiceRow {
        ServiceRow { service: self.word(flow) }
    }
}

impl Service {
    /// The name of the service in the tables.
    pub(crate) fn word(&self, flow: &FlowFacts) -> &'static str {
        match (flow.protocol, flow.server_port) {
            _ if is_dns(flow) => "dns",
            (Protocol::Tcp, port) if HTTP.contains(&port) => "http",
            (Protocol::Tcp, HTTPS) => "https",
            (Protocol::Udp, HTTPS) => "quic",
            (Protocol::Udp, _) if self.quic => "quic",
            _ => "other",
        }
    }
}

/// Whether the flow carries DNS.
pub(crate) fn is_dns(flow: &FlowFacts) -> bool {
    matches!(flow.protocol, Protocol::Tcp | Protocol::Udp) && flow.server_port == DNS
}

/// Whether a payload is a QUIC Initial (RFC 9000 section 17.2): long header, fixed bit, a version
/// other than 0 (version negotiation), and the type Initial, which is 0 in version 1 and 1 in
/// version 2 (RFC 9369 section 3.2).
pub(crate) fn is_quic_initial(payload: &[u8]) -> bool {
    const VERSION_2: [u8; 4] = [0x6b, 0x33, 0x43, 0xcf];
    let [first, version @ ..] = payload else { return false };
    let Some(version) = version.first_chunk::<4>() else { return false };
    let initial = if *version == VERSION_2 { 0x10 } else { 0 };
    // One in sixteen random payloads passes the test so far. The versions in use begin with 0 or
    // with a draft's ff.
    let known = *version == VERSION_2 || *version == [0, 0, 0, 1] || version.starts_with(&[0xff, 0, 0]);
    first & 0xf0 == 0xc0 | initial && known
}
