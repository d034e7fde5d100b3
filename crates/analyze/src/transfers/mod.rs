#![doc = include_str!("transfers.md")]

mod emit;
mod exchange;
mod opening;
mod row;
mod small;
mod wait;

use std::collections::VecDeque;

use airmile_read::TcpFlags;
use airmile_track::{Ending, FlowFacts, Scoreboard, Segment};
use airmile_types::{Cause, Direction, Duration, Instant, PerDirection, Vantage};

use emit::Context;
use exchange::{Boundary, Content, Exchange, Shares};
pub use row::{LimitRow, TransferFacts, TransferRow};
pub(crate) use wait::Wait;

use crate::evidence::{Frames, Limits, OneWayClocks, Sender, ServerLoop, Spans, UeQueues};
use crate::slices::SliceRow;
use crate::tls::{Part, TlsHandshake};
use crate::{Output, Parameters};

/// Evidence for a slice may come this much later: the deepest queues hold seconds.
const SETTLED: Duration = Duration::from_secs(10);

/// Long transfers leave in pieces of at least this length.
const PIECE: Duration = Duration::from_secs(1);

/// The transfers of one flow.
#[derive(Default)]
pub(crate) struct Transfers {
    senders: PerDirection<Sender>,
    clocks: OneWayClocks,
    spans: Spans,
    frames: Frames,
    current: Option<Exchange>,
    /// Ended, and waiting for the last of their evidence.
    closing: VecDeque<Exchange>,
    number: u32,
    timestamps: PerDirection<bool>,
    /// Last payload of a direction, or its last ACK.
    last_activity: PerDirection<Option<Instant>>,
    /// The newest segment.
    newest: Option<Instant>,
    /// The tap's clock went back, and nothing new has passed since.
    stepped_back: bool,
    /// The phone has gone on although something that it sent was not answered.
    unanswered: bool,
    /// The first FIN.
    closed: Option<Instant>,
    shares: Shares,
    /// How long the radio took to wake up before the flow, as far as it is known.
    promotion: Option<Duration>,
    server_loop: ServerLoop,
    /// From the first to the last packet of the TLS handshake.
    tls: Option<(Instant, Instant)>,
    tls_open: bool,
    /// A record too small for a sure request, with nothing else asked for since.
    small: Option<Wait>,
    due: Due,
}

/// What may leave next, so that a packet that lets nothing out costs a comparison.
#[derive(Clone, Copy, Debug)]
struct Due {
    /// Request of the flow's first transfer, while its opening has not left.
    opening: Instant,
    first: Option<First>,
}

/// The transfer whose rows leave next.
#[derive(Clone, Copy, Debug)]
enum First {
    /// It has ended.
    Ended(Instant),
    /// It goes on; its rows have left up to here.
    Current(Instant),
}

impl Default for Due {
    fn default() -> Self {
        Self { opening: Instant::MAX, first: None }
    }
}

/// Rows on their way out.
#[derive(Default)]
pub(crate) struct TransferEvents {
    pub(crate) transfers: Vec<TransferRow>,
    pub(crate) slices: Vec<SliceRow>,
}

impl TransferEvents {
    /// Hands every row over.
    pub(crate) fn flush<O: Output>(&mut self, output: &mut O) {
        if !self.transfers.is_empty() {
            output.rows(&mut self.transfers);
        }
        if !self.slices.is_empty() {
            output.rows(&mut self.slices);
        }
    }
}

impl Transfers {
    /// The transfers of a flow whose handshake has passed, as far as it was seen.
    pub(crate) fn new(flow: &FlowFacts) -> Self {
        let mut transfers = Self::default();
        for packet in [flow.syn, flow.syn_ack, flow.handshake_ack].into_iter().flatten() {
            transfers.frames.note(packet.time, packet.frame, None);
        }
        transfers
    }

