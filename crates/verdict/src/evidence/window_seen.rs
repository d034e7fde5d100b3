//! What the receiver's window did to a sender in its whole flow (methods C6).

use airmile_types::{Duration, Instant};

/// What the receiver's window did to one sender in its whole flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSeen {
    /// How long the window was full; `None` if it may have been, but nothing shows its scale.
    pub full: Option<FullTime>,
    /// How long the receiver advertised a window of 0.
    pub zero_time: Duration,
    /// The smallest window after the sender's first payload; `None` if none could be read.
    pub least_bytes: Option<u32>,
    /// The times of the sender's first and last payload.
    pub payload: Option<(Instant, Instant)>,
}

/// The time in which a window was full.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FullTime {
    total: Duration,
    /// The begin of the first and the end of the newest span.
    span: Option<(Instant, Instant)>,
}

impl FullTime {
    /// The whole time.
    pub const fn total(&self) -> Duration {
        self.total
    }

    /// The time at which the window was first full; `None` if it never was.
    pub fn first(&self) -> Option<Instant> {
        self.span.map(|(first, _)| first)
    }

    /// The part of the time until `last`, if no span but the newest reaches beyond it.
    #[must_use]
    pub fn until(&self, last: Instant) -> Duration {
        let beyond = self.span.map_or(Duration::ZERO, |(_, end)| end - last).max(Duration::ZERO);
        (self.total - beyond).max(Duration::ZERO)
    }

    /// Adds `[from, to)` of a span that began at `since`.
    pub(super) fn add(&mut self, since: Instant, (from, to): (Instant, Instant)) {
        self.total += (to - from).max(Duration::ZERO);
        self.span = Some((self.first().unwrap_or(since), to));
    }
}
