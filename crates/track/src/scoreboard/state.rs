//! What the scoreboard of one direction holds, and the limits that it keeps.

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
use super::unseen::Unseen;
use super::window::Window;

/// Data of one sender as the tap saw it.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// Wire number of offset 0; `None` until a packet shows it.
    pub(super) origin: Option<u32>,
    /// What the plain lane may take now.
    pub(super) gate: Gate,
    pub(super) next: i64,
    /// Offset after the highest byte of payload: a FIN is not counted.
    pub(super) data_end: i64,
    pub(super) unacked: i64,
    /// The bytes from the first ACK to the first data, in a flow that begins in mid-stream with
    /// ACKs.
    pub(super) before_bytes: i64,
    pub(super) ranges: Ranges,
    pub(super) window: Window,
    pub(super) path: Loop,
    /// What the sender knew at its newest data, which several analyses ask for.
    pub(super) known: Option<Known>,
    pub(super) timer: Timer,
    pub(super) rtt_min: Least,
    pub(super) announced_mss: Option<u16>,
    /// Both ends know of SACK.
    pub(super) sacks: bool,
    pub(super) largest_payload: u32,
    pub(super) options_bytes: u32,
    /// The sender's unit, which is needed several times for each packet.
    pub(super) mss: Mss,
    pub(super) first_data: Maybe<Instant>,
    pub(super) last_data: Maybe<Instant>,
    pub(super) last_advance: Maybe<Instant>,
    pub(super) last_window_field: Option<u16>,
    pub(super) acked_once: bool,
    /// The newest segment of which only the first fragment has ports and numbers.
    pub(super) fragment: Option<Box<Fragmented>>,
    /// An ACK that was not believed; 0 for none.
    pub(super) doubted: i64,
    /// The end of the highest segment that duplicate ACKs have reported, in a flow without SACK.
    pub(super) duplicates_end: i64,
    /// What SACK blocks have reported; only flows with SACK blocks have it.
    pub(super) reported: Option<Box<Reported>>,
    pub(super) highest_sacked: i64,
    pub(super) last_pure: Option<PureAck>,
    pub(super) ack_ids_vary: bool,
    pub(super) recovery: Option<Box<Recovery>>,
    pub(super) payload_bytes: u64,
    pub(super) unique_bytes: u64,
    pub(super) acked_unseen_bytes: u64,
    /// What was acknowledged before it was seen, or never seen; only flows with such bytes have it.
    pub(super) unseen: Option<Box<Unseen>>,
    /// The SYN has passed.
    pub(super) synchronized: bool,
    /// Its FIN has passed: no window holds it any more.
    pub(super) finished: bool,
    /// Data beyond the edge of a closed window that nobody has acknowledged yet.
    pub(super) probe: Option<Box<WindowProbe>>,
    pub(super) sacked_bytes: u64,
    pub(super) recent: Recent,
    /// What is known of retransmissions; only flows with a retransmission have it.
    pub(super) judged: Option<Box<Judged>>,
    /// A tail loss probe that awaits its answer.
    pub(super) tail_probe: Option<Box<TailProbe>>,
    /// The time at which the newest retransmission passed.
    pub(super) last_repeat: Maybe<Instant>,
    /// The time at which the first ACK reported data sent after the newest repeat of the first
    /// unacknowledged byte.
    pub(super) overtaken: Maybe<Instant>,
}

const _: () = assert!(size_of::<Scoreboard>() <= 768, "each live TCP flow holds two");

/// RFC 9293 section 3.7.1: what a sender may assume without an option.
pub(super) const LEAST_MSS_BYTES: u32 = 536;

/// The sender's unit in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mss(pub(super) u32);

impl Default for Mss {
    fn default() -> Self {
        Self(LEAST_MSS_BYTES)
    }
}

/// The ACK and the right edge that the sender knew at an instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) at: Instant,
    pub(super) ack: i64,
    pub(super) right: Option<i64>,
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

airmile_types::held! {
    Scoreboard {
        ranges, window, path, fragment, recovery, unseen, probe, judged, tail_probe, reported
    }
    Recovery {}
}

/// Offsets further than this from the highest byte are not this connection's: the largest window
/// is 2^30 (RFC 7323 section 2.3).
pub(super) const LARGEST_WINDOW: u32 = 1 << 30;

/// A SYN that was recorded late lies so far below what was seen at most: 10 ms, by which the queues
/// of a tap disagree (methods A10, `quality.clock_step_ms`), at 1 Gbps.
pub(super) const LATE_SYN_BYTES: u32 = 1 << 20;

/// A flow met in mid-stream has no more in flight than this from before the capture: deeper than
/// any queue of a cellular path (methods C6), less than a damaged ACK number is mostly off.
pub const BEFORE_BYTES: i64 = 1 << 25;

/// An ACK of what the tap never saw is believed at once so far beyond the receiver's window: the
/// tap may have missed windows too, but seldom more than 10 ms at 1 Gbps.
pub(super) const UNSEEN_BYTES: i64 = 1 << 20;
