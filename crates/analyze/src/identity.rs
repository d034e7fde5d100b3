//! Defines the columns that identify the flow of a row of `flows`, and say how far its record can
//! be trusted.

use airmile_track::{FlowFacts, VantageSource};
use airmile_types::{Address, Duration, Instant, Protocol, Side, Vantage, columns};

use crate::community_id::community_id;

columns! {
    /// The identity of a flow.
    pub struct IdentityRow {
        /// Number of the flow, unique in a dataset and independent of the number of threads.
        #[unit("")] #[cite("A12")] pub uid: u64,
        /// Community ID version 1, seed 0, for joining with the logs of Zeek and Suricata; null for
        /// protocols other than TCP, UDP and ICMP echo.
        #[unit("")] #[cite("A12")] pub community_id: Option<String>,
        /// The session of the subscriber that the flow belongs to; null for traffic within a link.
        #[unit("")] #[cite("A3")] pub session_id: Option<u64>,
        /// Address by which the phone is known, or its /64; null for traffic within a link.
        #[unit("")] #[cite("A3")] pub subscriber: Option<Address>,
        /// Number of the capture that the flow's first packet is of; `coverage` has its name and
        /// times.
        #[unit("")] #[cite("A1")] pub capture: u32,
        /// GTP-U tunnel (TEID) of the first packet; null outside of tunnels.
        #[unit("")] #[cite("A1")] pub teid: Option<u32>,
        /// Address of the phone.
        #[unit("")] #[cite("A2")] pub ue: Address,
        /// Port of the phone; null for protocols without ports.
        #[unit("")] #[cite("A4")] pub ue_port: Option<u16>,
        /// Address of the server.
        #[unit("")] #[cite("A2")] pub server: Address,
        /// Port of the server; null for protocols without ports.
        #[unit("")] #[cite("A4")] pub server_port: Option<u16>,
        /// Transport protocol: tcp, udp, icmp, other (also TCP whose header is not in the capture).
        #[unit("")] #[cite("A7")] pub protocol: Protocol,
        /// Side that opened the flow: ue, server; null when the capture began in the middle of the
        /// flow.
        #[unit("")] #[cite("A2")] pub initiator: Option<Side>,

        /// Time of the first packet.
        #[unit("ns")] #[cite("A5")] pub start_ns: Instant,

        /// Time of the last packet.
        #[unit("ns")] #[cite("A5")] pub end_ns: Instant,
        /// Time for which the phone was silent before the flow's first packet, at the capture
        /// point: without any packet in either direction, of any protocol and address. Null when
        /// the phone was not seen before, and when the clock has stepped back since.
        #[unit("s")] #[cite("B2")] pub ue_idle_before_s: Option<f64>,

        /// Time from the first to the last packet.
        #[unit("s")] #[cite("A5")] pub duration_s: f64,
        /// How the flow ended: fin, rst, syn_only, reused, idle, memory (ended early, see
        /// `--memory`; later packets belong to another flow), open.
        #[unit("")] #[cite("A4")] pub ending: &'static str,
        /// Faults in the record of the flow, as words joined by commas; empty when there are none:
        /// mid_stream (its start was not seen), one_sided (one direction was not captured),
        /// capture_loss (ACKs for data never seen), capture_duplicates (packets recorded twice),
        /// acks_before_data (ACKs recorded before the data that they acknowledge), super_segments
        /// (several segments in one record), cut_options (TCP options cut by the snap length),
        /// malformed_options (TCP options malformed, or longer than the packet), fragments (segments
        /// in IP fragments), clock_steps (the clock of the capture went back); no_header alone:
        /// packets of TCP or UDP without transport header.
        #[unit("")] #[cite("A10")] pub quality: String,
        /// The place where the flow was captured: ue, monitor, server; null when nothing shows it.
        /// With null the flow is judged as if it was captured at a monitor.
        #[unit("")] #[cite("A11")] pub vantage: Option<Vantage>,
        /// How the vantage is known: given, tunnel (GTP-U), handshake (the flow's own), acks (the
        /// flow's own data and ACKs, where the handshake does not show it), others (most flows
        /// before it).
        #[unit("")] #[cite("A11")] pub vantage_source: Option<&'static str>,
        /// IPv4 address of the server that a NAT64 address (64:ff9b::/96) contains; null for other
        /// addresses.
        #[unit("")] #[cite("A10, RFC 6052 section 2.1")] pub server_nat64: Option<Address>,
    }
}

