//! Keeps what is known of the silences of a sender.

use airmile_track::{Segment, SegmentClass};
use airmile_types::{Duration, Instant, Maybe};

use super::doubt::Doubt;
use super::pace::Pace;
use crate::evidence::timeline::Timeline;

/// The silences of a sender; made at the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Silences {
    pub(super) pace: Pace,
    /// The newest silence, while it is not decided whether the application caused it.
    pub(super) doubt: Option<Doubt>,
    /// The times in which Nagle's algorithm may have held the data that followed.
    pub(super) nagle: Timeline,
    /// The silences of the application that a short record of the receiver ended.
    pub(super) released: Timeline,
    /// The time at which the receiver's newest data passed, if it is a short record alone.
    record: Maybe<Instant>,
}

airmile_types::held!(Silences { nagle, released });

/// The most bytes of a record that opens a window above TCP, with its frame and encryption; our
/// choice. A WINDOW_UPDATE of HTTP/2 has 13 bytes (RFC 9113 section 6.9), a window adjustment of SSH
/// 9 (RFC 4254 section 5.2), and TLS adds 22 to 37.
const SHORT_BYTES: u32 = 128;

impl Silences {
    /// Takes data of the receiver.
    pub(super) fn note_record(&mut self, segment: &Segment<'_>) {
        if segment.class == Some(SegmentClass::New) {
            let short = segment.payload_bytes <= SHORT_BYTES;
            self.record = short.then_some(segment.time).into();
        }
    }

    /// Whether a short record came after the sender's `last` data, and the sender had heard of it
    /// when `now` its next data came, no more than `slack` later.
    pub(super) fn has_released(
        &self,
        last: Instant,
        now: Instant,
        loop_time: Duration,
        slack: Duration,
    ) -> bool {
        self.record.get().is_some_and(|at| {
            let heard = at + loop_time;
            last < at && heard <= now + slack && now <= heard + slack
        })
    }
}
