//! Distinguishes the server's answers from what it sends by itself (methods T3).

use airmile_track::Segment;
use airmile_types::{Duration, Instant, Maybe, Parameters};

use crate::evidence::{Expects, FULL_LEAST_BYTES};

/// The number of messages that nobody asked for after which the next may come at any time. One may
/// be the second part of an answer, two are our choice.
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
    /// Nobody asked for it: it came after a second of silence.
    Unasked,
    /// Nobody asked for it, unless it is a further part of the answer before.
    Further,
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
        if self.newest.is_unasked(segment.start) {
            self.unasked = self.unasked.saturating_add(1);
        }
        let owed = self.owed > 0;
        self.owed = self.owed.saturating_sub(1);
        let origin = if owed && origin == Origin::Further { Origin::Asked } else { origin };
        self.newest = Message { begun: segment.time.into(), start: segment.start, origin };
    }

    /// What the phone expects when it sends this segment. What follows a short message that nobody
    /// asked for at once may only acknowledge it.
    pub(super) fn expects(&self, segment: &Segment<'_>, parameters: &Parameters) -> Expects {
        let newest = self.newest;
        let end = segment.peer.data_end();
        let is_unasked = newest.is_unasked(end);
        let unasked = self.unasked.saturating_add(u16::from(is_unasked));
        let since = newest.begun.get().map_or(Duration::ZERO, |begun| segment.time - begun);
        let soon = (0.0..=parameters.silence_s).contains(&since.as_secs_f64());
        match newest.origin {
            Origin::Unasked if is_unasked && soon => Expects::Nothing,
            _ if is_unasked && soon && unasked >= LEAST_UNASKED => Expects::Nothing,
            _ if is_unasked && soon || unasked >= LEAST_UNASKED => Expects::Perhaps,
            Origin::Unknown if newest.is_short(end) => Expects::PerhapsSoon,
            _ => Expects::Answer,
        }
    }
}

impl Message {
    /// Whether nobody asked for the message, which ends at the offset `end` and is short.
    fn is_unasked(&self, end: i64) -> bool {
        matches!(self.origin, Origin::Unasked | Origin::Further) && self.is_short(end)
    }

    /// Whether the message, which ends at the offset `end`, is shorter than a full segment.
    fn is_short(&self, end: i64) -> bool {
        end - self.start < i64::from(FULL_LEAST_BYTES)
    }
}