    /// Takes one segment of the flow.
    pub(crate) fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        tls: &TlsHandshake,
        queues: &mut UeQueues,
        (parameters, limits): (&Parameters, &Limits),
        out: &mut TransferEvents,
    ) {
        self.watch_clock(segment.time, parameters);
        let payload = (segment.payload_bytes > 0).then_some(segment.direction);
        self.frames.note(segment.time, segment.frame, payload);
        let blocked = self.senders.of(segment.direction).is_blocked(segment.time);
        self.senders.of_mut(segment.direction).on_own(segment, limits);
        if segment.ack.is_some() {
            self.senders.of_mut(segment.direction.reverse()).on_peer(segment);
        }
        queues.on_segment(segment, &mut self.clocks, &mut self.spans, limits);
        if segment.flags.has(TcpFlags::FIN) {
            self.closed.get_or_insert(segment.time);
        }
        *self.timestamps.of_mut(segment.direction) |= segment.timestamps.is_some();
        self.server_loop.take(segment, &mut queues.handshakes, parameters);
        if self.follow(segment, tls, queues, blocked, parameters) && self.may_flush(segment.time) {
            let boards = match segment.direction {
                Direction::Downlink => [segment.peer, segment.own],
                Direction::Uplink => [segment.own, segment.peer],
            };
            let context = Context { flow: segment.flow, boards, queues, parameters };
            self.flush(segment.time, &context, out);
        }
    }

    /// Which transfer the segment belongs to; `false` where only a later one tells.
    fn follow(
        &mut self,
        segment: &Segment<'_>,
        tls: &TlsHandshake,
        queues: &UeQueues,
        blocked: bool,
        parameters: &Parameters,
    ) -> bool {
        let content = self.content(segment, tls);
        let least = if tls.is_tls() { parameters.small_request_bytes } else { 1.0 };
        if self.note_small(segment, content, least, parameters) {
            return false;
        }
        if segment.new_bytes > 0 && content == Content::Data {
            self.bound(segment, blocked, parameters);
        }
        if let Some(current) = &mut self.current
            && let Some(wait) = current.take(segment, content, queues, parameters)
            && wait.resent.is_none()
            && let Some(length) = wait.length()
        {
            self.server_loop.note_bound(length);
        }
        if self.senders.downlink.is_closed() || self.senders.uplink.is_closed() {
            self.hold(segment, parameters);
        }
        if segment.payload_bytes > 0 {
            *self.last_activity.of_mut(segment.direction) = Some(segment.time);
        }
        if segment.acked_bytes > 0 {
            *self.last_activity.of_mut(segment.direction.reverse()) = Some(segment.time);
        }
        true
    }

    /// How late this segment, the newest, was by its sender's timestamps.
    pub(crate) fn excess(&self, segment: &Segment<'_>) -> Option<Duration> {
        segment.timestamps.and_then(|_| self.clocks.newest_excess())
    }

    /// Whether the flow's opening may leave with the packet that comes at `now`: from then on its
    /// promotion is settled.
    #[inline]
    pub(crate) fn may_open(&self, now: Instant) -> bool {
        self.due.opening < now - SETTLED
    }

    /// How long the radio took to wake up (methods B2).
    pub(crate) const fn note_promotion(&mut self, promotion: Option<Duration>) {
        self.promotion = promotion;
    }

    /// The flow has ended: everything leaves.
    pub(crate) fn on_end(
        &mut self,
        flow: &FlowFacts,
        boards: &PerDirection<Scoreboard>,
        queues: &UeQueues,
        (parameters, limits): (&Parameters, &Limits),
        out: &mut TransferEvents,
    ) {
        self.spans.note_rest(&mut self.clocks, limits);
        let context =
            Context { flow, boards: [&boards.uplink, &boards.downlink], queues, parameters };
        if self.number == 0 {
            self.unused(&context, out);
        }
        self.wait_until_closed(flow, queues);
        self.cut_short(flow, boards, limits);
        self.closing.extend(self.current.take());
        while let Some(exchange) = self.closing.pop_front() {
            self.finish(exchange, &context, out);
        }
    }

    /// A capture that ends in mid-transfer, or a reset, takes no verdict from what was before.
    fn cut_short(&mut self, flow: &FlowFacts, boards: &PerDirection<Scoreboard>, limits: &Limits) {
        let Some(current) = &mut self.current else { return };
        if !matches!(flow.ending, Ending::Open | Ending::Rst) {
            return;
        }
        let end = current.reset.map_or(flow.end, |reset| reset.min(flow.end));
        let board = boards.of(current.direction());
        current.cut_short(end, board.unacked(), board.srtt().unwrap_or(Duration::ZERO));
        for data in [Direction::Uplink, Direction::Downlink] {
            self.senders.of_mut(data).settle_rest(end);
            // The oldest data in flight, which nothing calls lost, and the least RTT.
            let live = boards.of(data).oldest_live().zip(boards.of(data).rtt_min());
            UeQueues::note_live(live, data, end, &self.clocks, &mut self.spans, limits);
        }
    }

    /// The server owes the answer to what it has acknowledged, until either end closes (methods T1).
    ///
    /// Once an answer has begun, what the phone sends before it closes may be its farewell; and where
    /// it has gone on without an answer before, none is expected.
    fn wait_until_closed(&mut self, flow: &FlowFacts, queues: &UeQueues) {
        let Some(current) = &mut self.current else { return };
        let answered = current.has_response();
        let owed = match flow.ending {
            Ending::Open | Ending::Rst => answered || !self.unanswered,
            Ending::Fin => !answered && !self.unanswered,
            _ => false,
        };
        // Against a closed window of the server nothing was asked that it has read.
        if !owed || self.senders.uplink.is_closed() {
            return;
        }
        let over = self.closed.or(current.reset).map_or(flow.end, |closed| closed.min(flow.end));
        let at_phone = flow.vantage == Some(Vantage::Ue);
        current.wait_until(over, |acked| {
            if at_phone { queues.delay(Direction::Uplink, acked) } else { Duration::ZERO }
        });
    }

    /// The cause with the largest share of the flow's transfers.
    pub(crate) fn limited_by(&self) -> Option<Cause> {
        self.shares.largest()
    }

    /// What the segment's payload is to a transfer; follows the TLS handshake meanwhile.
    #[inline]
    fn content(&mut self, segment: &Segment<'_>, tls: &TlsHandshake) -> Content {
        if segment.payload_bytes == 0 || !(tls.is_tls() || self.tls_open) {
            return Content::Data;
        }
        let part = tls.part();
        let ends = self.tls_open && !tls.is_open();
        if ends || part == Part::Handshake {
            self.tls.get_or_insert((segment.time, segment.time)).1 = segment.time;
        }
        self.tls_open = tls.is_open();
        match part {
            Part::Handshake => Content::Handshake,
            Part::Minor => Content::Minor,
            Part::Application { .. } | Part::NotTls => Content::Data,
        }
    }

    /// A closed window holds the transfer, also one that was met in mid-stream and of which nothing
    /// has passed.
    #[cold]
    fn hold(&mut self, segment: &Segment<'_>, parameters: &Parameters) {
        for direction in [Direction::Downlink, Direction::Uplink] {
            if !self.senders.of(direction).is_closed() {
                continue;
            }
            let met = segment.flow.syn.is_none() && segment.flow.syn_ack.is_none();
            if self.current.is_none() && met {
                self.begin(Boundary::Flow, segment, parameters);
            }
            if let Some(current) = &mut self.current {
                current.hold(direction, segment.time);
            }
        }
    }

    /// Ends the current transfer and begins the next where methods T1 says so.
    fn bound(&mut self, segment: &Segment<'_>, blocked: bool, parameters: &Parameters) {
        if std::mem::take(&mut self.stepped_back) {
            return self.begin(Boundary::Flow, segment, parameters);
        }
        let boundary = match segment.direction {
            Direction::Uplink => self.uplink_boundary(segment, blocked, parameters),
            Direction::Downlink => self.downlink_boundary(segment, blocked, parameters),
        };
        if let Some(boundary) = boundary {
            self.begin(boundary, segment, parameters);
        }
    }

    /// A request: payload of some size while every downlink byte seen is acknowledged. What
    /// follows it without an answer, or while its own bytes are in flight, extends it.
    fn uplink_boundary(
        &self,
        segment: &Segment<'_>,
        blocked: bool,
        parameters: &Parameters,
    ) -> Option<Boundary> {
        let http = is_http(segment);
        let large = f64::from(segment.payload_bytes) >= parameters.request_min_bytes;
        let request = (large || http) && segment.peer.in_flight_bytes() <= 0;
        let Some(current) = &self.current else {
            return Some(if request { request_kind(http) } else { Boundary::Push });
        };
        if !request || current.is_asking_in_flight(segment.own.unacked()) {
            return None;
        }
        let silent = !blocked
            && self.is_silent(segment, parameters)
            && current.bytes.uplink > current.bytes.downlink;
        (current.has_response() || silent).then(|| request_kind(http))
    }

    /// Payload after a second of silence that nobody asked for. A closed window is no silence:
    /// the transfer goes on when the reader does.
    fn downlink_boundary(
        &self,
        segment: &Segment<'_>,
        blocked: bool,
        parameters: &Parameters,
    ) -> Option<Boundary> {
        let Some(current) = &self.current else {
            let opened = segment.flow.syn.is_some() || segment.flow.syn_ack.is_some();
            return Some(if opened { Boundary::Push } else { Boundary::Flow });
        };
        if !current.has_response() || !self.is_silent(segment, parameters) {
            return None;
        }
        let silence = self.last_activity.of(Direction::Downlink).map(|last| segment.time - last);
        let owed = current.owes_answer()
            && silence.is_some_and(|silence| silence.as_secs_f64() <= parameters.long_poll_s);
        let asked = current.is_asked_again() || owed;
        let idle = segment.own.unacked() >= segment.start && !blocked && !asked;
        idle.then_some(Boundary::Push)
    }

    /// The tap's clock went back by more than the silence that parts transfers (methods A10): no
    /// time after that can be measured from one before, whatever packet comes first.
    #[inline]
    fn watch_clock(&mut self, now: Instant, parameters: &Parameters) {
        match self.newest {
            Some(newest) if newest > now => self.step_back(newest - now, now, parameters),
            _ => self.newest = Some(now),
        }
    }

    #[cold]
    fn step_back(&mut self, back: Duration, now: Instant, parameters: &Parameters) {
        if back.as_secs_f64() > parameters.silence_s {
            self.newest = Some(now);
            self.stepped_back = true;
            self.last_activity = PerDirection::default();
        }
    }

    #[inline]
    fn is_silent(&self, segment: &Segment<'_>, parameters: &Parameters) -> bool {
        let last = self.last_activity.of(segment.direction);
        last.is_some_and(|last| (segment.time - last).as_secs_f64() > parameters.silence_s)
    }

    fn begin(&mut self, boundary: Boundary, segment: &Segment<'_>, parameters: &Parameters) {
        let mut exchange = Exchange::new(self.number, boundary, segment.time);
        if self.number > 0 && boundary != Boundary::Flow {
            let gain = self.clocks.newest_gain(segment.direction);
            exchange.opening = opening::of_request(segment, gain, parameters);
        }
        self.unanswered |= self.current.as_ref().is_some_and(|before| !before.has_response());
        self.replace(exchange);
    }

    /// A transfer begins, and the one before waits for the last of its evidence.
    fn replace(&mut self, exchange: Exchange) {
        self.number += 1;
        self.closing.extend(self.current.replace(exchange));
        self.renew_due();
    }

    /// Lets out what no later packet can change any more.
    fn flush(&mut self, now: Instant, context: &Context<'_>, out: &mut TransferEvents) {
        let settled = now - SETTLED;
        while self.closing.front().is_some_and(|x| is_settled(x.end(), settled)) {
            if let Some(exchange) = self.closing.pop_front() {
                self.finish(exchange, context, out);
            }
        }
        // Long transfers leave in pieces, a second at a time.
        if let Some(mut current) = self.current.take() {
            let from = current.flushed.unwrap_or(current.request);
            let to = Instant::from_nanos(
                settled.as_nanos().div_euclid(1_000_000_000).saturating_mul(1_000_000_000),
            );
            if self.closing.is_empty() && to - from >= PIECE && to <= current.end() {
                current.settle_direction();
                self.cut(&mut current, (from, to), context, out);
            }
            self.current = Some(current);
        }
        self.renew_due();
    }

    /// Most packets let nothing out: the first exchange is either not settled, or cut already.
    #[inline]
    fn may_flush(&self, now: Instant) -> bool {
        let settled = now - SETTLED;
        match self.due.first {
            Some(First::Current(from)) => settled - from >= PIECE,
            Some(First::Ended(end)) => is_settled(end, settled),
            None => false,
        }
    }

    /// After a transfer has begun, or rows have left.
    fn renew_due(&mut self) {
        let first = match (self.closing.front(), &self.current) {
            (Some(ended), _) => Some(First::Ended(ended.end())),
            (None, Some(current)) => {
                Some(First::Current(current.flushed.unwrap_or(current.request)))
            }
            (None, None) => None,
        };
        let exchange = self.closing.front().or(self.current.as_ref());
        let opening = exchange.filter(|x| x.number == 0 && x.flushed.is_none());
        self.due = Due { opening: opening.map_or(Instant::MAX, |x| x.request), first };
    }
}

/// Nothing that changes an ended transfer comes any more: not after so long, and not after the
/// tap's clock went back to well before its end.
fn is_settled(end: Instant, settled: Instant) -> bool {
    end < settled || end - settled > SETTLED.times(2)
}

const fn request_kind(http: bool) -> Boundary {
    if http { Boundary::Http } else { Boundary::Request }
}

/// A request line of HTTP/1.x in clear tells more than a size.
fn is_http(segment: &Segment<'_>) -> bool {
    const METHODS: [&[u8]; 7] =
        [b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH "];
    let initial = segment.payload.first();
    initial.is_some_and(|byte| b"GPHDO".contains(byte))
        && METHODS.iter().any(|method| segment.payload.starts_with(method))
}
