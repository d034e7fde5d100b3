//! The report on an input: counts, problems, warnings.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use crate::decode::Skip;

/// Something that made a part of an input unreadable (`problems[]` of the manifest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The place of the problem, in bytes from the start of the input, after decompression.
    pub offset: u64,
    /// `truncated`, `corrupt_record`, `gzip_truncated`, `gzip_corrupt`, `zstd_truncated`,
    /// `zstd_corrupt` or `read_error`.
    pub kind: &'static str,
    /// What happened and what was lost.
    pub text: String,
}

/// An interface of a capture; classic pcap has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Name that the capturing system gave it.
    pub name: Option<String>,
    /// Number of its link type in the LINKTYPE registry.
    pub link_type: u32,
    /// Bytes kept of each frame; 0 when unlimited or unknown.
    pub snap_length: u32,
}

/// Numbers of records and packets of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records of the capture file that were read.
    pub records: u64,
    /// Records that held an IP packet.
    pub ip_packets: u64,
    /// IP packets with a TCP header.
    pub tcp_packets: u64,
    /// IP packets with a UDP header.
    pub udp_packets: u64,
    /// IP packets of which a tunnel was peeled off.
    pub tunnelled: u64,
    /// Later fragments, which have no ports.
    pub later_fragments: u64,
    /// Records that hold several segments, joined by offload.
    pub super_segments: u64,
    /// Transport headers (or IPv6 extension headers) that the snap length cut.
    pub cut_transport: u64,
    /// Transport headers that contradict themselves.
    pub malformed_transport: u64,
    /// Packets whose IP length exceeds the frame's length on the wire: the file gives a wrong
    /// length for the latter.
    pub length_lies: u64,
    /// Records earlier than the one before.
    pub steps_back: u64,
    /// The largest step back.
    pub largest_step_back: Duration,
    /// Records more than a day later than the one before.
    pub jumps_ahead: u64,
    /// Records of a format without times (pcapng simple packets): they have the time of the record
    /// before.
    pub without_time: u64,
    /// Packets that the capturing system says it dropped (pcapng interface statistics).
    pub dropped: u64,
}

/// How well an input could be read, for the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Read to its end (it may still hold no IP: see [`InputReport::no_ip_reason`]).
    Clean,
    /// A part could not be read; the rest was read.
    Partial,
    /// Not one record could be read.
    Nothing,
}

/// The report on an input.
#[derive(Clone, Debug)]
pub struct InputReport {
    /// Path, or `-`.
    pub name: String,
    /// Bytes of the input as stored; for a pipe, the bytes read.
    pub size_bytes: u64,
    /// `pcap-us-le`, `pcap-ns-be`, `pcapng` and the like; `+gzip` or `+zstd` when compressed.
    pub format: String,
    /// Interfaces in the order of their first mention, over all sections.
    pub interfaces: Vec<Interface>,
    /// Interfaces beyond the first 64, which are listed.
    pub unlisted_interfaces: u64,
    /// Earliest time of a record.
    pub first_time: Option<Instant>,
    /// Latest time of a record.
    pub last_time: Option<Instant>,
    /// How long was recorded: from the first record to the last, steps of the clock back and by
    /// more than a day ahead left out.
    pub recorded: Option<Duration>,
    /// Numbers of records and packets.
    pub counts: Counts,
    /// Records that gave no packet, by reason.
    pub skipped: BTreeMap<Skip, u64>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Problems beyond the hundred that are listed.
    pub unlisted_problems: u64,
    /// Warnings for the reader of the results: steps of the clock, wrong lengths.
    pub warnings: Vec<String>,
}

impl InputReport {
    /// How well the input could be read.
    pub fn outcome(&self) -> Outcome {
        let refused: u64 = self.skipped_by_link_type();
        match (self.counts.records, self.problems.is_empty()) {
            (0, false) => Outcome::Nothing,
            (records, _) if records > 0 && refused == records => Outcome::Nothing,
            (_, true) => Outcome::Clean,
            (_, false) => Outcome::Partial,
        }
    }

    /// Why there is no IP packet, when there is none.
    pub fn no_ip_reason(&self) -> Option<String> {
        if self.counts.ip_packets > 0 {
            return None;
        }
        if self.counts.records == 0 {
            return Some(format!("{}: no packets in the capture", self.name));
        }
        let reasons: Vec<String> =
            self.skipped.iter().map(|(skip, count)| format!("{skip}: {count}")).collect();
        let frames = records(self.counts.records);
        Some(format!("{}: no IP packet in {frames} ({})", self.name, reasons.join("; ")))
    }

    fn skipped_by_link_type(&self) -> u64 {
        let refused = |(skip, _): &(&Skip, &u64)| matches!(skip, Skip::LinkType(_));
        self.skipped.iter().filter(refused).map(|(_, count)| count).sum()
    }
}

/// A number with its noun: `1 record`, `2 records`.
pub(crate) fn records(count: u64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}
