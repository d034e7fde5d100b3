//! Keeps an ACK that may have freed the window of a sender.

use airmile_track::Segment;
use airmile_types::Instant;

/// An ACK that advanced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    /// The time at which it passed the capture point.
    pub(super) at: Instant,
    /// Its timestamp, if the sender echoes it from then on.
    tsval: Option<u32>,
    /// Whether it carried no data: its sender had nothing to say.
    pub(super) alone: bool,
}

impl Freed {
    /// A packet with payload may come before data that the sender misses, and then its timestamp is
    /// not echoed (RFC 7323 section 4.3).
    pub(super) fn new(segment: &Segment<'_>) -> Self {
        let alone = segment.payload_bytes == 0;
        let stamps = segment.timestamps.filter(|_| alone);
        Self { at: segment.time, tsval: stamps.map(|stamps| stamps.value), alone }
    }

    /// Whether its timestamp is later than one that the sender echoes.
    pub(super) fn is_later(&self, echo: u32) -> bool {
        self.tsval.is_some_and(|tsval| tsval.wrapping_sub(echo) as i32 > 0)
    }
}

airmile_types::held!(Freed {});
