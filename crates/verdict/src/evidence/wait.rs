//! Follows the wait of a request: from its last new byte to the first byte of its answer (methods
//! T3).

use airmile_track::{Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, PerDirection, Vantage};

use super::queue::UeQueues;

/// What the phone expects after it has sent something (methods T3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expects {
    /// The phone waits for the server's answer.
    Answer,
    /// It waits for an answer, or for nothing: the server also sends without being asked.
    Perhaps,
    /// It waits for an answer within a second, or for nothing: nothing shows whether the server was
    /// asked for its last message.
    PerhapsSoon,
    /// It waits for nothing, unless an answer comes at once: it may only have acknowledged a message.
    Nothing,
}

/// Whether the radio may have slept when the phone sent a request, by how long nothing had passed.
/// Known only for captures at the phone, where a promotion happens after the capture point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RadioState {
    /// No network turns the radio off so soon, or the capture is not at the phone.
    #[default]
    Awake,
    /// Some networks turn the radio off so soon.
    MaySleep,
    /// The radio's tail was over.
    Asleep,
}

/// A wait at the capture point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    /// The time at which the last new byte of the request passed.
    pub(crate) asked: Instant,
    /// The time at which the last byte of the oldest request passed. Bytes that came later, and not
    /// at once after a full packet, may be further requests or more of an upload.
    oldest: Instant,
    /// The time at which the last byte of the first write of the request passed, and the offset after
    /// it: what the phone sent without a pause.
    first: (Instant, i64),
    /// The offset of the first byte of the request.
    start: i64,
    /// Whether the server was sending something else when the request passed.
    beside: bool,
    expects: Expects,
    /// Whether Nagle's algorithm may have held each later write; `None` without one.
    nagle: Option<bool>,
    /// The time at which the first byte of the answer passed; `None` until then.
    pub(crate) answered: Option<Instant>,
    /// The time at which a part of the request was retransmitted.
    pub(crate) resent: Option<Instant>,
    /// The server's packet that acknowledged the whole request before the answer came.
    acked: Option<Stamp>,
    radio: RadioState,
    /// How long the request waited in the queue before the uplink, and its answer in the queue
    /// before the downlink. Known only for captures at the phone.
    pub(crate) queued: PerDirection<Duration>,
    /// The least time that the server took, by its own timestamp clock.
    pub(crate) least_think: Duration,
    /// The time from the server's own ACK of the request to its answer.
    pub(crate) since_ack: Duration,
}

airmile_types::held!(Wait {});

/// A packet of the server: the time at which it passed, and its timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    time: Instant,
    tsval: Option<u32>,
}

/// The longest time for which the systems in use delay an ACK (Linux: `TCP_DELACK_MAX`, 200 ms); RFC
/// 9293 section 3.8.6.3 allows 500 ms.
const MOST_ACK_DELAY: Duration = Duration::from_millis(200);

/// The shortest tick in use (methods E1): every tick lasts at least a millisecond.
const SHORTEST_TICK: Duration = Duration::from_millis(1);

impl Wait {
    /// A request of the bytes from the offset `start` to the offset `end`, whose newest byte passes at
    /// `asked`.
    pub(crate) fn new(asked: Instant, (start, end): (i64, i64)) -> Self {
        Self {
            asked,
            oldest: asked,
            start,
            first: (asked, end),
            beside: false,
            expects: Expects::Answer,
            nagle: None,
            answered: None,
            resent: None,
            acked: None,
            radio: RadioState::Awake,
            queued: PerDirection::default(),
            least_think: Duration::ZERO,
            since_ack: Duration::ZERO,
        }
    }

    /// Returns the request, with what it may have found the radio in.
    pub(crate) const fn finding(self, radio: RadioState) -> Self {
        Self { radio, ..self }
    }

    /// Whether the radio may have had to wake up, in a wait in which the server would have taken
    /// `server`. Where the radio may have slept, this shows by an ACK that a server at work would have
    /// sent meanwhile.
    pub(crate) fn may_have_woken(&self, server: Duration) -> bool {
        match self.radio {
            RadioState::Awake => false,
            RadioState::MaySleep => server - self.since_ack > MOST_ACK_DELAY,
            RadioState::Asleep => true,
        }
    }

