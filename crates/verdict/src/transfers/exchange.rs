//! One transfer in the making (methods T1).

use std::collections::VecDeque;

use airmile_track::{Events, Segment, SegmentClass};
use airmile_types::{
    Cause, Direction, Duration, Held, Instant, Maybe, Parameters, PerDirection, Vantage,
};

use super::http::is_http;
use crate::evidence::{UeQueues, Wait};

/// What began a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// A request line of HTTP/1.x in clear.
    Http,
    /// An uplink payload packet while everything was acknowledged.
    Request,
    /// Payload after a silence.
    Push,
    /// The flow itself, met in mid-transfer.
    Flow,
}

impl Boundary {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Request => "request",
            Self::Push => "push",
            Self::Flow => "flow",
        }
    }
}

/// No segment of a sender with more to send is shorter: every link carries packets of 1280 bytes
/// (RFC 8200 section 5), which headers and options take up to 80 of.
const FULL_LEAST: u32 = 1200;

/// Two writes of one request follow each other this closely.
const AT_ONCE: Duration = Duration::from_millis(10);

/// More waits than this are not kept until they are judged: their slices would be too short to see.
const MOST_WAITS: usize = 4096;

/// Of more repeats of the last bytes than this the newest are kept.
const MOST_REPAIRS: usize = 64;

/// What a packet's payload is to a transfer (methods T1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Flights of a TLS handshake: neither a request nor an answer.
    Handshake,
    /// Tickets, alerts, SETTINGS and short records: no request or answer begins with them, unless
    /// nothing else comes and this one may have been the answer.
    Minor,
    /// All else, and no payload at all.
    Data,
}

/// A transfer: a request and what came of it, either way.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) number: u32,
    pub(crate) boundary: Boundary,
    /// Handshake, DNS and promotion before the flow's first request.
    pub(crate) opening: Vec<(Instant, Instant, Cause)>,
    pub(crate) request: Instant,
    first_byte: PerDirection<Maybe<Instant>>,
    last_new: PerDirection<Maybe<Instant>>,
    last_ack: PerDirection<Maybe<Instant>>,
    /// Offset after its last new byte.
    last_offset: PerDirection<i64>,
    pub(crate) bytes: PerDirection<i64>,
    pub(crate) packets: u32,
    /// The request that awaits its answer.
    open: Option<Box<Wait>>,
    /// Waits that are over and not yet judged.
    pub(crate) waits: VecDeque<Wait>,
    /// The wait of the request that began it.
    pub(crate) first_wait: Option<Box<Wait>>,
    /// Loops that its requests have waited for.
    pub(crate) round_trips: u32,
    /// The wait as it would be if a minor record had been the answer, and the length of that.
    doubtful: Option<Box<(Wait, u32)>>,
    /// Requests of HTTP/1.x in clear, and answers that came one by one.
    requests: u32,
    answers: u32,
    /// Offset after the newest byte of a request.
    asked_to: i64,
    /// The last packet of the request was full, so that a shorter one may end it.
    full: bool,
    /// What was sent again since the last new downlink byte: first byte, offset after the last, time.
    repairs: Vec<(i64, i64, Instant)>,
    /// The capture, or a reset, ended it in its middle.
    cut: Maybe<Instant>,
    /// Newest packet that passed while the receiver of a direction took nothing.
    held: PerDirection<Maybe<Instant>>,
    /// Reset by the receiver: the transfer ended there, whatever still drains.
    pub(crate) reset: Maybe<Instant>,
    /// The direction, once rows have left.
    settled: Option<Direction>,
    /// Rows up to here have left.
    pub(crate) flushed: Maybe<Instant>,
    pub(crate) shares: Shares,
}

const _: () = assert!(size_of::<Exchange>() <= 336, "each live flow with payload holds one");

/// Time by cause; none until a slice has left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares(Option<Box<[i64; Cause::ALL.len()]>>);

airmile_types::held!(Shares { 0 });

impl Held for Exchange {
    fn held_bytes(&self) -> usize {
        let waits = self.open.held_bytes() + self.waits.held_bytes() + self.first_wait.held_bytes();
        let doubtful = self.doubtful.as_deref().map_or(0, size_of_val);
        let lists = self.opening.held_bytes() + self.repairs.held_bytes();
        waits + doubtful + lists + self.shares.held_bytes()
    }

