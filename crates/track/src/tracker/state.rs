//! Defines the state of the tracker: flows, subscribers, and counts.

use std::sync::Arc;

use airmile_types::Instant;

use super::brief::Slot;
use super::config::TrackConfig;
use super::expiry::Expiry;
use super::half_open::HalfOpen;
use super::held::Unnamed;
use super::key::FlowKey;
use super::recent::Recent;
use super::router::{Route, Router};
use super::subscribers::Subscribers;
use super::table::Table;
use super::votes::VantageVotes;
use crate::handler::{Handler, SessionFacts};

/// Passes the facts of every packet to a [`Handler`].
pub struct Tracker<H: Handler> {
    pub(super) config: TrackConfig,
    pub(super) handler: H,
    pub(super) flows: Table<FlowKey, Slot<H::Flow>>,
    pub(super) recent: Recent,
    /// The flow of the previous packet, unless that packet was found among the recent TCP flows, or
    /// its flow has ended.
    pub(super) newest: Option<(FlowKey, u32)>,
    pub(super) subscribers: Subscribers<H::Ue>,
    pub(super) router: Router,
    pub(super) expiry: Expiry,
    pub(super) half_open: HalfOpen,
    pub(super) ended_early: u64,
    pub(super) ended_for_memory: u64,
    pub(super) opened: u32,
    /// The number of opened flows that have a full state, not a brief one.
    pub(super) opened_whole: u64,
    pub(super) unnamed: Unnamed,
    /// The number of packets that [`Self::packet`] has taken.
    pub(super) packets: u64,
    pub(super) votes: VantageVotes,
    /// The votes of other trackers for the same capture.
    pub(super) heard: VantageVotes,
    /// The time of the first packet, for a tracker that takes all packets.
    pub(super) capture_start: Option<Instant>,
    /// The time at which each capture began, by its number.
    pub(super) starts: Arc<[Instant]>,
    /// The number of stretches of the capture that [`Self::advance`] has begun.
    pub(super) stretch: u32,
}

/// Passes on the session of a subscriber; traffic within a link has none.
pub(super) fn end_session<H: Handler>(handler: &mut H, ue: H::Ue, session: &SessionFacts) {
    if session.ue != Route::NOBODY {
        handler.session(ue, session);
    }
}

impl<H: Handler + std::fmt::Debug> std::fmt::Debug for Tracker<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracker")
            .field("config", &self.config)
            .field("handler", &self.handler)
            .finish_non_exhaustive()
    }
}
