//! Says how short a queue before the radio a capture point could have shown.

use airmile_track::FlowFacts;
use airmile_types::{Direction, Duration, Instant, Vantage};

use super::clocks::OneWayClocks;
use super::limits::Limits;
use super::queue::UeQueues;
use super::short_queue::SHORTEST_QUEUE;
use super::slack::{Slack, beyond_clock};

impl UeQueues {
    /// The least wait in the queue before the radio that shows now in data of a flow; `None` while
    /// the tick is not known of the clock that must show it.
    #[inline(never)]
    pub(crate) fn least_queue(
        &self,
        flow: &FlowFacts,
        (data, now): (Direction, Instant),
        clocks: &OneWayClocks,
        limits: &Limits,
    ) -> Option<Duration> {
        let is_behind = (data == Direction::Uplink) == (flow.vantage == Some(Vantage::Ue));
        if !is_behind {
            return least_before(flow, data, clocks, limits);
        }
        let acks = data.reverse();
        let others = || self.lateness_of_others(flow, (acks, now));
        let lateness = clocks.lateness(acks).or_else(others);
        Some(match data {
            Direction::Downlink => self.behind.least_queue(lateness, limits),
            // A single round trip may contain a grant; only a series without a pause shows less.
            Direction::Uplink => Slack::coarse(lateness, limits).jitter,
        })
    }
}

/// The least wait before the capture point that the clock of the sender shows.
pub(crate) fn least_before(
    flow: &FlowFacts,
    data: Direction,
    clocks: &OneWayClocks,
    limits: &Limits,
) -> Option<Duration> {
    let hidden = clocks.hidden(data)?;
    // Where the capture point is unknown, a series of uplink packets shows no queue of its own.
    let is_fine = data == Direction::Downlink || flow.vantage.is_some();
    Some(if is_fine { beyond_clock(hidden, limits) } else { hidden + SHORTEST_QUEUE })
}