    fn give_back(&mut self) {
        self.open.give_back();
        self.waits.give_back();
        self.first_wait.give_back();
        self.opening.give_back();
        self.repairs.give_back();
        self.shares.give_back();
    }
}

impl Exchange {
    pub(crate) fn new(number: u32, boundary: Boundary, request: Instant) -> Self {
        Self {
            number,
            boundary,
            opening: Vec::new(),
            request,
            first_byte: PerDirection::default(),
            last_new: PerDirection::default(),
            last_ack: PerDirection::default(),
            last_offset: PerDirection { uplink: i64::MIN, downlink: i64::MIN },
            bytes: PerDirection::default(),
            packets: 0,
            open: None,
            waits: VecDeque::new(),
            first_wait: None,
            round_trips: 0,
            doubtful: None,
            asked_to: i64::MIN,
            requests: 0,
            answers: 0,
            full: false,
            repairs: Vec::new(),
            cut: Maybe::NONE,
            held: PerDirection::default(),
            reset: Maybe::NONE,
            settled: None,
            flushed: Maybe::NONE,
            shares: Shares::default(),
        }
    }

    /// Counts a packet of this transfer. Gives the wait that it ends.
    #[inline]
    pub(crate) fn take(
        &mut self,
        segment: &Segment<'_>,
        content: Content,
        queues: &UeQueues,
        parameters: &Parameters,
    ) -> Option<Wait> {
        let now = segment.time;
        if self.reset.is_some() {
            return None;
        }
        let mut ended = None;
        self.packets = self.packets.saturating_add(1);
        if !self.repairs.is_empty() || segment.events.any(Events::OLD) {
            self.note_repair(segment);
        }
        if segment.probed_bytes > 0 {
            *self.bytes.of_mut(segment.direction.reverse()) += i64::from(segment.probed_bytes);
        }
        if segment.new_bytes > 0 && content != Content::Handshake {
            *self.bytes.of_mut(segment.direction) += i64::from(segment.new_bytes);
            if content == Content::Data {
                self.first_byte.of_mut(segment.direction).get_or_insert(now);
            }
            let last = self.last_new.of_mut(segment.direction);
            let before = last.get();
            // Alerts and pings do not keep a transfer going that nobody has asked to go on.
            if content == Content::Data || self.open.is_some() {
                last.note(now);
                let offset = self.last_offset.of_mut(segment.direction);
                *offset = segment.end.max(*offset);
            }
            match (content, segment.direction) {
                (Content::Data, Direction::Uplink) => self.ask(segment, before, parameters),
                (Content::Data, Direction::Downlink) => {
                    ended = self.answer(segment, before, queues);
                }
                (Content::Minor, Direction::Downlink) => self.doubt(segment, queues),
                _ => {}
            }
        } else if let Some(open) = &mut self.open {
            open.note(segment);
        }
        if segment.acked_bytes > 0 && !acknowledges_fin_alone(segment) && !self.is_beside(segment) {
            self.last_ack.of_mut(segment.direction.reverse()).note(now);
        }
        if segment.events.any(Events::RST) {
            self.reset = now.into();
        }
        ended
    }

    /// New bytes from the phone are a request, or more of the one before; few bytes only where the
    /// packet before them was full, for they may as well be control data of HTTP/2 (methods T1).
    fn ask(&mut self, segment: &Segment<'_>, before: Option<Instant>, parameters: &Parameters) {
        let large = f64::from(segment.payload_bytes) >= parameters.request_min_bytes;
        let at_once = before.is_some_and(|before| segment.time - before <= AT_ONCE);
        let first = self.bytes.uplink <= i64::from(segment.new_bytes) && !self.has_response();
        let http = is_http(segment);
        let joined = !http && (self.full || at_once);
        match &mut self.open {
            Some(open) if large || self.full => open.extend(segment.time, joined),
            None if large || first => {
                let woken = may_wake_radio(segment, parameters);
                self.open = Some(Box::new(Wait::new(segment.time).after_silence(woken)));
            }
            _ => {}
        }
        if let Some(open) = self.open.as_mut().filter(|_| fills_hole(segment)) {
            open.repair(segment.time);
        }
        if large || self.full || first {
            self.asked_to = self.asked_to.max(segment.end);
        }
        if http {
            self.requests = self.requests.saturating_add(request_lines(segment));
        }
        self.full = segment.payload_bytes >= segment.own.mss_bytes().max(FULL_LEAST);
    }

