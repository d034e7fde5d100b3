//! What the tracker holds: flows, subscribers, and what they take.

use airmile_types::Instant;

use super::brief::Slot;
use super::config::TrackConfig;
use super::expiry::Expiry;
use super::half_open::HalfOpen;
use super::key::FlowKey;
use super::recent::Recent;
use super::router::Router;
use super::subscribers::Subscribers;
use super::table::Table;
use super::votes::VantageVotes;
use crate::handler::Handler;

/// Feeds a [`Handler`] with the facts of every packet.
pub struct Tracker<H: Handler> {
    pub(super) config: TrackConfig,
    pub(super) handler: H,
    pub(super) flows: Table<FlowKey, Slot<H::Flow>>,
    pub(super) recent: Recent,
    /// The flow of the packet before, of those that are not recent ones of TCP, while it lives.
    pub(super) newest: Option<(FlowKey, u32)>,
    pub(super) subscribers: Subscribers<H::Ue>,
    pub(super) router: Router,
    pub(super) expiry: Expiry,
    pub(super) half_open: HalfOpen,
    pub(super) ended_early: u64,
    pub(super) ended_for_memory: u64,
    pub(super) opened: u32,
    /// Those of them that have a state of their own.
    pub(super) opened_whole: u64,
    /// Packets that [`Self::packet`] has taken.
    pub(super) packets: u64,
    pub(super) votes: VantageVotes,
    /// Votes of other trackers over the same capture.
    pub(super) heard: VantageVotes,
    pub(super) capture_start: Option<Instant>,
    /// Stretches of the capture that were announced.
    pub(super) stretch: u32,
}

impl<H: Handler + std::fmt::Debug> std::fmt::Debug for Tracker<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tracker")
            .field("config", &self.config)
            .field("handler", &self.handler)
            .finish_non_exhaustive()
    }
}
