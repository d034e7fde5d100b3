//! Defines how much of a delay is taken off as jitter before the rest counts as a queue.
//!
//! What is taken off is also the least queue that a capture point could have shown, so both come
//! from here.

use airmile_types::Duration;

use super::limits::Limits;

/// How late a packet came, above the least delay of its direction, and the tick of its sender's
/// clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lateness {
    pub(super) excess: Duration,
    pub(super) tick: Duration,
}

/// What is taken off a round trip above the least one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slack {
    /// How late the ACK was, where a clock shows it; its delay is no part of the data's wait.
    pub(super) late: Option<Duration>,
    /// The greatest wait that may be jitter.
    pub(super) jitter: Duration,
    /// Whether that is less than a radio's HARQ round and wait for a slot.
    pub(super) is_fine: bool,
}

impl Slack {
    /// The slack of an ACK whose delay the clock of its sender shows, if that clock ticks fast enough.
    #[inline]
    pub(super) fn by_clock(lateness: Option<Lateness>, limits: &Limits) -> Option<Self> {
        let late = lateness.filter(|late| late.tick < limits.queue_slack)?;
        let jitter = beyond_clock(late.tick, limits);
        Some(Self { late: Some(late.excess), jitter, is_fine: true })
    }

    /// The slack on a path whose jitter is known, if that is less than a radio's.
    #[inline]
    pub(super) fn of_path(jitter: Option<Duration>, limits: &Limits) -> Option<Self> {
        let known = jitter.filter(|jitter| *jitter < limits.queue_slack)?;
        Some(Self { late: None, jitter: known + limits.queue_jitter, is_fine: true })
    }

    /// The slack on any path. It already contains the delay jitter of an ACK on time, so that this
    /// is taken off only once.
    #[inline]
    pub(super) fn coarse(lateness: Option<Lateness>, limits: &Limits) -> Self {
        let late = lateness.map_or(Duration::ZERO, |late| late.excess);
        Self { late: None, jitter: limits.queue_slack.max(late), is_fine: false }
    }
}

/// The greatest delay that may be jitter where a clock shows delays, of which it hides `hidden`.
#[inline]
pub(super) fn beyond_clock(hidden: Duration, limits: &Limits) -> Duration {
    hidden + limits.queue_jitter
}
