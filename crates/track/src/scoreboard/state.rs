//! Defines the state of the scoreboard of one direction, and the limits that apply to it.

use airmile_types::{Instant, Maybe};

use super::gate::Gate;
use super::judged::{Judged, PureAck};
use super::least::Least;
use super::path::Loop;
use super::probes::{TailProbe, WindowProbe};
use super::ranges::Ranges;
use super::recent::{Fragmented, Recent};
use super::reported::Reported;
use super::timer::Timer;
use super::unit::{LEAST_MSS_BYTES, Unit};
use super::unseen::Unseen;
use super::window::{Heard, Window};

/// What is known of one sender's data, as seen at the capture point.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// The sequence number of offset 0; `None` until a packet shows it.
    pub(super) origin: Option<u32>,
    /// Which packets may take the plain lane now.
    pub(super) gate: Gate,
    pub(super) next: i64,
    /// The offset after the highest byte of payload; a FIN does not count.
    pub(super) data_end: i64,
    pub(super) unacked: i64,
    /// In a flow that begins in mid-stream with ACKs: the number of bytes from the first ACK to the
    /// first data.
    pub(super) before_bytes: i64,
    pub(super) ranges: Ranges,
    pub(super) window: Window,
    pub(super) path: Loop,
    /// What the sender knew at its newest data, stored because several analyses need it.
    pub(super) known: Known,
    pub(super) timer: Timer,
    pub(super) rtt_min: Least,
    pub(super) announced_mss: Option<u16>,
    /// Whether both ends support SACK.
    pub(super) sacks: bool,
    pub(super) largest_payload: u32,
    /// The offset at which the first segment of that size began, or the first merged packet, whose
    /// segments are full.
    pub(super) largest_start: i64,
    pub(super) has_merged: bool,
    /// What merged packets show of the size of segments.
    pub(super) unit: Unit,
    pub(super) options_bytes: u8,
    /// The size of the sender's full segments, stored because each packet needs it several times.
    pub(super) mss: Mss,
    pub(super) first_data: Maybe<Instant>,
    pub(super) last_data: Maybe<Instant>,
    pub(super) last_advance: Maybe<Instant>,
    pub(super) last_window_field: Option<u16>,
    pub(super) acked_once: bool,
    /// The newest segment that came in IP fragments, of which only the first has ports and sequence
    /// numbers.
    pub(super) fragment: Option<Box<Fragmented>>,
    /// The newest ACK number that was ignored because it was implausible; 0 for none.
    pub(super) doubted: i64,
    /// In a flow without SACK: the end of the highest segment that duplicate ACKs have reported.
    pub(super) duplicates_end: i64,
    /// What SACK blocks have reported; `None` in a flow without SACK blocks.
    pub(super) reported: Option<Box<Reported>>,
    pub(super) highest_sacked: i64,
    pub(super) last_pure: Option<PureAck>,
    pub(super) ack_ids_vary: bool,
    /// Whether a keep-alive of this sender was sent that no duplicate of an ACK has answered yet.
    pub(super) kept_alive: bool,
    pub(super) recovery: Option<Box<Recovery>>,
    pub(super) payload_bytes: u64,
    pub(super) unique_bytes: u64,
    pub(super) acked_unseen_bytes: u64,
    /// Bytes that were acknowledged before they were seen, or never seen; `None` in a flow without
    /// such bytes.
    pub(super) unseen: Option<Box<Unseen>>,
    /// Whether the SYN has passed.
    pub(super) synchronized: bool,
    /// Whether the sender's FIN has passed, so that no window limits the sender any more.
    pub(super) finished: bool,
    /// Data beyond the edge of a closed window that no ACK has covered yet.
    pub(super) probe: Option<Box<WindowProbe>>,
    pub(super) sacked_bytes: u64,
    pub(super) recent: Recent,
    /// What is known of retransmissions; `None` in a flow without retransmissions.
    pub(super) judged: Option<Box<Judged>>,
    /// A tail loss probe that waits for its answer.
    pub(super) tail_probe: Option<Box<TailProbe>>,
    /// The time of the newest retransmission.
    pub(super) last_repeat: Maybe<Instant>,
    /// The time of the first ACK that reported data sent after the newest retransmission of the
    /// first unacknowledged byte.
    pub(super) overtaken: Maybe<Instant>,
}

