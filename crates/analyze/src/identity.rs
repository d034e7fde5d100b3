//! The columns that say which flow a row of `flows` is about, and how far to trust it.

use airmile_track::FlowFacts;
use airmile_types::{Address, Instant, Protocol, Side, columns};

use crate::community_id::community_id;

columns! {
    /// Which flow it is.
    pub struct IdentityRow {
        /// Number of the flow: unique in a dataset and the same for every number of threads.
        #[unit("")] #[cite("design 4")] pub uid: u64,
        /// Community ID version 1, seed 0: joins with the logs of Zeek and Suricata; null for
        /// protocols other than TCP, UDP and ICMP echo.
        #[unit("")] #[cite("Community ID 1")] pub community_id: Option<String>,
        /// Session of the subscriber that the flow belongs to.
        #[unit("")] #[cite("A3")] pub session_id: u64,
        /// GTP-U tunnel of the first packet; null outside of tunnels.
        #[unit("")] #[cite("A1")] pub teid: Option<u32>,
        /// Address of the phone.
        #[unit("")] #[cite("A2")] pub ue: Address,
        /// Port of the phone; null for protocols without ports.
        #[unit("")] #[cite("A4")] pub ue_port: Option<u16>,
        /// Address of the server.
        #[unit("")] #[cite("A2")] pub server: Address,
        /// Port of the server; null for protocols without ports.
        #[unit("")] #[cite("A4")] pub server_port: Option<u16>,
        /// Transport protocol: tcp, udp, icmp, other.
        #[unit("")] #[cite("A7")] pub protocol: Protocol,
        /// Who opened the flow: ue, server; null when it was met in mid-stream.
        #[unit("")] #[cite("A2")] pub initiator: Option<Side>,
        /// First packet.
        #[unit("ns")] #[cite("A5")] pub start_ns: Instant,
        /// Last packet.
        #[unit("ns")] #[cite("A5")] pub end_ns: Instant,
        /// First to last packet.
        #[unit("s")] #[cite("A5")] pub duration_s: f64,
        /// How it ended: fin, rst, syn_only, reused, idle, open.
        #[unit("")] #[cite("A4")] pub ending: &'static str,
        /// What is wrong with its record, words joined by commas; empty when nothing is:
        /// mid_stream (its start was not seen), one_sided (one direction was not captured),
        /// capture_loss (ACKs for data never seen), capture_duplicates (packets recorded
        /// twice), super_segments (several segments in one record).
        #[unit("")] #[cite("A10")] pub quality: String,
    }
}

impl IdentityRow {
    /// The identity of a flow with the faults of its record.
    pub(crate) fn new(flow: &FlowFacts, quality: String) -> Self {
        let ports = matches!(flow.protocol, Protocol::Tcp | Protocol::Udp);
        Self {
            uid: flow.uid,
            community_id: community_id(flow),
            session_id: flow.session_id,
            teid: flow.teid,
            ue: flow.ue,
            ue_port: ports.then_some(flow.ue_port),
            server: flow.server,
            server_port: ports.then_some(flow.server_port),
            protocol: flow.protocol,
            initiator: flow.initiator,
            start_ns: flow.start,
            end_ns: flow.end,
            duration_s: (flow.end - flow.start).as_secs_f64(),
            ending: flow.ending.as_str(),
            quality,
        }
    }
}
