//! What became of an input: counts, problems, warnings.

use std::collections::BTreeMap;
use std::io;

use airmile_types::{Duration, Instant};

use crate::decode::{Remarks, Skip};
use crate::packet::{Fragment, Packet, Transport};
use crate::record::DAY_NS;
use crate::window::Window;

/// More problems than this in one input are counted and not listed.
const MAX_PROBLEMS: usize = 100;

/// Something that made a part of an input unreadable (`problems[]` of the manifest).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: bytes from the start of the input, after decompression.
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
    /// Those that held an IP packet.
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
    /// Packets whose IP length exceeds the frame's length on the wire: the writer of the file
    /// lied about the latter.
    pub length_lies: u64,
    /// Records earlier than the one before.
    pub steps_back: u64,
    /// The largest such step.
    pub largest_step_back: Duration,
    /// Records more than a day later than the one before.
    pub jumps_ahead: u64,
    /// Records of a format without times (pcapng simple packets): they got the time before.
    pub without_time: u64,
    /// Packets that the capturing system says it dropped (pcapng interface statistics).
    pub dropped: u64,
}

/// How an input fared, for the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Read to its end (it may still hold no IP: see [`InputReport::no_ip_reason`]).
    Clean,
    /// A part could not be read; the rest was.
    Partial,
    /// Not one record could be read.
    Nothing,
}

/// What became of an input.
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
    /// Earliest time of a record.
    pub first_time: Option<Instant>,
    /// Latest time of a record.
    pub last_time: Option<Instant>,
    /// Numbers of records and packets.
    pub counts: Counts,
    /// Records that gave no packet, by reason.
    pub skipped: BTreeMap<Skip, u64>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Problems beyond the hundred that are listed.
    pub unlisted_problems: u64,
    /// What the reader of the results should know: clock steps, lies about lengths.
    pub warnings: Vec<String>,
}

impl InputReport {
    /// How the input fared.
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

/// What is written down while an input is read.
#[derive(Default)]
pub(crate) struct Log {
    /// `gzip`, `zstd` or nothing.
    coding: Option<&'static str>,
    pub(crate) counts: Counts,
    pub(crate) skipped: BTreeMap<Skip, u64>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) unlisted_problems: u64,
    pub(crate) fractions_beyond_second: u64,
    last: Option<Instant>,
    pub(crate) earliest: Option<Instant>,
    /// Before the last step back.
    latest: Option<Instant>,
}

impl Log {
    /// An empty log of an input that is compressed so.
    pub(crate) fn new(coding: Option<&'static str>) -> Self {
        Self { coding, ..Self::default() }
    }

    /// Counts a record and follows its clock.
    #[inline]
    pub(crate) fn record(&mut self, time: Instant) {
        self.counts.records += 1;
        match self.last {
            Some(last) if time >= last && (time - last).as_nanos().unsigned_abs() < DAY_NS => {
                self.last = Some(time);
            }
            _ => self.odd_time(time),
        }
    }

    /// The first record, or one that does not follow the one before.
    #[cold]
    fn odd_time(&mut self, time: Instant) {
        if let Some(last) = self.last {
            let step = time - last;
            if step < Duration::ZERO {
                self.counts.steps_back += 1;
                self.counts.largest_step_back = self.counts.largest_step_back.max(step.abs());
            } else {
                self.counts.jumps_ahead += 1;
            }
        }
        self.latest = self.latest();
        self.earliest = Some(self.earliest.map_or(time, |t| t.min(time)));
        self.last = Some(time);
    }

    /// The latest time of a record.
    pub(crate) fn latest(&self) -> Option<Instant> {
        self.latest.max(self.last)
    }

