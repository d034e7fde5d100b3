//! Keeps the times in which the capture missed ACKs of a sender's data (methods A10).

use airmile_types::{Instant, Maybe};

use crate::evidence::timeline::Timeline;

/// The times at which ACKs were missing; made for the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Missing {
    pub(super) times: Timeline,
    /// The time since when ACKs are missing, until the receiver's next packet.
    pub(super) since: Maybe<Instant>,
}

airmile_types::held!(Missing { times });

impl Missing {
    pub(super) fn mark(&mut self, now: Instant) {
        if let Some(since) = self.since.get() {
            self.times.mark(since, now);
        }
    }
}