    /// Returns the request, with what the phone expects.
    pub(crate) const fn expecting(self, expects: Expects) -> Self {
        Self { expects, ..self }
    }

    /// Whether what ends the wait may be a message that nobody asked for.
    pub(crate) fn may_be_unasked(&self) -> bool {
        matches!(self.expects, Expects::Perhaps | Expects::PerhapsSoon)
    }

    /// Notes more new bytes from the phone, before the offset `end`; `joined` is true when they belong
    /// to the request before, and `at_once` when there was no pause before them.
    pub(crate) fn extend(&mut self, (now, end): (Instant, i64), joined: bool, at_once: bool) {
        if at_once && self.first.0 == self.asked {
            self.first = (now, end);
        }
        if joined && self.oldest == self.asked {
            self.oldest = now;
        }
        (self.asked, self.acked) = (now, None);
    }

    /// Whether the server had the first write of the request when it acknowledged this offset.
    pub(crate) const fn is_had(&self, acked: i64) -> bool {
        acked >= self.first.1
    }

    /// Notes that a write follows after a pause, and whether Nagle's algorithm may have held it.
    pub(crate) fn pause(&mut self, nagle: bool) {
        self.nagle = Some(self.nagle.unwrap_or(true) && nagle);
    }

    /// Whether the pauses between the writes may all be those of Nagle's algorithm.
    pub(crate) fn waits_for_acks(&self) -> bool {
        self.nagle == Some(true)
    }

    /// When the first write of the request was complete; later writes may have followed after pauses.
    pub(crate) const fn begun(&self) -> Instant {
        self.first.0
    }

    /// Whether the server was sending something else when the request passed.
    pub(crate) const fn is_beside(&self) -> bool {
        self.beside
    }

    /// Whether the server has the request, and nothing shows whether it will answer.
    pub(crate) fn is_over(&self) -> bool {
        (self.beside || self.expects == Expects::Nothing) && self.acked.is_some()
    }

    /// Whether the server had nothing of the request when it acknowledged this offset.
    pub(crate) const fn is_unheard(&self, acked: i64) -> bool {
        acked <= self.start
    }

    /// Notes data of the server that acknowledges the phone's data up to this offset, and answers
    /// nothing: if it has nothing of the request, the server was sending something else.
    pub(crate) const fn note_beside(&mut self, acked: i64) {
        self.beside |= self.is_unheard(acked);
    }

    /// The wait that data ends which acknowledges the whole request, at `now`; `None` where other data
    /// was running on, or where the server sends by itself. Data that ran on does not pause for as
    /// long as `pause` after the server's own ACK of the request, and an answer to what expects none
    /// does not either, or not for `long` where the last message may have been asked for.
    pub(crate) fn answered(&self, now: Instant, pause: Duration, long: Duration) -> Option<Self> {
        let pause = if self.expects == Expects::PerhapsSoon { long.max(pause) } else { pause };
        let paused = self.acked.is_some_and(|ack| now - ack.time > pause);
        let is_answer = match (self.beside, self.expects) {
            (true, _) => paused,
            (false, Expects::Nothing) => !paused,
            (false, _) => true,
        };
        let expects = if paused { self.expects } else { Expects::Answer };
        is_answer.then_some(Self { expects, ..*self })
    }

    /// The waits of the first write and of what followed it, which ends at the offset `end`: the server
    /// answers the first alone, so that this was a request, and what followed is another.
    pub(crate) fn split_first(self, end: i64) -> (Self, Option<Self>) {
        let (asked, first_end) = self.first;
        let rest = (asked != self.asked).then(|| Self::new(self.asked, (first_end, end)));
        (Self { asked, oldest: asked, nagle: None, ..self }, rest)
    }

    /// The wait as it counts in a transfer of this direction. When there are several requests, the
    /// oldest unanswered one decides; an upload counts as one request (methods T3).
    pub(crate) const fn within(self, direction: Direction) -> Self {
        match direction {
            Direction::Uplink => self,
            Direction::Downlink => Self { asked: self.oldest, ..self },
        }
    }

