//! Counts the totals of all flows, whichever transfers are judged.

use std::collections::{BTreeMap, HashSet};
use std::net::IpAddr;

use serde::Serialize;

use super::cells::{Cells, Place, at};
use super::held::Held;

/// Counts over the rows of `flows`; a sum is null when none of its values is known.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowTotals {
    /// The number of flows.
    pub flows: u64,
    /// The number of TCP flows.
    pub tcp_flows: u64,
    /// The number of different addresses of phones that exchange data with another host.
    pub ues: u64,
    /// The time of the earliest first packet.
    pub start_ns: Option<i64>,
    /// The time of the latest last packet.
    pub end_ns: Option<i64>,
    /// The number of packets in both directions.
    pub packets: i128,
    /// Payload from the phones, in bytes.
    pub ul_payload_bytes: i128,
    /// Payload to the phones, in bytes.
    pub dl_payload_bytes: i128,
    /// Payload of TCP in both directions, in bytes.
    pub tcp_payload_bytes: Option<i128>,
    /// The number of TCP packets in both directions.
    pub tcp_packets: Option<i128>,
    /// The number of retransmitted packets from the phones.
    pub ul_retransmissions: Option<i128>,
    /// The number of retransmitted packets to the phones.
    pub dl_retransmissions: Option<i128>,
    /// The number of retransmission timeouts of senders.
    pub timeouts_seen: Option<i128>,
    /// The number of TCP flows in a GTP-U tunnel.
    pub tunnelled_flows: u64,
    /// The number of flows whose tunnel showed where they were captured.
    pub vantage_by_tunnel: u64,
    /// The number of flows with each word of `quality`.
    pub faults: BTreeMap<String, u64>,
    /// The amount of each fault, in bytes or packets of both directions.
    pub amounts: BTreeMap<&'static str, i128>,
    /// Flows and payload by kind: tcp, quic, udp, icmp, other, no_header.
    pub kinds: BTreeMap<&'static str, KindTotals>,
}

/// Traffic of one kind.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct KindTotals {
    /// The number of flows.
    pub flows: u64,
    /// The payload in both directions, in bytes.
    pub bytes: i128,
}

/// The counts, and the addresses by which phones are distinguished.
#[derive(Default)]
pub(super) struct Totals {
    sums: FlowTotals,
    phones: HashSet<IpAddr>,
}

/// The columns, of both directions, that give the amount of a fault.
const AMOUNTS: [(&str, [Place; 2]); 5] = [
    ("capture_lost_bytes", [at!("ul_capture_lost_bytes"), at!("dl_capture_lost_bytes")]),
    ("recorded_twice", [at!("ul_recorded_twice"), at!("dl_recorded_twice")]),
    ("recorded_late", [at!("ul_recorded_late"), at!("dl_recorded_late")]),
    ("cut_options", [at!("ul_cut_options"), at!("dl_cut_options")]),
    ("clock_steps", [at!("ul_clock_steps"), at!("dl_clock_steps")]),
];

impl Totals {
    /// Counts a flow.
    pub(super) fn add(&mut self, cells: &Cells) {
        let sums = &mut self.sums;
        let [ul_packets, dl_packets] =
            [at!("ul_packets"), at!("dl_packets")].map(|at| cells.number(at));
        let [ul_payload, dl_payload] =
            [at!("ul_payload_bytes"), at!("dl_payload_bytes")].map(|at| cells.number(at));
        sums.flows += 1;
        sums.start_ns = sums.start_ns.into_iter().chain(cells.number(at!("start_ns"))).min();
        sums.end_ns = sums.end_ns.max(cells.number(at!("end_ns")));
        sums.packets += known(ul_packets) + known(dl_packets);
        sums.ul_payload_bytes += known(ul_payload);
        sums.dl_payload_bytes += known(dl_payload);
        if cells.text(at!("protocol")) == Some("tcp") {
            sums.tcp_flows += 1;
            add(&mut sums.tcp_payload_bytes, both(ul_payload, dl_payload));
            add(&mut sums.tcp_packets, both(ul_packets, dl_packets));
        }
        add(&mut sums.ul_retransmissions, cells.number(at!("ul_retransmissions")).map(i128::from));
        add(&mut sums.dl_retransmissions, cells.number(at!("dl_retransmissions")).map(i128::from));
        add(&mut sums.timeouts_seen, cells.number(at!("timeouts_seen")).map(i128::from));
        let is_tcp = cells.text(at!("protocol")) == Some("tcp");
        sums.tunnelled_flows += u64::from(is_tcp && cells.number(at!("teid")).is_some());
        let by_tunnel = cells.text(at!("vantage_source")) == Some("tunnel");
        sums.vantage_by_tunnel += u64::from(by_tunnel);
        sums.add_faults(cells);
        sums.add_kind(cells, known(ul_payload) + known(dl_payload));
        self.add_phone(cells);
    }

