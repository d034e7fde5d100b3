//! Defines the state that is kept for the sender of one direction.

use std::collections::VecDeque;

use airmile_types::{Instant, Maybe};

use super::congestion::Congestion;
use super::counters::Bins;
#[cfg(debug_assertions)]
use super::counters::Judged;
use super::freed::Freed;
use super::growth::Growth;
use super::lost_flight::LostFlight;
use super::missing::Missing;
use super::newest::Newest;
use super::numbers::Numbers;
use super::repairs::{Recovered, Repairs};
use super::silences::Silences;
use crate::evidence::receiver_window::ReceiverWindow;
use crate::evidence::timeline::Timeline;

/// The state of the sender of one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    /// The times at which the receiver's window stops the sender (methods C6).
    pub(crate) window: ReceiverWindow,
    /// The times at which the sender's application gives it no data.
    pub(crate) application: Timeline,
    /// The times at which data is unacknowledged, as far as the sender knows.
    pub(crate) busy: Timeline,
    pub(super) bins: Bins,
    pub(super) last_event: Maybe<Instant>,
    /// The time of the receiver's last packet.
    pub(super) last_ack: Maybe<Instant>,
    pub(super) acked_ever: bool,
    /// The largest window that the receiver announced after the handshake; 0 while none could be
    /// read.
    pub(super) largest_window_bytes: u32,
    /// The smallest one that could limit data, in bytes.
    pub(super) least_window: Maybe<i32>,
    pub(super) in_flight: bool,
    /// Whether that has changed since it was last asked for.
    pub(crate) turned: bool,
    /// Whether the newest data is the first of its bin.
    pub(crate) bin_begun: bool,
    /// The time at which the sender learns of the ACK that left nothing in flight.
    pub(super) known_empty: Instant,
    /// The ACKs that advanced since one round trip before the last data.
    pub(super) freed: VecDeque<Freed>,
    /// The most bytes in flight since the congestion window was last reduced.
    pub(super) flight_max: i64,
    /// The most bytes sent in one bin since the congestion window was last reduced.
    pub(super) sent_max: i64,
    pub(super) congestion: Congestion,
    /// The round trip that is in progress.
    pub(super) growth: Growth,
    /// Whether the last data emptied the send buffer.
    pub(super) emptied: bool,
    /// Whether the last new data had no PSH, so that its sender had more to send (RFC 9293 section
    /// 3.9.1.2).
    pub(super) has_more: bool,
    /// The timestamp of the last data, and the one that it echoed; 0 without timestamps.
    pub(super) stamps: [u32; 2],
    /// The end offsets of the last two segments that emptied the send buffer.
    pub(super) writes: [i64; 2],
    /// The newest data, and whether its judgement is still to be written into its bin.
    pub(super) newest: Newest,
    pub(super) unjudged: bool,
    /// Whether that bin is one of the two newest, so that the judgement may be postponed.
    pub(super) may_wait: bool,
    #[cfg(debug_assertions)]
    pub(super) at_once: Option<Judged>,
    /// The bytes that were new in the bin before the bin of the newest data.
    pub(super) new_before: i64,
    /// The silences, kept only for a sender that had one.
    pub(super) silences: Option<Box<Silences>>,
    /// The time at which the sender went on after a silence in which its timer would have fired.
    pub(super) resumed: Instant,
    /// The missing ACKs, kept only for a sender whose ACKs the capture missed.
    pub(super) missing: Option<Box<Missing>>,
    /// The times in which the window regains what it held before an idle gap, kept only for a sender
    /// that had one.
    pub(super) restarts: Option<Box<Timeline>>,
    /// What followed a silence, kept only while its timer may have fired.
    pub(super) lost_flight: Option<Box<LostFlight>>,
    /// The losses and marks, kept only for a sender whose data was lost or marked.
    pub(super) repairs: Option<Box<Repairs>>,
    /// How the sender numbers its packets.
    pub(super) numbers: Numbers,
    /// The time until which ACKs of a recovery are still on their way to the sender, or the window
    /// shrinks after a mark.
    pub(super) recovered: Recovered,
    /// Whether, at the last event, no loss episode was in progress and the window was neither full
    /// nor closed. A packet of such a sender extends only the span in which data is in flight.
    pub(super) calm: bool,
}

airmile_types::held!(Sender {
    window,
    application,
    busy,
    bins,
    freed,
    silences,
    missing,
    restarts,
    lost_flight,
    repairs
});

// A debug build keeps a second judgement for comparison, so its size differs.
#[cfg(not(debug_assertions))]
const _: () = assert!(size_of::<Sender>() <= 712, "each live flow with payload holds two");