    /// The repeats of the last bytes: until the last of them was repaired they have not arrived.
    #[inline(never)]
    fn note_repair(&mut self, segment: &Segment<'_>) {
        use SegmentClass::{Retransmission, TailProbe};
        if segment.direction == Direction::Uplink {
            if !self.repairs.is_empty() {
                self.forget_unneeded(segment);
            }
        } else if segment.new_bytes > 0 {
            self.repairs.clear();
        } else if matches!(segment.class, Some(Retransmission | TailProbe)) {
            if self.repairs.len() == MOST_REPAIRS {
                self.repairs.remove(0);
            }
            self.repairs.push((segment.start, segment.end, segment.time));
        }
    }

    #[cold]
    fn forget_unneeded(&mut self, segment: &Segment<'_>) {
        let (unneeded, probe) = (segment.dsack, segment.tail_probe.filter(|probe| !probe.lost));
        self.repairs.retain(|&(start, end, at)| {
            !unneeded.is_some_and(|(left, right)| left < end && start < right)
                && probe.is_none_or(|probe| probe.sent != at)
        });
    }

    /// It acknowledges what came after the requests: alerts, pings, window updates.
    fn is_beside(&self, segment: &Segment<'_>) -> bool {
        let before = || segment.ack.unwrap_or(0).saturating_sub_unsigned(segment.acked_bytes);
        segment.direction == Direction::Downlink && before() >= self.asked_to
    }

    /// New bytes from the server answer the request that is open.
    fn answer(
        &mut self,
        segment: &Segment<'_>,
        before: Option<Instant>,
        queues: &UeQueues,
    ) -> Option<Wait> {
        // Within two round trips it is a later flight of the same answer.
        let flight = || segment.own.srtt().map_or(AT_ONCE, |srtt| srtt.times(2).max(AT_ONCE));
        let apart = |gap| gap > AT_ONCE && gap > flight();
        if before.is_none_or(|before| apart(segment.time - before)) {
            self.answers = self.answers.saturating_add(1);
        }
        let wait = self.open.take()?.close(segment, queues);
        self.full = false;
        if self.first_wait.is_none() {
            self.first_wait = Some(Box::new(wait));
        }
        match self.waits.len() {
            // Most transfers have one.
            0 => self.waits.reserve_exact(1),
            MOST_WAITS => drop(self.waits.pop_front()),
            _ => {}
        }
        self.waits.push_back(wait);
        Some(wait)
    }

    /// A request that was not seen to begin when it passed, because its size did not say so.
    pub(crate) fn reopen(&mut self, wait: Box<Wait>) {
        self.open = Some(wait);
    }

    /// The longest of minor records may be the answer.
    fn doubt(&mut self, segment: &Segment<'_>, queues: &UeQueues) {
        let longer = self.doubtful.as_ref().is_none_or(|known| segment.payload_bytes > known.1);
        if let Some(wait) = self.open.as_ref().filter(|_| longer) {
            self.doubtful = Some(Box::new((wait.close(segment, queues), segment.payload_bytes)));
        }
    }

    /// Nothing more comes: where nothing else answered, a doubtful record did.
    pub(crate) fn conclude(&mut self) {
        let response = self.has_response();
        if let Some((wait, _)) = self.doubtful.as_deref().copied().filter(|_| !response) {
            self.first_byte.downlink = wait.answered.into();
            self.first_wait = Some(Box::new(wait));
            self.waits.push_back(wait);
        }
        self.settle_direction();
    }

    /// The flow's packets end in its middle: with data on the way, or with a request that was
    /// acknowledged and not answered, it lasted until then.
    pub(crate) fn cut_short(&mut self, at: Instant, acked: i64, round_trip: Duration) {
        // Within a round trip of any last byte its ACK is awaited: nothing shows a stop.
        let in_flight =
            acked < *self.last_offset.of(self.direction()) && at - self.end() > round_trip;
        if in_flight {
            self.cut = at.into();
        }
    }