    /// Counts the phone of a flow between two hosts (methods A2).
    fn add_phone(&mut self, cells: &Cells) {
        let phone = cells.text(at!("subscriber")).and_then(|text| text.parse::<IpAddr>().ok());
        let Some(phone) = phone.filter(|phone| !self.phones.contains(phone)) else { return };
        let silent = cells.number(at!("dl_packets")).unwrap_or_default() == 0;
        let broadcast =
            silent && cells.text(at!("server")).is_some_and(|text| text.ends_with(".255"));
        if !broadcast {
            self.phones.insert(phone);
        }
    }

    /// Adds the totals of another shard.
    pub(super) fn merge(&mut self, other: Self) {
        self.sums.merge(other.sums);
        self.phones.extend(other.phones);
    }

    /// How much data is kept because it cannot be added up.
    pub(super) fn held(&self) -> Held {
        Held { phones: self.phones.len(), ..Held::default() }
    }

    /// The counts.
    pub(super) fn finish(self) -> FlowTotals {
        FlowTotals { ues: self.phones.len() as u64, ..self.sums }
    }
}

impl FlowTotals {
    fn add_faults(&mut self, cells: &Cells) {
        let words = cells.text(at!("quality")).unwrap_or_default();
        for word in words.split(',').filter(|_| !words.is_empty()) {
            if let Some(flows) = self.faults.get_mut(word) {
                *flows += 1;
            } else {
                self.faults.insert(word.to_owned(), 1);
            }
        }
        for (name, ways) in AMOUNTS {
            let sum: i128 = ways.iter().map(|at| known(cells.number(*at))).sum();
            *self.amounts.entry(name).or_default() += sum;
        }
    }

    fn add_kind(&mut self, cells: &Cells, bytes: i128) {
        let kind = self.kinds.entry(kind(cells)).or_default();
        kind.flows += 1;
        kind.bytes += bytes;
    }

    fn merge(&mut self, other: Self) {
        self.flows += other.flows;
        self.tcp_flows += other.tcp_flows;
        self.start_ns = self.start_ns.into_iter().chain(other.start_ns).min();
        self.end_ns = self.end_ns.max(other.end_ns);
        self.packets += other.packets;
        self.ul_payload_bytes += other.ul_payload_bytes;
        self.dl_payload_bytes += other.dl_payload_bytes;
        add(&mut self.tcp_payload_bytes, other.tcp_payload_bytes);
        add(&mut self.tcp_packets, other.tcp_packets);
        add(&mut self.ul_retransmissions, other.ul_retransmissions);
        add(&mut self.dl_retransmissions, other.dl_retransmissions);
        add(&mut self.timeouts_seen, other.timeouts_seen);
        self.tunnelled_flows += other.tunnelled_flows;
        self.vantage_by_tunnel += other.vantage_by_tunnel;
        for (word, flows) in other.faults {
            *self.faults.entry(word).or_default() += flows;
        }
        for (name, amount) in other.amounts {
            *self.amounts.entry(name).or_default() += amount;
        }
        for (name, more) in other.kinds {
            let kind = self.kinds.entry(name).or_default();
            kind.flows += more.flows;
            kind.bytes += more.bytes;
        }
    }
}

/// The kind of traffic of a flow (methods F1).
fn kind(cells: &Cells) -> &'static str {
    let quic_port = cells.number(at!("server_port")) == Some(443);
    match (cells.text(at!("protocol")), cells.text(at!("service"))) {
        (Some("tcp"), _) => "tcp",
        (Some("icmp"), _) => "icmp",
        (Some("udp"), Some("quic")) => "quic",
        (Some("udp"), None) if quic_port => "quic",
        (Some("udp"), _) => "udp",
        _ if cells.text(at!("quality")) == Some("no_header") => "no_header",
        _ => "other",
    }
}

fn known(value: Option<i64>) -> i128 {
    value.unwrap_or_default().into()
}

fn both(one: Option<i64>, other: Option<i64>) -> Option<i128> {
    one.zip(other).map(|(one, other)| i128::from(one) + i128::from(other))
}

/// Adds a value if it is known; a sum stays unknown until one value is.
pub(super) fn add(sum: &mut Option<i128>, more: Option<i128>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or_default() + more);
    }
}
