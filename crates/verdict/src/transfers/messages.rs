//! Distinguishes the server's answers from what it sends by itself (methods T3).

use airmile_track::Segment;
use airmile_types::{Duration, Instant, Maybe, Parameters};

use crate::evidence::{Expects, FULL_LEAST_BYTES};

/// The number of messages that nobody asked for after which the next may come at any time. One may
/// be the second part of an answer.
const LEAST_UNASKED: u16 = 2;

/// What the server's messages of one flow show. A message is what comes after a pause.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Messages {
    newest: Message,
    /// The number of requests of the transfer that no message has answered.
    owed: u16,
    /// The number of short messages that nobody asked for.
    unasked: u16,
}

/// A message of the server.
#[derive(Clone, Copy, Debug, Default)]
struct Message {
    begun: Maybe<Instant>,
    /// The offset of its first byte.
    start: i64,
    origin: Origin,
}

/// Whether a message answers a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    #[default]
    Asked,
    Unasked,
    /// A request from before the capture may have asked for it.
    Unknown,
}

impl Messages {
    /// Notes that a request begins.
    pub(super) const fn ask(&mut self) {
        self.owed = self.owed.saturating_add(1);
    }

    /// Notes that a transfer begins: the server owes nothing that was asked for before.
    pub(super) const fn begin_transfer(&mut self) {
        self.owed = 0;
    }

    /// Notes the first byte of a message. It is unasked only if more messages than requests have
    /// passed.
    pub(super) fn note(&mut self, segment: &Segment<'_>, origin: Origin) {
        if self.newest.origin == Origin::Unasked && self.newest.is_short(segment.start) {
            self.unasked = self.unasked.saturating_add(1);
        }
        let owed = self.owed > 0;
        self.owed = self.owed.saturating_sub(1);
        let origin = if owed && origin == Origin::Unasked { Origin::Asked } else { origin };
        self.newest = Message { begun: segment.time.into(), start: segment.start, origin };
    }

    /// What the phone expects when it sends this segment. What follows a short message that nobody
    /// asked for at once may only acknowledge it.
    pub(super) fn expects(&self, segment: &Segment<'_>, parameters: &Parameters) -> Expects {
        let newest = self.newest;
        let short = newest.is_short(segment.peer.data_end());
        let unasked = self.unasked + u16::from(short && newest.origin == Origin::Unasked);
        let since = newest.begun.get().map_or(Duration::ZERO, |begun| segment.time - begun);
        match newest.origin {
            Origin::Unasked if short && since.as_secs_f64() <= parameters.silence_s => {
                Expects::Nothing
            }
            _ if unasked >= LEAST_UNASKED => Expects::Perhaps,
            Origin::Unknown if short => Expects::PerhapsSoon,
            _ => Expects::Answer,
        }
    }
}

impl Message {
    /// Whether the message, which ends at the offset `end`, is shorter than a full segment.
    fn is_short(&self, end: i64) -> bool {
        end - self.start < i64::from(FULL_LEAST_BYTES)
    }
}
