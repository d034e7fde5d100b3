//! What is kept of one direction's sender.

use std::collections::VecDeque;

use airmile_types::{Instant, Maybe};

use super::congestion::Congestion;
use super::counters::Bins;
#[cfg(debug_assertions)]
use super::counters::Judged;
use super::doubt::Doubt;
use super::newest::Newest;
use super::repairs::{Recovered, Repairs};
use crate::evidence::receiver_window::ReceiverWindow;
use crate::evidence::timeline::Timeline;

/// State of one direction's sender.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sender {
    /// The times when the receiver's window stops it (methods C6).
    pub(crate) window: ReceiverWindow,
    /// The times when its application gives it no data.
    pub(crate) application: Timeline,
    /// The times when data is unacknowledged, as the sender knows.
    pub(crate) busy: Timeline,
    pub(super) bins: Bins,
    pub(super) last_data: Maybe<Instant>,
    pub(super) last_event: Maybe<Instant>,
    /// The last packet of the receiver.
    pub(super) last_ack: Maybe<Instant>,
    pub(super) acked_ever: bool,
    pub(super) window_known: bool,
    pub(super) in_flight: bool,
    /// The time at which the sender learns of the ACK after which nothing was in flight.
    pub(super) known_empty: Instant,
    /// The ACKs that advanced since (a loop before) the last data.
    pub(super) freed: VecDeque<Instant>,
    /// The most that was in flight since the congestion window was last cut.
    pub(super) flight_max: i64,
    /// The most sent in one bin since then.
    pub(super) sent_max: i64,
    pub(super) rested: bool,
    pub(super) congestion: Congestion,
    /// Whether the last data emptied the send buffer.
    pub(super) emptied: bool,
    /// The offsets after the last two segments that emptied the send buffer.
    pub(super) writes: [i64; 2],
    /// The newest data, and whether its judgement is not yet in its bin.
    pub(super) newest: Newest,
    pub(super) unjudged: bool,
    /// Whether that bin is one of the newest two, so that judging may be put off.
    pub(super) may_wait: bool,
    #[cfg(debug_assertions)]
    pub(super) at_once: Option<Judged>,
    /// The bytes that were new in the bin before that of the newest data.
    pub(super) new_before: i64,
    pub(super) doubt: Option<Box<Doubt>>,
    /// The losses of a sender that has lost something.
    pub(super) repairs: Option<Box<Repairs>>,
    /// The time until which ACKs of a recovery are still on their way to the sender.
    pub(super) recovered: Recovered,
    /// Whether, as of the last event, no loss episode is in progress and the window is neither full
    /// nor closed. A packet of such a sender extends the span in which data is in flight, and no
    /// other.
    pub(super) calm: bool,
}

airmile_types::held!(Sender { window, application, busy, bins, freed, doubt, repairs });

// A debug build keeps a second judgement to compare.
#[cfg(not(debug_assertions))]
const _: () = assert!(size_of::<Sender>() <= 616, "each live flow with payload holds two");
