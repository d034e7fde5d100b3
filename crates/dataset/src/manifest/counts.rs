//! Numbers of records and packets.

use airmile_read::Counts;
use serde::Serialize;

/// Numbers of records and packets of one input or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct InputCounts {
    /// Records of the capture file.
    pub packets: u64,
    /// Records of the capture file that held an IP packet.
    pub ip_packets: u64,
    /// IP packets with a TCP header.
    pub tcp_packets: u64,
    /// IP packets with a UDP header.
    pub udp_packets: u64,
    /// IP packets of which a tunnel was peeled off.
    pub tunnelled_packets: u64,
    /// Later fragments.
    pub later_fragments: u64,
    /// Records that hold several segments, joined by offload.
    pub super_segments: u64,
    /// Transport headers cut by the snap length.
    pub cut_headers: u64,
    /// Packets that the capturing system says it dropped.
    pub dropped_packets: u64,
    /// Packets whose IP length exceeds the frame's length on the wire.
    pub length_lies: u64,
    /// Transport headers that contradict themselves.
    pub malformed_headers: u64,
    /// Records of a format without times.
    pub records_without_time: u64,
    /// Records earlier than the one before.
    pub clock_steps_back: u64,
    /// The largest of these steps in seconds; of several inputs the largest.
    pub largest_clock_step_s: f64,
    /// Records more than a day later than the one before.
    pub clock_jumps_ahead: u64,
}

impl InputCounts {
    /// What the reader counted.
    pub(super) const fn new(counts: &Counts) -> Self {
        Self {
            packets: counts.records,
            ip_packets: counts.ip_packets,
            tcp_packets: counts.tcp_packets,
            udp_packets: counts.udp_packets,
            tunnelled_packets: counts.tunnelled,
            later_fragments: counts.later_fragments,
            super_segments: counts.super_segments,
            cut_headers: counts.cut_transport,
            dropped_packets: counts.dropped,
            length_lies: counts.length_lies,
            malformed_headers: counts.malformed_transport,
            records_without_time: counts.without_time,
            clock_steps_back: counts.steps_back,
            largest_clock_step_s: counts.largest_step_back.as_nanos() as f64 / 1e9,
            clock_jumps_ahead: counts.jumps_ahead,
        }
    }

    /// Those of another input on top.
    pub(super) const fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.ip_packets += other.ip_packets;
        self.tcp_packets += other.tcp_packets;
        self.udp_packets += other.udp_packets;
        self.tunnelled_packets += other.tunnelled_packets;
        self.later_fragments += other.later_fragments;
        self.super_segments += other.super_segments;
        self.cut_headers += other.cut_headers;
        self.dropped_packets += other.dropped_packets;
        self.length_lies += other.length_lies;
        self.malformed_headers += other.malformed_headers;
        self.records_without_time += other.records_without_time;
        self.clock_steps_back += other.clock_steps_back;
        self.largest_clock_step_s = self.largest_clock_step_s.max(other.largest_clock_step_s);
        self.clock_jumps_ahead += other.clock_jumps_ahead;
    }
}
