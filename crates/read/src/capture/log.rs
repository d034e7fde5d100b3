//! Collects counts and problems while an input is read; the report on the input is made from them.

use std::collections::BTreeMap;
use std::io;

use airmile_types::{Duration, Instant};

use crate::capture::record::DAY_NS;
use crate::capture::window::Window;
use crate::decode::{MAX_LAYERS, MAX_TUNNELS, Remarks, Skip};
use crate::open::handles::is_of_reading;
use crate::packet::{Fragment, Packet, Transport};
use crate::report::{Counts, Problem, Recording, records};

/// The greatest number of problems that are listed for an input; more are only counted.
const MAX_PROBLEMS: usize = 100;
/// The greatest number of interfaces of one device that are counted; iPhones have about twenty.
const MAX_INTERFACES: usize = 64;
/// The number of interfaces of one device that a warning names.
const LISTED_INTERFACES: usize = 5;

/// The data from which the report on an input is made.
#[derive(Default)]
pub(crate) struct Log {
    /// The compression of the input, `gzip` or `zstd`; `None` if it is not compressed.
    coding: Option<&'static str>,
    /// The numbers of records and packets. `ip_packets` does not include the packets counted as TCP
    /// or UDP (see [`Log::counts`]).
    pub(crate) counts: Counts,
    pub(crate) skipped: BTreeMap<Skip, u64>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) unlisted_problems: u64,
    pub(crate) fractions_beyond_second: u64,
    /// The number of packet records that contradict themselves.
    pub(crate) unreadable_records: u64,
    /// The interfaces of a device that the packets of its PKTAP capture passed, with their numbers
    /// of packets.
    passed: BTreeMap<String, u64>,
    first: Option<Instant>,
    last: Option<Instant>,
    /// The sum of the steps of the clock backwards, or by more than a day forwards, which no
    /// capture makes by itself.
    odd_steps: Duration,
    pub(crate) earliest: Option<Instant>,
    /// The latest time before the last step of the clock backwards.
    latest: Option<Instant>,
    /// What the capturing system says of its recording.
    pub(crate) recording: Recording,
}

impl Log {
    /// An empty log of an input that is compressed with `coding`.
    pub(crate) fn new(coding: Option<&'static str>) -> Self {
        Self { coding, ..Self::default() }
    }

    /// Counts a record that is later than the one before by less than a day.
    #[inline]
    pub(crate) const fn ordinary_record(&mut self, time: Instant) {
        self.counts.records += 1;
        self.last = Some(time);
    }

    /// Counts a record, and checks its time against the record before.
    #[inline]
    pub(crate) fn record(&mut self, time: Instant) {
        self.counts.records += 1;
        // Before the first record `last` is absent, so the comparison is false.
        let ordinary = self.last.is_some_and(|last| {
            let step = time.as_nanos().wrapping_sub(last.as_nanos());
            (step as u64) <= DAY_NS
        });
        if !ordinary {
            self.odd_time(time);
        }
        self.last = Some(time);
    }

    /// Handles the first record, and records whose time does not follow that of the record before.
    #[cold]
    fn odd_time(&mut self, time: Instant) {
        if let Some(last) = self.last {
            let step = time - last;
            self.odd_steps += step;
            if step < Duration::ZERO {
                self.counts.steps_back += 1;
                self.counts.largest_step_back = self.counts.largest_step_back.max(step.abs());
            } else {
                self.counts.jumps_ahead += 1;
            }
        }
        self.first.get_or_insert(time);
        self.latest = self.latest();
        self.earliest = Some(self.earliest.map_or(time, |t| t.min(time)));
    }

    /// The latest time of a record.
    pub(crate) fn latest(&self) -> Option<Instant> {
        self.latest.max(self.last)
    }

    /// How long the capture recorded: from the first record to the last, without odd steps of the
    /// clock.
    pub(crate) fn recorded(&self) -> Option<Duration> {
        Some(self.last? - self.first? - self.odd_steps)
    }

    /// The number of the newest record that was read. As in Wireshark, all packet records count,
    /// whatever they contain.
    #[inline]
    pub(crate) const fn frame(&self) -> u64 {
        self.counts.records + self.unreadable_records
    }

    /// The numbers of records and packets so far.
    pub(crate) fn counts(&self) -> Counts {
        let counts = self.counts.clone();
        let ip_packets = counts.ip_packets + counts.tcp_packets + counts.udp_packets;
        Counts { ip_packets, ..counts }
    }

    /// Counts a packet with a TCP header and no remarks.
    #[inline]
    pub(crate) const fn tcp_packet(&mut self, is_super_segment: bool) {
        self.counts.tcp_packets += 1;
        if is_super_segment {
            self.counts.super_segments += 1;
        }
    }

    /// Counts a packet with a TCP or UDP header that a fast decoder read.
    #[inline]
    pub(crate) const fn plain_packet(&mut self, tcp: bool, super_segment: bool, tunnelled: bool) {
        self.counts.tcp_packets += tcp as u64;
        self.counts.udp_packets += !tcp as u64;
        self.counts.super_segments += super_segment as u64;
        self.counts.tunnelled += tunnelled as u64;
    }

    /// Counts a packet, and what the decoder noticed about it.
    pub(crate) fn packet(&mut self, packet: &Packet<'_>, remarks: Remarks) {
        let counts = &mut self.counts;
        let ports = matches!(packet.transport, Transport::Tcp(_) | Transport::Udp { .. });
        counts.ip_packets += u64::from(!ports);
        counts.tcp_packets += u64::from(matches!(packet.transport, Transport::Tcp(_)));
        counts.udp_packets += u64::from(matches!(packet.transport, Transport::Udp { .. }));
        if packet.super_segment || packet.fragment != Fragment::Whole {
            counts.super_segments += u64::from(packet.super_segment);
            counts.later_fragments += u64::from(packet.fragment == Fragment::Later);
        }
        if !remarks.is_empty() {
            counts.tunnelled += remarks.count(Remarks::TUNNEL);
            counts.too_deep += remarks.count(Remarks::TOO_DEEP);
            counts.length_lies += remarks.count(Remarks::LENGTH_LIE);
            counts.cut_transport += remarks.count(Remarks::CUT);
            counts.malformed_transport += remarks.count(Remarks::MALFORMED);
        }
    }