    /// Counts a packet.
    #[inline]
    pub(crate) fn packet(&mut self, packet: &Packet<'_>, remarks: Remarks) {
        let counts = &mut self.counts;
        counts.ip_packets += 1;
        match packet.transport {
            Transport::Tcp(_) => counts.tcp_packets += 1,
            Transport::Udp { .. } => counts.udp_packets += 1,
            Transport::Echo { .. } | Transport::None => {}
        }
        counts.super_segments += u64::from(packet.super_segment);
        counts.later_fragments += u64::from(packet.fragment == Fragment::Later);
        if !remarks.is_empty() {
            counts.tunnelled += remarks.count(Remarks::TUNNEL);
            counts.length_lies += remarks.count(Remarks::LENGTH_LIE);
            counts.cut_transport += remarks.count(Remarks::CUT);
            counts.malformed_transport += remarks.count(Remarks::MALFORMED);
        }
    }

    /// Counts a record without packet.
    pub(crate) fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip).or_default() += 1;
    }

    /// Adds a problem.
    pub(crate) fn problem(&mut self, offset: u64, kind: &'static str, text: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { offset, kind, text });
        } else {
            self.unlisted_problems += 1;
        }
    }

    /// The input ended; that is a problem when it did so within something, or by an error.
    pub(crate) fn end(&mut self, window: &mut Window, within: &str, wanted: usize) {
        let (offset, left) = (window.offset(), window.bytes().len());
        if let Some(error) = window.take_failure() {
            let kind = failure_kind(self.coding, &error);
            let text = format!("{}; everything before it was kept", failure_text(kind, &error));
            self.problem(offset + left as u64, kind, text);
        } else if left > 0 {
            let text = format!(
                "the file ends within {within}, after {left} of {wanted} bytes; everything before \
                 it was kept"
            );
            self.problem(offset, "truncated", text);
        }
    }

    /// Reading goes on after something corrupt.
    pub(crate) fn resumed(&mut self, from: u64, to: u64, what: &str) {
        let text = format!("{what}: skipped {} bytes to the next plausible record", to - from);
        self.problem(from, "corrupt_record", text);
    }

    /// Nothing readable follows something corrupt.
    pub(crate) fn lost(&mut self, from: u64, window: &mut Window, what: &str) {
        let bytes = window.offset() - from;
        let text = format!(
            "{what}: no plausible record follows, the last {bytes} bytes are lost; everything \
             before them was kept"
        );
        self.problem(from, "corrupt_record", text);
        if window.take_failure().is_some_and(|e| e.kind() != io::ErrorKind::UnexpectedEof) {
            window.skip(usize::MAX);
        }
    }

    /// What the reader of the results should know, one line each.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let counts = &self.counts;
        let back = format!(
            "the clock steps back, by up to {:.6} s",
            counts.largest_step_back.as_secs_f64()
        );
        [
            (counts.steps_back, back.as_str()),
            (counts.jumps_ahead, "the clock jumps ahead by more than a day"),
            (counts.super_segments, "several segments in one, joined by offload (TSO, GRO)"),
            (
                counts.length_lies,
                "the frame's length is less than the IP packet's, which was taken",
            ),
            (counts.cut_transport, "transport header cut by the snap length"),
            (counts.malformed_transport, "malformed transport header"),
            (counts.without_time, "no time: that of the record before was taken"),
            (self.fractions_beyond_second, "time beyond the resolution that the file announces"),
            (counts.dropped, "dropped by the capturing system, as it says itself"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, text)| format!("{}: {text}", records(count)))
        .collect()
    }
}

fn records(count: u64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}

fn failure_kind(coding: Option<&'static str>, error: &io::Error) -> &'static str {
    let early = error.kind() == io::ErrorKind::UnexpectedEof;
    match coding {
        _ if error.raw_os_error().is_some() => "read_error",
        Some("gzip") if early => "gzip_truncated",
        Some("gzip") => "gzip_corrupt",
        Some("zstd") if early => "zstd_truncated",
        Some("zstd") => "zstd_corrupt",
        _ => "read_error",
    }
}

fn failure_text(kind: &str, error: &io::Error) -> String {
    match kind {
        "gzip_truncated" => "the gzip data ends early".to_owned(),
        "zstd_truncated" => "the zstd data ends early".to_owned(),
        "gzip_corrupt" | "zstd_corrupt" => format!("the compressed data is damaged ({error})"),
        _ => format!("reading failed ({error})"),
    }
}