const _: () = assert!(size_of::<Scoreboard>() <= 776, "each live TCP flow holds two");

/// The size of the sender's full segments in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mss(pub(super) u32);

impl Default for Mss {
    fn default() -> Self {
        Self(LEAST_MSS_BYTES)
    }
}

/// The ACK and the right edge that the sender knew at one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) at: Instant,
    pub(super) ack: i64,
    pub(super) right: Maybe<i64>,
    /// How far the ACK of the packet that announced the edge lies below `ack`, and its window field.
    pub(super) behind: u32,
    pub(super) field: u16,
    /// Whether an ACK has passed.
    pub(super) announced: bool,
}

impl Known {
    /// Nothing is stored: no packet passes at this instant.
    pub(super) const NOTHING: Self = Self {
        at: Instant::MIN,
        ack: 0,
        right: Maybe::NONE,
        behind: 0,
        field: 0,
        announced: false,
    };

    /// What the sender knew at an instant, if it knew more than that its data is unacknowledged.
    pub(super) fn new(at: Instant, heard: Option<Heard>, unacked: i64) -> Self {
        let Some(Heard { ack, right, announced: (from, field) }) = heard else {
            return Self { at, ack: unacked, ..Self::NOTHING };
        };
        let ack = ack.min(unacked);
        let behind = u32::try_from(ack - from).unwrap_or(0);
        Self { at, ack, right, behind, field, announced: true }
    }

    /// The ACK and the window field of the packet that announced the edge.
    pub(super) fn announcement(self) -> Option<(i64, u16)> {
        self.announced.then(|| (self.ack - i64::from(self.behind), self.field))
    }
}

impl Default for Known {
    fn default() -> Self {
        Self::NOTHING
    }
}

/// A loss episode in progress (methods T4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// The time of the first duplicate ACK, SACKed hole or retransmission.
    pub since: Instant,
    /// The highest byte sent before the episode (`recover` in RFC 6582); the ACK of that byte ends
    /// the episode.
    pub recover: i64,
    /// The time at which a retransmission timeout fired in the episode; `None` if none did.
    pub timeout: Option<Instant>,
    /// Whether the sender has retransmitted in the episode.
    pub retransmitted: bool,
}

airmile_types::held! {
    Scoreboard {
        ranges, window, path, fragment, recovery, unseen, probe, judged, tail_probe, reported
    }
    Recovery {}
}

/// An offset that differs from the highest byte sent by more than this belongs to another
/// connection, because the largest window is 2^30 bytes (RFC 7323 section 2.3).
pub(super) const LARGEST_WINDOW: u32 = 1 << 30;

/// A SYN that was recorded late lies at most this far below the data seen: the number of bytes that
/// 1 Gbps carries in 10 ms, the greatest disorder of a capture's queues (methods A10,
/// `quality.clock_step_ms`).
pub(super) const LATE_SYN_BYTES: u32 = 1 << 20;

/// A flow that was met in mid-stream has at most this many bytes in flight from before the capture.
/// That is more than the queue of any cellular path holds (methods C6), and less than the error of
/// most damaged ACK numbers.
pub const BEFORE_BYTES: i64 = 1 << 25;

/// An ACK of bytes that never passed the capture point is believed at once if it lies at most this
/// far beyond the receiver's window. The capture may have missed windows too, but seldom for more
/// than 10 ms at 1 Gbps.
pub(super) const UNSEEN_BYTES: i64 = 1 << 20;
