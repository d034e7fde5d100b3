//! Recognises flows that carry DNS, and the direction of their queries.

use airmile_track::FlowFacts;
use airmile_types::{Direction, Protocol};

const PORT: u16 = 53;

/// The direction of the queries: towards port 53. `None` when the flow is not DNS over UDP.
pub(crate) fn asking(flow: &FlowFacts) -> Option<Direction> {
    match (flow.protocol, flow.server_port, flow.ue_port) {
        (Protocol::Udp, PORT, _) => Some(Direction::Uplink),
        (Protocol::Udp, _, PORT) => Some(Direction::Downlink),
        _ => None,
    }
}