    /// Notes a packet that neither extends the request nor answers it.
    pub(crate) fn note(&mut self, segment: &Segment<'_>, queues: &UeQueues) {
        self.note_repair(segment);
        match segment.direction {
            Direction::Uplink if self.acked.is_none() && is_repeat(segment) => {
                self.resent = Some(segment.time);
            }
            Direction::Downlink if self.acked.is_none() && self.is_acked_by(segment) => {
                self.acked = Some(stamp(segment));
                // The answer may come long after this was the newest sample.
                self.queued.uplink = delay_at(segment, queues, Direction::Uplink);
            }
            _ => {}
        }
    }

    /// Ends the wait with the first byte of the answer.
    pub(crate) fn close(mut self, segment: &Segment<'_>, queues: &UeQueues) -> Self {
        self.answered = Some(segment.time);
        self.note_repair(segment);
        self.queued.downlink = delay_at(segment, queues, Direction::Downlink);
        if self.acked.is_none() {
            self.queued.uplink = delay_at(segment, queues, Direction::Uplink);
        }
        if let Some(ack) = self.acked {
            self.least_think = think(ack, stamp(segment));
            self.since_ack = segment.time - ack.time;
        }
        self
    }

    /// The wait up to `at`, when the capture contains no answer. `None` unless the server had
    /// acknowledged the whole request.
    pub(crate) fn cut_short(
        self,
        at: Instant,
        queue: impl Fn(Instant) -> Duration,
    ) -> Option<Self> {
        let acked =
            self.acked.map(|ack| ack.time).filter(|acked| *acked < at && !self.is_over())?;
        let uplink = queue(acked).min(acked - self.asked);
        let queued = PerDirection { uplink, downlink: Duration::ZERO };
        let since_ack = at - acked;
        Some(Self { answered: Some(at), least_think: since_ack, since_ack, queued, ..self })
    }

    /// Notes that a part of the request that was lost before passes now.
    pub(crate) const fn repair(&mut self, now: Instant) {
        self.resent = Some(now);
    }

    /// Notes what a packet of the server shows about the retransmissions of the request.
    fn note_repair(&mut self, segment: &Segment<'_>) {
        if segment.direction == Direction::Uplink {
            return;
        }
        if segment.dsack.is_some() {
            // The retransmission was needless (RFC 2883).
            self.resent = None;
        }
        if let Some(probe) = segment.tail_probe.filter(|probe| probe.lost) {
            self.resent = Some(probe.sent);
        }
    }

    /// The length of the wait; `None` while it lasts, and when the clock stepped back.
    pub(crate) fn length(&self) -> Option<Duration> {
        let length = self.answered? - self.asked;
        Some(length).filter(|length| *length >= Duration::ZERO)
    }

    fn is_acked_by(&self, segment: &Segment<'_>) -> bool {
        segment.payload_bytes == 0 && segment.acked_bytes > 0 && segment.peer.in_flight_bytes() <= 0
    }
}

/// How long the phone's newest packets of a direction waited before the radio, as a capture at the
/// phone shows when this packet passes.
fn delay_at(segment: &Segment<'_>, queues: &UeQueues, direction: Direction) -> Duration {
    let at_phone = segment.flow.vantage == Some(Vantage::Ue);
    if at_phone { queues.delay(direction, segment.time) } else { Duration::ZERO }
}

/// The server's time between two of its packets, measured by its own clock, which neither a queue
/// nor the radio delays. Zero when its tick is not a whole number of milliseconds.
fn think(ack: Stamp, answer: Stamp) -> Duration {
    let passed = answer.time - ack.time;
    let (Some(from), Some(to)) = (ack.tsval, answer.tsval) else { return Duration::ZERO };
    let ticks = to.wrapping_sub(from);
    let least = Duration::from_nanos(i64::from(ticks).saturating_mul(SHORTEST_TICK.as_nanos()));
    // With a tick shorter than a millisecond, this would exceed the time that has passed.
    if least <= passed.times(2) { least.min(passed) } else { Duration::ZERO }
}

fn stamp(segment: &Segment<'_>) -> Stamp {
    Stamp { time: segment.time, tsval: segment.timestamps.map(|stamps| stamps.value) }
}

/// Whether the segment is a retransmission. A tail loss probe does not count, because it may be
/// needless; the answer to it shows whether it was.
fn is_repeat(segment: &Segment<'_>) -> bool {
    segment.class == Some(SegmentClass::Retransmission)
}
