//! Defines the state that is kept for the transfers of one flow.

use std::collections::VecDeque;

use airmile_types::{Duration, Held, Instant, Maybe, PerDirection};

use super::cause_times::CauseTimes;
use super::due::Due;
use super::exchange::Exchange;
use super::messages::Messages;
use crate::evidence::{Frames, IdleGaps, OneWayClocks, QueueTimelines, Sender, ServerLoop, Wait};

/// The transfers of one flow.
#[derive(Default)]
pub struct Transfers {
    pub(super) senders: PerDirection<Sender>,
    pub(super) gaps: IdleGaps,
    pub(super) clocks: OneWayClocks,
    pub(super) timelines: QueueTimelines,
    pub(super) frames: Frames,
    pub(super) current: Option<Exchange>,
    /// Transfers that have ended and wait for the last of their evidence.
    pub(super) closing: VecDeque<Exchange>,
    pub(super) number: u32,
    pub(super) timestamps: PerDirection<bool>,
    /// The time of the last payload of each direction, or of its last ACK.
    pub(super) last_activity: PerDirection<Maybe<Instant>>,
    /// The time of the newest segment.
    pub(super) newest: Maybe<Instant>,
    /// Whether the clock of the capture point went back and nothing new has passed since.
    pub(super) stepped_back: bool,
    /// Whether the phone has sent more although an earlier part had no answer.
    pub(super) unanswered: bool,
    /// The time of the first FIN.
    pub(super) closed: Maybe<Instant>,
    pub(super) shares: CauseTimes,
    /// Whether a transfer that is not control has ended.
    pub(super) larger: bool,
    /// How long the radio took to wake up before the flow, if that is known.
    pub(super) promotion: Maybe<Duration>,
    /// The times of the query and the answer of the look-up that gave the server's address.
    pub(super) lookup: Option<(Instant, Instant)>,
    pub(super) server_loop: ServerLoop,
    /// The times of the first and the last packet of the TLS handshake.
    pub(super) tls: Option<(Instant, Instant)>,
    pub(super) tls_open: bool,
    /// The wait of a record that is too small to be certainly a request, if nothing else was
    /// requested since.
    pub(super) small: Option<Box<Wait>>,
    /// What the server sends without being asked.
    pub(super) messages: Messages,
    pub(super) due: Due,
}

// A debug build keeps second judgements for comparison, so its size differs.
#[cfg(not(debug_assertions))]
const _: () = assert!(size_of::<Transfers>() <= 2704, "each live flow with payload holds one");

impl Held for Transfers {
    fn held_bytes(&self) -> usize {
        let evidence =
            self.senders.held_bytes() + self.clocks.held_bytes() + self.timelines.held_bytes();
        let exchanges = self.closing.iter().chain(&self.current).map(Held::held_bytes);
        let closing = self.closing.capacity() * size_of::<Exchange>();
        let others =
            self.frames.held_bytes() + self.server_loop.held_bytes() + self.gaps.held_bytes();
        let small = self.small.held_bytes() + self.shares.held_bytes();
        evidence + exchanges.sum::<usize>() + closing + others + small
    }

    fn give_back(&mut self) {
        self.senders.give_back();
        self.clocks.give_back();
        self.timelines.give_back();
        self.closing.iter_mut().chain(&mut self.current).for_each(Held::give_back);
        self.frames.give_back();
        self.gaps.give_back();
        self.server_loop.give_back();
        self.small.give_back();
        self.shares.give_back();
    }
}
