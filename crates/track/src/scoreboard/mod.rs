//! The byte-interval scoreboard of one direction: what was sent past the tap, what was
//! acknowledged, and what that tells about the sender.

use airmile_types::{Duration, Instant};

/// Data of one sender as the tap saw it.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    next: i64,
    unacked: i64,
}

impl Scoreboard {
    /// Offset after the highest byte sent (SYN and FIN count one each).
    pub const fn next(&self) -> i64 {
        self.next
    }
    /// Highest cumulative acknowledgement.
    pub const fn unacked(&self) -> i64 {
        self.unacked
    }
    /// Bytes in flight between tap and receiver: highest sent minus highest acknowledged.
    pub const fn in_flight_bytes(&self) -> i64 {
        self.next - self.unacked
    }
    /// Largest segment seen, or the announced MSS when none was: the unit of the sender.
    pub const fn mss_bytes(&self) -> u32 {
        1460
    }
    /// Right edge of the receiver's window (ACK + window, never moving back) as announced past
    /// the tap; `None` when the scale is unknown.
    pub const fn right_edge(&self) -> Option<i64> {
        None
    }
    /// The right edge as this sender knew it at `now`: the newest that passed the tap at least
    /// one loop (tap-sender-tap) before (methods C6).
    pub fn right_edge_known(&self, _now: Instant) -> Option<i64> {
        None
    }
    /// Highest cumulative ACK as this sender knew it at `now` (one loop before).
    pub fn ack_known(&self, _now: Instant) -> i64 {
        self.unacked
    }
    /// The receiver's newest window in bytes; `None` when the scale is unknown.
    pub const fn window_bytes(&self) -> Option<u32> {
        None
    }
    /// Least recent loop tap -> this sender -> tap: from the handshake, from echoed timestamps
    /// and from RTTs of data the other way. At a monitor: the upstream RTT for downlink data.
    pub const fn loop_time(&self) -> Option<Duration> {
        None
    }
    /// Least RTT tap -> receiver -> tap over the handshake and all samples.
    pub const fn rtt_min(&self) -> Option<Duration> {
        None
    }
    /// The sender's smoothed RTT, whole path: sample + loop (RFC 6298 section 2).
    pub const fn srtt(&self) -> Option<Duration> {
        None
    }
    /// The sender's retransmission timeout by Linux's rule, SRTT + max(200 ms, 4 RTTVAR)
    /// (methods C5); 1 s while nothing is known (RFC 6298 section 2.1).
    pub const fn rto(&self) -> Duration {
        Duration::from_secs(1)
    }
    /// Last packet with payload.
    pub const fn last_data(&self) -> Option<Instant> {
        None
    }
    /// Last time the cumulative ACK advanced.
    pub const fn last_advance(&self) -> Option<Instant> {
        None
    }
    /// The loss episode in progress, if any (methods T4).
    pub const fn recovery(&self) -> Option<Recovery> {
        None
    }
    /// Payload bytes sent, all.
    pub const fn payload_bytes(&self) -> u64 {
        0
    }
    /// Bytes of sequence space seen.
    pub const fn unique_bytes(&self) -> u64 {
        0
    }
    /// Bytes acknowledged though never seen: lost by the capture.
    pub const fn acked_unseen_bytes(&self) -> u64 {
        0
    }
    /// Bytes reported by SACK above the cumulative ACK.
    pub const fn sacked_bytes(&self) -> u64 {
        0
    }
    /// When the transmission that carried `offset` passed, and whether it was a repeat; `None`
    /// below the cumulative ACK before this packet or in a hole.
    pub fn sent_at(&self, _offset: i64) -> Option<(Instant, bool)> {
        None
    }
}

/// A loss episode in progress (methods T4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// First duplicate ACK, SACKed hole or retransmission.
    pub since: Instant,
    /// Highest byte sent before it (RFC 6582 recover): its ACK ends the episode.
    pub recover: i64,
    /// A retransmission timeout fired in it, and when.
    pub timeout: Option<Instant>,
    /// The sender has retransmitted.
    pub retransmitted: bool,
}