impl IdentityRow {
    /// Creates the identity of a flow; `quality` lists the faults of its record.
    pub(crate) fn new(flow: &FlowFacts, quality: String) -> Self {
        let ports = matches!(flow.protocol, Protocol::Tcp | Protocol::Udp);
        Self {
            uid: flow.uid,
            community_id: community_id(flow),
            session_id: flow.is_subscribers.then_some(flow.session_id),
            subscriber: flow.subscriber,
            capture: flow.capture,
            teid: flow.teid,
            ue: flow.ue,
            ue_port: ports.then_some(flow.ue_port),
            server: flow.server,
            server_port: ports.then_some(flow.server_port),
            protocol: flow.protocol,
            initiator: flow.initiator,
            start_ns: flow.start,
            end_ns: flow.end,
            ue_idle_before_s: flow
                .ue_idle_before
                .filter(|idle| *idle >= Duration::ZERO)
                .map(Duration::as_secs_f64),
            duration_s: (flow.end - flow.start).as_secs_f64(),
            ending: flow.ending.as_str(),
            quality,
            vantage: flow.vantage,
            vantage_source: flow.vantage_source.map(VantageSource::as_str),
            server_nat64: flow.server.nat64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::script::{Collected, run};

    fn cell(outcome: &Collected, row: usize, column: &str) -> String {
        outcome.table("flows").unwrap().cell(row, column).unwrap().to_string()
    }

    fn vantage(script: &str) -> (String, String) {
        let outcome = run(script).unwrap();
        (cell(&outcome, 0, "vantage"), cell(&outcome, 0, "vantage_source"))
    }

    fn known(vantage: &str, source: &str) -> (String, String) {
        (vantage.to_owned(), source.to_owned())
    }

    /// Methods A11: the two halves of a handshake show the capture point.
    #[test]
    fn a_handshake_shows_the_vantage() {
        let at = |answer: &str, confirm: &str| {
            vantage(&format!("+0 > S 0:0(0)\n+{answer} < S. 0:0(0) ack 1\n+{confirm} > . ack 1"))
        };
        assert_eq!(at(".05", ".0002"), known("ue", "handshake"));
        assert_eq!(at(".0002", ".05"), known("server", "handshake"));
        assert_eq!(at(".02", ".05"), known("monitor", "handshake"));
        assert_eq!(at(".0002", ".0002"), known("null", "null"));
    }

    /// Methods A11: without a handshake, the capture point is at the side whose ACKs follow data at
    /// once.
    #[test]
    fn in_mid_stream_data_and_acks_show_it() {
        let rounds = |ack: &str, next: &str| {
            let (data, echo) = ("< . +1000", "TS val +1 ecr last");
            vantage(&format!(
                "+0 > . ack 1 <TS val 500 ecr 1>\nrepeat 9 {{\n+{next} {data} <{echo}>\n\
                 +0 {data} <{echo}>\n+{ack} > . ack all <{echo}>\n}}"
            ))
        };
        assert_eq!(rounds(".0003", ".06"), known("ue", "acks"));
        assert_eq!(rounds(".06", ".0003"), known("server", "acks"));
        assert_eq!(rounds(".06", ".02"), known("monitor", "acks"));
    }

    #[test]
    fn a_flow_without_evidence_takes_the_vantage_of_most_others() {
        let at_ue = "+0 > S 0:0(0)\n+.05 < S. 0:0(0) ack 1\n+0 > . ack 1\n";
        let at_server =
            "+0 > S 0:0(0) {flow 2}\n+0 < S. 0:0(0) ack 1 {flow 2}\n+.05 > . ack 1 {flow 2}\n";
        let silent = "+1 > . 1:10(9) ack 1 {flow 3}";
        let outcome = run(&format!("{at_ue}{silent}")).unwrap();
        assert_eq!(
            (cell(&outcome, 1, "vantage"), cell(&outcome, 1, "vantage_source")),
            known("ue", "others")
        );
        let outcome = run(&format!("{at_ue}{at_server}{silent}")).unwrap();
        assert_eq!(
            (cell(&outcome, 2, "vantage"), cell(&outcome, 2, "vantage_source")),
            known("null", "null")
        );
    }

    /// Methods A11: a phone that is slow to send one ACK is still the phone.
    #[test]
    fn after_four_flows_at_the_phone_one_slow_ack_shows_no_monitor() {
        let last = |earlier: usize| {
            let flow = |number: usize, confirm: &str| {
                let ends =
                    format!("flow {number} = 10.0.0.1:{} - 203.0.113.9:443\n", 40_000 + number);
                let steps = format!(
                    "+1 > S 0:0(0) {{flow {number}}}\n+.05 < S. 0:0(0) ack 1 {{flow {number}}}\n\
                     +{confirm} > . ack 1 {{flow {number}}}\n"
                );
                (ends, steps)
            };
            let flows: Vec<(String, String)> =
                (1..=earlier).map(|number| flow(number, ".0002")).collect();
            let slow = flow(earlier + 1, ".003");
            let all = || flows.iter().chain([&slow]);
            let ends: String = all().map(|(ends, _)| ends.as_str()).collect();
            let steps: String = all().map(|(_, steps)| steps.as_str()).collect();
            let outcome = run(&format!("{ends}{steps}")).unwrap();
            (cell(&outcome, earlier, "vantage"), cell(&outcome, earlier, "vantage_source"))
        };
        assert_eq!(last(3), known("monitor", "handshake"));
        assert_eq!(last(4), known("ue", "others"));
    }

    /// Methods A2: when no networks are given and no tunnel, private address, SYN or server's port
    /// shows the phone, the phone is the side that receives more.
    #[test]
    fn the_side_that_receives_is_the_phone() {
        let ends = "flow 1 = 198.51.100.7:50000 - 203.0.113.9:50001\n\
                    flow 2 = 198.51.100.7:50002 - 203.0.113.9:50003\n";
        for first in ["+0 < . 1:1401(1400) ack 1", "+0 > . ack 1"] {
            let outcome = run(&format!("{ends}{first}")).unwrap();
            assert_eq!(cell(&outcome, 0, "ue"), "198.51.100.7", "{first}");
        }
        // The bytes that ended flows received count more than the first packet of a new flow.
        let download = "+0 < . 1:1401(1400) ack 1\n+0 < R. ack 1\n";
        let outcome =
            run(&format!("{ends}{download}+60 > . 1:1401(1400) ack 1 {{flow 2}}")).unwrap();
        assert_eq!(cell(&outcome, 1, "ue"), "198.51.100.7");
    }

    /// Methods A2: an upload whose start was not captured looks like a download by the server; only
    /// the port distinguishes the two.
    #[test]
    fn in_mid_stream_the_end_with_a_servers_port_is_the_server() {
        for port in [22, 80, 443, 853, 8080] {
            let ends = format!("flow 1 = 198.51.100.7:50000 - 203.0.113.9:{port}\n");
            for first in ["+0 > . 1:1401(1400) ack 1", "+0 < . ack 1", "+0 < . 1:1401(1400) ack 1"]
            {
                let outcome = run(&format!("{ends}{first}")).unwrap();
                assert_eq!(cell(&outcome, 0, "ue"), "198.51.100.7", "{port}: {first}");
            }
        }
        // A server that received more than it sent is still the server.
        let ends = "flow 1 = 198.51.100.7:50000 - 203.0.113.9:443\n\
                    flow 2 = 198.51.100.7:50002 - 203.0.113.9:50003\n";
        let outcome =
            run(&format!("{ends}+0 > . 1:1401(1400) ack 1\n+60 < . 1:1401(1400) ack 1 {{flow 2}}"));
        assert_eq!(cell(&outcome.unwrap(), 1, "ue"), "198.51.100.7");
    }

    /// The sender of a SYN is the client, whatever the ports are.
    #[test]
    fn a_syn_counts_more_than_a_servers_port() {
        let ends = "flow 1 = 198.51.100.7:443 - 203.0.113.9:50000\n";
        let outcome = run(&format!("{ends}+0 > S 0:0(0)\n+.1 < S. 0:0(0) ack 1")).unwrap();
        assert_eq!(cell(&outcome, 0, "ue"), "198.51.100.7");
    }
}