    /// Nothing more comes after `at`: a request that was acknowledged and not answered waited until
    /// then. `queue` says how long what was acknowledged at an instant had waited before the uplink.
    pub(crate) fn wait_until(&mut self, at: Instant, queue: impl Fn(Instant) -> Duration) {
        let waited = self.open.as_ref().and_then(|open| open.cut_short(at, queue));
        let Some(waited) = waited else { return };
        let open = self.open.take();
        self.first_wait = self.first_wait.take().or(open);
        self.waits.push_back(waited);
        self.cut = at.into();
    }

    /// It is the first of its flow and may have begun before: no request is its beginning, or what it
    /// sends is the end of an upload. A window that was met closed needs no more packets.
    pub(crate) fn is_met(&self) -> bool {
        let begun = matches!(self.boundary, Boundary::Http | Boundary::Request);
        let held = self.held.of(self.direction()).is_some();
        self.number == 0 && !held && (!begun || self.direction() == Direction::Uplink)
    }

    /// Bytes of it are not acknowledged, or a request of it is not answered.
    pub(crate) fn is_unfinished(&self, acked: i64) -> bool {
        self.open.is_some() || self.cut.is_some() || acked < *self.last_offset.of(self.direction())
    }

    /// The receiver of a direction takes nothing: the transfer goes on although nothing new passes.
    pub(crate) fn hold(&mut self, direction: Direction, now: Instant) {
        if self.reset.is_some() {
            return;
        }
        self.held.of_mut(direction).note(now);
    }

    /// The direction with more bytes; fixed once rows have left.
    pub(crate) fn direction(&self) -> Direction {
        let only_held = self.bytes.downlink == 0 && self.held.downlink < self.held.uplink;
        let larger = if self.bytes.uplink > self.bytes.downlink || only_held {
            Direction::Uplink
        } else {
            Direction::Downlink
        };
        self.settled.unwrap_or(larger)
    }

    pub(crate) fn settle_direction(&mut self) -> Direction {
        *self.settled.insert(self.direction())
    }

    /// Where its slices begin: the opening, when it has one.
    pub(crate) fn start(&self) -> Instant {
        self.opening
            .iter()
            .map(|(from, _, _)| *from)
            .min()
            .unwrap_or(self.request)
            .min(self.request)
    }

    /// When the request that began it was complete; `None` of a push.
    pub(crate) fn asked(&self) -> Option<Instant> {
        let wait = self.first_wait.as_ref().or(self.open.as_ref());
        wait.map(|wait| wait.within(self.direction()).asked)
    }

    /// Whether a request is open although an answer has begun (methods T1).
    pub(crate) fn is_asked_again(&self) -> bool {
        self.open.is_some() && self.has_response()
    }

    /// Whether fewer answers than requests have come, of a transfer that is no upload. Only HTTP/1.x
    /// in clear shows how many requests there are.
    pub(crate) const fn owes_answer(&self) -> bool {
        self.requests > self.answers && self.bytes.downlink >= self.bytes.uplink
    }

    /// Whether a part of its requests is not acknowledged.
    pub(crate) const fn is_asking_in_flight(&self, acked: i64) -> bool {
        acked < self.asked_to
    }

    /// Whether a request awaits its answer.
    pub(crate) const fn is_asking(&self) -> bool {
        self.open.is_some()
    }

    /// The first byte of data that the phone was sent.
    pub(crate) fn has_response(&self) -> bool {
        self.first_byte.downlink.is_some()
    }

    /// First payload byte in the direction of the transfer.
    pub(crate) fn first_byte(&self) -> Option<Instant> {
        self.first_byte.of(self.direction()).get()
    }

