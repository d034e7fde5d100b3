//! Defines the manifest's numbers of records and packets.

use airmile_read::Counts;
use serde::Serialize;

/// The numbers of records and packets, of one input or of all inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct InputCounts {
    /// Records of the capture file.
    pub packets: u64,
    /// Records of the capture file that contained an IP packet.
    pub ip_packets: u64,
    /// IP packets with a TCP header.
    pub tcp_packets: u64,
    /// IP packets with a UDP header.
    pub udp_packets: u64,
    /// IP packets from which a tunnel header was removed.
    pub tunnelled_packets: u64,
    /// IP packets below more nested tunnels or link headers than are read; the packet of the
    /// innermost tunnel that was reached counts instead.
    pub too_deep_packets: u64,
    /// IP fragments other than the first of their packet.
    pub later_fragments: u64,
    /// Records that contain several segments, joined by segmentation offload.
    pub super_segments: u64,
    /// Packets whose transport header the snap length cut.
    pub cut_headers: u64,
    /// Packets that the capturing system reports as dropped.
    pub dropped_packets: u64,
    /// Packets whose IP length exceeds the length of their frame on the wire.
    pub length_lies: u64,
    /// Packets whose transport header contradicts itself.
    pub malformed_headers: u64,
    /// Records of a format that has no times.
    pub records_without_time: u64,
    /// Records earlier than the record before.
    pub clock_steps_back: u64,
    /// The largest step of a record back in time, in seconds; for several inputs, the largest of
    /// all.
    pub largest_clock_step_s: f64,
    /// Records more than a day later than the record before.
    pub clock_jumps_ahead: u64,
}

impl InputCounts {
    /// The counts of the reader.
    pub(super) const fn new(counts: &Counts) -> Self {
        Self {
            packets: counts.records,
            ip_packets: counts.ip_packets,
            tcp_packets: counts.tcp_packets,
            udp_packets: counts.udp_packets,
            tunnelled_packets: counts.tunnelled,
            too_deep_packets: counts.too_deep,
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

    /// Adds the counts of another input.
    pub(super) const fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.ip_packets += other.ip_packets;
        self.tcp_packets += other.tcp_packets;
        self.udp_packets += other.udp_packets;
        self.tunnelled_packets += other.tunnelled_packets;
        self.too_deep_packets += other.too_deep_packets;
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
