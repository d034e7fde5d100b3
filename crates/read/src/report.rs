//! Defines the report on an input: counts, problems and warnings.

use std::collections::BTreeMap;

use airmile_types::{Duration, Instant};

use crate::decode::Skip;

/// A part of an input that could not be read (`problems[]` of the manifest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the problem is, in bytes from the start of the decompressed input.
    pub offset: u64,
    /// The kind of problem: `truncated`, `corrupt_record`, `gzip_truncated`, `gzip_corrupt`,
    /// `zstd_truncated`, `zstd_corrupt` or `read_error`.
    pub kind: &'static str,
    /// What happened and what was lost.
    pub text: String,
}

/// An interface of a capture; a classic pcap has exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The name that the capturing system gave the interface.
    pub name: Option<String>,
    /// The number of the link type in the LINKTYPE registry.
    pub link_type: u32,
    /// The number of bytes kept of each frame; 0 if unlimited or unknown.
    pub snap_length: u32,
}

/// The numbers of records and packets of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records of the capture file that were read.
    pub records: u64,
    /// Records that contain an IP packet.
    pub ip_packets: u64,
    /// IP packets with a TCP header.
    pub tcp_packets: u64,
    /// IP packets with a UDP header.
    pub udp_packets: u64,
    /// IP packets that were found in a tunnel.
    pub tunnelled: u64,
    /// IP packets that are nested deeper than tunnels or link headers are read; the headers of the
    /// innermost tunnel that was reached count as theirs.
    pub too_deep: u64,
    /// Fragments after the first, which have no ports.
    pub later_fragments: u64,
    /// Records with several segments that offload joined.
    pub super_segments: u64,
    /// Transport headers or IPv6 extension headers that the snap length cut.
    pub cut_transport: u64,
    /// Transport headers that contradict themselves.
    pub malformed_transport: u64,
    /// Packets whose IP length exceeds the length of the frame on the wire; the file gives a wrong
    /// frame length.
    pub length_lies: u64,
    /// Records with an earlier time than the record before.
    pub steps_back: u64,
    /// The largest step of the clock backwards.
    pub largest_step_back: Duration,
    /// Records that are more than a day later than the record before.
    pub jumps_ahead: u64,
    /// Records of a format without times (pcapng simple packets); they get the time of the record
    /// before.
    pub without_time: u64,
    /// Packets that the capturing system reports to have dropped (pcapng interface statistics).
    pub dropped: u64,
}

/// What the capturing system says of its recording, in the interface statistics of pcapng
/// (draft-ietf-opsawg-pcapng section 4.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The time at which the capture began, perhaps long before its first packet.
    pub start: Option<Instant>,
    /// The time at which the capture ended.
    pub end: Option<Instant>,
    /// Whether it says how many packets it dropped. Otherwise that is unknown, not 0.
    pub tells_drops: bool,
}

impl Recording {
    /// Adds what another interface, or a later block of the same one, says.
    pub(crate) fn add(&mut self, start: Option<Instant>, end: Option<Instant>) {
        self.start = self.start.into_iter().chain(start).min();
        self.end = self.end.max(end);
    }
}

/// How well an input could be read, for the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The input was read to its end; it may still contain no IP packet.
    Clean,
    /// Some parts of the input could not be read; the rest was read.
    Partial,
    /// No record could be read.
    Nothing,
}

/// The report on an input.
#[derive(Clone, Debug)]
pub struct InputReport {
    /// The path of the input, or `-` for standard input.
    pub name: String,
    /// The size of the input as stored, in bytes; for a pipe, the number of bytes read.
    pub size_bytes: u64,
    /// The format, such as `pcap-us-le`, `pcap-ns-be` or `pcapng`; `+gzip` or `+zstd` is added if
    /// the input is compressed.
    pub format: String,
    /// The interfaces in the order in which they first occur, over all sections.
    pub interfaces: Vec<Interface>,
    /// The number of interfaces after the first 64, which are not listed.
    pub unlisted_interfaces: u64,
    /// The earliest time of a record.
    pub first_time: Option<Instant>,
    /// The latest time of a record.
    pub last_time: Option<Instant>,
    /// How long the capture recorded: from the first record to the last, without steps of the clock
    /// backwards or by more than a day forwards.
    pub recorded: Option<Duration>,
    /// What the capturing system says of its recording.
    pub recording: Recording,
    /// Numbers of records and packets.
    pub counts: Counts,
    /// The numbers of records without a packet, by reason.
    pub skipped: BTreeMap<Skip, u64>,
    /// The parts that could not be read.
    pub problems: Vec<Problem>,
    /// The number of problems after the first hundred, which are not listed.
    pub unlisted_problems: u64,
    /// Warnings that concern the results, such as steps of the clock or wrong lengths.
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

    fn skipped_by_link_type(&self) -> u64 {
        let refused = |(skip, _): &(&Skip, &u64)| matches!(skip, Skip::LinkType(_));
        self.skipped.iter().filter(refused).map(|(_, count)| count).sum()
    }
}

/// A number with its noun, such as `1 record` or `2 records`.
pub(crate) fn records(count: u64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}
