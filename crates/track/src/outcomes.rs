//! What the scoreboards found out about one packet.

use airmile_types::{Duration, Instant};

/// What a segment's payload is to the tap (methods C2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentClass {
    /// Advances the highest byte seen (or is a keep-alive's byte of before the capture).
    New,
    /// Bytes seen here before and not acknowledged here: lost behind the tap.
    Retransmission,
    /// Bytes already acknowledged here.
    Spurious,
    /// The highest segment once more, after two smoothed RTTs of silence (RFC 8985 section 7.2).
    TailProbe,
    /// Fills a hole never seen here, late enough to be a retransmission: lost before the tap.
    UpstreamLoss,
    /// Fills a hole too early for that: the network changed the order. So does what the capture
    /// recorded after its ACK, and what came late from before the first byte seen.
    Reordered,
    /// The same packet recorded twice.
    CaptureDuplicate,
    /// One byte already acknowledged, to hear from the peer (RFC 9293 section 3.8.4).
    KeepAlive,
    /// Beyond the edge of a closed window, or one byte against it (RFC 9293 section 3.8.6.1).
    WindowProbe,
}

/// The rule that calls an ACK a duplicate (methods C3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateAck {
    /// Same ACK number and same window (RFC 5681 section 2).
    Strict,
    /// Same ACK number, another window, but a new SACK block.
    Sack,
}

/// One RTT sample: from a byte's passing the tap to the ACK that covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttSample {
    /// The sample.
    pub rtt: Duration,
    /// The time at which the byte passed.
    pub sent: Instant,
    /// The ACK covers a single segment, so it may have been delayed (RFC 1122 section 4.2.3.2).
    pub single_segment: bool,
}

/// What became of a tail loss probe (RFC 8985 section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// The sender had sent nothing, and heard nothing new, since then.
    pub silent_since: Instant,
    /// The probe passed.
    pub sent: Instant,
    /// Its first byte.
    pub start: i64,
    /// The offset after its last byte.
    pub end: i64,
    /// It carried old data.
    pub repeated: bool,
    /// A loss shows; otherwise the ACKs were late and the probe was needless.
    pub lost: bool,
}

/// What it changed.
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

/// What an ACK that advances covers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Covered {
    pub(crate) acked_bytes: u64,
    /// The part of these bytes that no SACK block had reported.
    pub(crate) fresh_bytes: u64,
    pub(crate) rtt: Option<RttSample>,
}

/// What a plain ACK changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainAck {
    pub(crate) covered: Covered,
    pub(crate) recorded_twice: bool,
}

/// What it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataOutcome {
    pub(crate) class: SegmentClass,
    pub(crate) new_bytes: u32,
    pub(crate) below_highest: bool,
    pub(crate) timeout: bool,
    pub(crate) since_last_data: Option<Duration>,
    /// Its ACK was recorded before it.
    pub(crate) after_its_ack: bool,
    /// What the sender's own timeout shows of a tail loss probe before it.
    pub(crate) tail_probe: Option<ProbeAnswer>,
    /// It may be a tail loss probe of new data.
    pub(crate) may_be_probe: bool,
}
