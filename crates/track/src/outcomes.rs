//! Defines what the scoreboards find out about one packet.

use airmile_types::{Duration, Instant};

/// The class of a segment's payload, as seen at the capture point (methods C2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentClass {
    /// The segment advances the highest byte seen, or is a keep-alive with a byte from before the
    /// capture.
    New,
    /// The bytes passed before, and no ACK of them has passed: they were lost behind the capture
    /// point.
    Retransmission,
    /// The bytes were already acknowledged by an ACK that passed the capture point.
    Spurious,
    /// The highest segment is sent again after two smoothed RTTs of silence (RFC 8985 section 7.2).
    TailProbe,
    /// The segment fills a hole, late enough to be a retransmission: the first copy was lost before
    /// the capture point.
    UpstreamLoss,
    /// The segment fills a hole too early to be a retransmission: the network changed the order.
    /// The class also holds segments that were recorded after their ACK, and late segments from
    /// before the first byte seen.
    Reordered,
    /// The capture recorded the same packet twice.
    CaptureDuplicate,
    /// One byte that was already acknowledged, sent to get an answer from the peer (RFC 9293
    /// section 3.8.4).
    KeepAlive,
    /// Data beyond the edge of a closed window, or one byte sent despite it (RFC 9293 section
    /// 3.8.6.1).
    WindowProbe,
}

/// The rule by which an ACK is a duplicate (methods C3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateAck {
    /// The ACK number and the window are unchanged (RFC 5681 section 2).
    Strict,
    /// The ACK number is unchanged and the window differs, but there is a new SACK block.
    Sack,
}

/// One RTT sample: from the time at which a byte passed the capture point to the ACK that covers
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttSample {
    /// The length of the sample.
    pub rtt: Duration,
    /// The time at which the byte passed the capture point.
    pub sent: Instant,
    /// Whether the ACK covers a single segment, so that the receiver may have delayed it (RFC 1122
    /// section 4.2.3.2).
    pub single_segment: bool,
}

/// The answer to a tail loss probe (RFC 8985 section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// Since this time the sender had sent nothing and received nothing new.
    pub silent_since: Instant,
    /// The time at which the probe passed the capture point.
    pub sent: Instant,
    /// The offset of the probe's first byte.
    pub start: i64,
    /// The offset after the probe's last byte.
    pub end: i64,
    /// Whether the probe carried old data.
    pub repeated: bool,
    /// Whether the answer shows a loss; otherwise the ACKs were late and the probe was needless.
    pub lost: bool,
}

/// What the scoreboards find out about an ACK, and what it changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AckOutcome {
    pub(crate) acked_bytes: u64,
    pub(crate) probed_bytes: u32,
    pub(crate) delivered_bytes: u64,
    pub(crate) sacked_bytes: u64,
    pub(crate) dsack: Option<(i64, i64)>,
    pub(crate) unneeded_retransmission: bool,
    pub(crate) duplicate: Option<DuplicateAck>,
    pub(crate) rtt: Option<RttSample>,
    pub(crate) sack_rtt: Option<Duration>,
    pub(crate) recorded_twice: bool,
    pub(crate) tail_probe: Option<ProbeAnswer>,
}

/// What an advancing ACK covers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Covered {
    pub(crate) acked_bytes: u64,
    /// The part of `acked_bytes` that no SACK block had reported.
    pub(crate) fresh_bytes: u64,
    pub(crate) rtt: Option<RttSample>,
}

/// What a plain ACK changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainAck {
    pub(crate) covered: Covered,
    pub(crate) recorded_twice: bool,
}

/// What the scoreboards find out about a packet with payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataOutcome {
    pub(crate) class: SegmentClass,
    pub(crate) new_bytes: u32,
    pub(crate) below_highest: bool,
    pub(crate) timeout: bool,
    pub(crate) since_last_data: Option<Duration>,
    /// Whether the ACK of the data was recorded before the data.
    pub(crate) after_its_ack: bool,
    /// What a timeout of the same sender shows about its earlier tail loss probe.
    pub(crate) tail_probe: Option<ProbeAnswer>,
    /// Whether the data may be a tail loss probe with new data.
    pub(crate) may_be_probe: bool,
}