    /// Counts a packet that passed this interface of the device that captured.
    pub(crate) fn passed(&mut self, interface: &str) {
        if let Some(packets) = self.passed.get_mut(interface) {
            *packets += 1;
        } else if self.passed.len() < MAX_INTERFACES {
            self.passed.insert(interface.to_owned(), 1);
        }
    }

    /// A warning if the packets passed several interfaces: those of Wi-Fi and of loopback say
    /// nothing about the cellular link.
    fn several_interfaces(&self) -> Option<String> {
        let mut passed: Vec<_> = self.passed.iter().collect();
        passed.sort_by_key(|(_, packets)| std::cmp::Reverse(**packets));
        let listed = passed.iter().take(LISTED_INTERFACES);
        let listed: Vec<_> = listed.map(|(name, packets)| format!("{name} {packets}")).collect();
        let more = if passed.len() > listed.len() { ", ..." } else { "" };
        (passed.len() > 1).then(|| {
            format!(
                "packets of several interfaces of the device: {}{more}; only those of the cellular \
                 interface show its link (on an iPhone: pdp_ip)",
                listed.join(", ")
            )
        })
    }

    /// Counts a record without a packet, by reason.
    pub(crate) fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip).or_default() += 1;
    }

    /// Adds a problem, or only counts it if many are listed already.
    pub(crate) fn problem(&mut self, offset: u64, kind: &'static str, text: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { offset, kind, text });
        } else {
            self.unlisted_problems += 1;
        }
    }

    /// Notes that the input has ended. It is a problem if the input ended within a record or
    /// because of an error.
    pub(crate) fn end(&mut self, window: &mut Window, within: &str, wanted: usize) {
        let (offset, left) = (window.offset(), window.bytes().len());
        if !self.failed(window) && left > 0 {
            let text = format!(
                "the file ends within {within}, after {left} of {wanted} bytes; everything before \
                 it was kept"
            );
            self.problem(offset, "truncated", text);
        }
    }

    /// Notes the error that ended the input; returns whether there was one.
    fn failed(&mut self, window: &mut Window) -> bool {
        let Some(error) = window.take_failure() else { return false };
        let kind = failure_kind(self.coding, &error);
        let text = format!("{}; everything before it was kept", failure_text(kind, &error));
        self.problem(window.offset() + window.bytes().len() as u64, kind, text);
        true
    }

    /// Notes that reading continues after a corrupt part.
    pub(crate) fn resumed(&mut self, from: u64, to: u64, what: &str) {
        let text = format!("{what}: skipped {} bytes to the next plausible record", to - from);
        self.problem(from, "corrupt_record", text);
    }

    /// Notes that nothing readable follows a corrupt part.
    pub(crate) fn lost(&mut self, from: u64, window: &mut Window, what: &str) {
        let bytes = window.offset() - from;
        let text = format!(
            "{what}: no plausible record follows, the last {bytes} bytes are lost; everything \
             before them was kept"
        );
        self.problem(from, "corrupt_record", text);
        self.failed(window);
    }

    /// The warnings that concern the results, one line each. `given_up` is the number of fragmented
    /// datagrams that were not joined, `incomplete` that of TCP segments of which fragments are
    /// missing.
    pub(crate) fn warnings(&self, given_up: u64, incomplete: u64) -> Vec<String> {
        let counts = &self.counts;
        let back = format!(
            "the clock steps back, by up to {:.6} s",
            counts.largest_step_back.as_secs_f64()
        );
        let deep = format!(
            "nested deeper than {MAX_TUNNELS} tunnels or {MAX_LAYERS} link headers; the inner \
             headers were not read, and the innermost tunnel that was reached counts as the packet"
        );
        [
            (counts.steps_back, back.as_str()),
            (counts.jumps_ahead, "the clock jumps ahead by more than a day"),
            (counts.super_segments, "several segments in one, joined by offload (TSO, GRO)"),
            (
                counts.length_lies,
                "the frame's length is less than the IP packet's, which was taken",
            ),
            (counts.too_deep, deep.as_str()),
            (given_up, GIVEN_UP),
            (incomplete, INCOMPLETE),
            (counts.cut_transport, "transport header cut by the snap length"),
            (counts.malformed_transport, "malformed transport header"),
            (counts.without_time, "no time: that of the record before was taken"),
            (self.fractions_beyond_second, "time beyond the resolution that the file announces"),
            (counts.dropped, "dropped by the capturing system, as it says itself"),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, text)| format!("{}: {text}", records(count)))
        .chain(self.several_interfaces())
        .collect()
    }
}

/// What to know about datagrams that were not joined.
const GIVEN_UP: &str = "a packet in fragments that overlap or cannot be (RFC 8200 section 4.5), or \
                        that were too many to be kept; the packet was not read";

/// What to know about TCP segments of which fragments are missing.
const INCOMPLETE: &str = "a TCP segment in IP fragments that are not all in the capture; the \
                          segment was not read";

fn failure_kind(coding: Option<&'static str>, error: &io::Error) -> &'static str {
    let early = error.kind() == io::ErrorKind::UnexpectedEof;
    match coding {
        _ if is_of_reading(error) => "read_error",
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