    /// Downlink: the last new payload byte, or the last repair of what came before it; uplink: the
    /// last ACK of one, or the last byte of the answer to it (methods T1); either way not before the
    /// window of its receiver opened, and where the capture or a reset ended it in its middle, then.
    pub(crate) fn end(&self) -> Instant {
        let end = match self.direction() {
            Direction::Downlink => {
                let repaired = self.repairs.iter().map(|(_, _, at)| *at).max();
                let last = self.last_new.downlink.get();
                Maybe::from(last.map(|last| repaired.map_or(last, |at| at.max(last))))
            }
            Direction::Uplink => {
                let sent = self.last_ack.uplink.max(self.last_new.uplink);
                if self.has_response() { sent.max(self.last_new.downlink) } else { sent }
            }
        };
        let end = end.max(*self.held.of(self.direction())).max(self.cut);
        end.get().map_or(self.request, |end| end.max(self.request))
    }

    /// From when on nothing but the answer to an upload is sent; `None` before.
    pub(crate) fn only_answers_from(&self) -> Option<Instant> {
        let answered = self.waits.back().or(self.first_wait.as_deref())?.answered?;
        (self.last_new.uplink <= Maybe::from(answered)).then_some(answered)
    }

    /// Less than 1 KB both ways (methods T1): kept, not in shares. What a closed window held may
    /// have been more.
    pub(crate) fn is_control(&self, control_bytes: f64) -> bool {
        !self.held.of(self.direction()).is_some()
            && (self.bytes.downlink as f64) < control_bytes
            && (self.bytes.uplink as f64) < control_bytes
    }
}

/// New at the tap, though what follows it has passed: its first copy was lost before the tap.
fn fills_hole(segment: &Segment<'_>) -> bool {
    matches!(segment.class, Some(SegmentClass::Retransmission | SegmentClass::UpstreamLoss))
}

/// All data was acknowledged before.
fn acknowledges_fin_alone(segment: &Segment<'_>) -> bool {
    segment.acked_bytes == 1 && segment.peer.unacked() > segment.peer.data_end()
}

/// At the phone, where a promotion lies behind the tap: nothing had passed for the radio's tail.
pub(super) fn may_wake_radio(segment: &Segment<'_>, parameters: &Parameters) -> bool {
    let silent = segment.ue.last_packet.map(|last| (segment.time - last).as_secs_f64());
    segment.flow.vantage == Some(Vantage::Ue) && silent.is_some_and(|s| s >= parameters.tail_s)
}

/// Requests of HTTP/1.x in clear that one packet holds; those whose line was not captured to its
/// end count as one.
fn request_lines(segment: &Segment<'_>) -> u32 {
    const VERSION: &[u8] = b" HTTP/1.";
    let lines = segment.payload.windows(VERSION.len()).filter(|bytes| *bytes == VERSION).count();
    lines.max(1) as u32
}

impl Shares {
    pub(crate) fn add(&mut self, cause: Cause, length: Duration) {
        let own = &mut self.0.get_or_insert_default()[cause as usize];
        *own = own.saturating_add(length.as_nanos());
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        let Some(other) = &other.0 else { return };
        for (own, more) in self.0.get_or_insert_default().iter_mut().zip(&**other) {
            *own = own.saturating_add(*more);
        }
    }

    /// Share of one cause; `None` of nothing.
    pub(crate) fn ratio(&self, cause: Cause) -> Option<f64> {
        let total = self.total_ns();
        let own = self.0.as_ref()?[cause as usize];
        (total > 0).then(|| own as f64 / total as f64)
    }

    /// Wider than its parts: two of them may last centuries each where the clock is garbage.
    fn total_ns(&self) -> i128 {
        self.0.iter().flat_map(|times| &**times).map(|time| i128::from(*time)).sum()
    }

    /// The cause with the largest share; the earlier of equals. `None` of nothing.
    pub(crate) fn largest(&self) -> Option<Cause> {
        let times = self.0.as_ref()?;
        let best = Cause::ALL.iter().rev().max_by_key(|cause| times[**cause as usize])?;
        (times[*best as usize] > 0).then_some(*best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_centuries_add_up_to_one() {
        let mut shares = Shares::default();
        for cause in [Cause::UpstreamPath, Cause::SenderApp, Cause::Idle] {
            shares.add(cause, Duration::from_nanos(i64::MAX));
        }
        let sum: f64 = Cause::ALL.iter().filter_map(|cause| shares.ratio(*cause)).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
    }
}
