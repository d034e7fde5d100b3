#![doc = include_str!("transfers.md")]

mod exchange;
mod opening;
mod row;

use std::collections::VecDeque;

use airmile_track::{FlowFacts, Segment};
use airmile_types::{Cause, Direction, Duration, Instant, PerDirection};

use exchange::{Boundary, Exchange, Shares};
pub use row::{LimitRow, TransferFacts, TransferRow};

use crate::evidence::{LinkDemand, OneWayClocks, Sender, Spans, UeQueues};
use crate::slices::{SliceRow, Slicer};
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
    shares: Shares,
    /// How long the radio took to wake up before the flow, as far as it is known.
    promotion: Option<Duration>,
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
    /// Takes one segment of the flow.
    pub(crate) fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        queues: &mut UeQueues,
        parameters: &Parameters,
        out: &mut TransferEvents,
    ) {
        self.watch_clock(segment.time, parameters);
        let blocked = self.senders.of(segment.direction).is_blocked(segment.time);
        self.senders.of_mut(segment.direction).on_own(segment, parameters);
        if segment.ack.is_some() {
            self.senders.of_mut(segment.direction.reverse()).on_peer(segment);
        }
        queues.on_segment(segment, &mut self.clocks, &mut self.spans, parameters);
        *self.timestamps.of_mut(segment.direction) |= segment.timestamps.is_some();
        self.bound(segment, blocked, parameters);
        if let Some(current) = &mut self.current {
            current.take(segment);
        }
        self.hold(segment, parameters);
        if segment.payload_bytes > 0 {
            *self.last_activity.of_mut(segment.direction) = Some(segment.time);
        }
        if segment.acked_bytes > 0 {
            *self.last_activity.of_mut(segment.direction.reverse()) = Some(segment.time);
        }
        self.flush(segment.flow, segment.time, queues, parameters, out);
    }

    /// How late this segment, the newest, was by its sender's timestamps.
    pub(crate) fn excess(&self, segment: &Segment<'_>) -> Option<Duration> {
        segment.timestamps.and_then(|_| self.clocks.newest_excess())
    }

    /// Whether the flow's opening may leave with the packet that comes at `now`: from then on its
    /// promotion is settled.
    #[inline]
    pub(crate) fn may_open(&self, now: Instant) -> bool {
        let first = self.closing.front().or(self.current.as_ref());
        first.is_some_and(|x| x.number == 0 && x.flushed.is_none() && x.request < now - SETTLED)
    }

    /// How long the radio took to wake up (methods B2).
    pub(crate) fn note_promotion(&mut self, delay_ms: Option<f64>) {
        self.promotion = delay_ms.map(|ms| Duration::from_secs_f64(ms / 1e3));
    }

    /// The flow has ended: everything leaves.
    pub(crate) fn on_end(
        &mut self,
        flow: &FlowFacts,
        queues: &UeQueues,
        parameters: &Parameters,
        out: &mut TransferEvents,
    ) {
        self.closing.extend(self.current.take());
        while let Some(exchange) = self.closing.pop_front() {
            self.finish(exchange, flow, queues, parameters, out);
        }
    }

    /// The cause with the largest share of the flow's transfers.
    pub(crate) fn limited_by(&self) -> Option<Cause> {
        self.shares.largest()
    }

    /// A closed window holds the transfer, also one that was met in mid-stream and of which nothing
    /// has passed.
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
        if segment.new_bytes == 0 {
            return;
        }
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
        let large = f64::from(segment.payload_bytes) >= parameters.request_min_bytes;
        let request = (large || is_http(segment)) && segment.peer.in_flight_bytes() <= 0;
        let own_in_flight = segment.own.unacked() < segment.start;
        let Some(current) = &self.current else {
            return Some(if request { request_kind(is_http(segment)) } else { Boundary::Push });
        };
        let answered = current.has_response() && !own_in_flight;
        let silent = !own_in_flight
            && !blocked
            && self.is_silent(segment, parameters)
            && current.bytes.uplink > current.bytes.downlink;
        (request && (answered || silent)).then(|| request_kind(is_http(segment)))
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
        let idle = segment.own.unacked() >= segment.start && !blocked && !current.is_asked_again();
        (current.has_response() && idle && self.is_silent(segment, parameters))
            .then_some(Boundary::Push)
    }

    /// The tap's clock went back by more than the silence that parts transfers (methods A10): no
    /// time after that can be measured from one before, whatever packet comes first.
    #[inline]
    fn watch_clock(&mut self, now: Instant, parameters: &Parameters) {
        let back = self.newest.filter(|newest| *newest > now).map(|newest| newest - now);
        if back.is_none() {
            self.newest = Some(now);
        } else if back.is_some_and(|back| back.as_secs_f64() > parameters.silence_s) {
            self.newest = Some(now);
            self.stepped_back = true;
            self.last_activity = PerDirection::default();
        }
    }

    fn is_silent(&self, segment: &Segment<'_>, parameters: &Parameters) -> bool {
        let last = self.last_activity.of(segment.direction);
        last.is_some_and(|last| (segment.time - last).as_secs_f64() > parameters.silence_s)
    }

    fn begin(&mut self, boundary: Boundary, segment: &Segment<'_>, parameters: &Parameters) {
        let mut exchange = Exchange::new(self.number, boundary, segment.time);
        if self.number > 0 && boundary != Boundary::Flow {
            exchange.opening =
                opening::of_request(segment, self.clocks.newest_excess(), parameters);
        }
        self.number += 1;
        self.closing.extend(self.current.replace(exchange));
    }

    /// Lets out what no later packet can change any more.
    fn flush(
        &mut self,
        flow: &FlowFacts,
        now: Instant,
        queues: &UeQueues,
        parameters: &Parameters,
        out: &mut TransferEvents,
    ) {
        let settled = now - SETTLED;
        if !self.may_flush(settled) {
            return;
        }
        while self.closing.front().is_some_and(|x| is_settled(x, settled)) {
            if let Some(exchange) = self.closing.pop_front() {
                self.finish(exchange, flow, queues, parameters, out);
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
                self.cut(&mut current, from, to, flow, queues, parameters, out);
            }
            self.current = Some(current);
        }
    }

    /// Most packets let nothing out: the first exchange is either not settled, or cut already.
    fn may_flush(&self, settled: Instant) -> bool {
        match (self.closing.front(), &self.current) {
            (Some(first), _) => is_settled(first, settled),
            (None, Some(current)) => settled - current.flushed.unwrap_or(current.request) >= PIECE,
            (None, None) => false,
        }
    }

    fn finish(
        &mut self,
        mut exchange: Exchange,
        flow: &FlowFacts,
        queues: &UeQueues,
        parameters: &Parameters,
        out: &mut TransferEvents,
    ) {
        exchange.settle_direction();
        let end = exchange.reset.map_or(exchange.end(), |reset| exchange.end().min(reset));
        let from = exchange.flushed.unwrap_or(exchange.request);
        self.cut(&mut exchange, from, end, flow, queues, parameters, out);
        let drained = if exchange.reset.is_none() {
            self.drain(&exchange, end, flow, queues, parameters, out)
        } else {
            end
        };
        self.idle(&exchange, drained, flow, queues, parameters, out);
        let control = exchange.is_control(parameters.control_bytes);
        if !control {
            self.shares.merge(&exchange.shares);
        }
        let first_byte = exchange.first_byte();
        let bytes = *exchange.bytes.of(exchange.direction());
        let demand = demand(&exchange, end, queues);
        let facts = TransferFacts {
            transfer_id: transfer_id(flow, &exchange),
            uid: flow.uid,
            session_id: flow.session_id,
            direction: exchange.direction(),
            boundary: exchange.boundary.as_str(),
            request_ns: exchange.request,
            first_byte_ns: first_byte,
            end_ns: end,
            bytes,
            control,
            limited_by: exchange.shares.largest(),
            link_demand_ratio: demand.and_then(|(demand, _)| demand.ratio),
            link_demand_low_ratio: demand.map(|(demand, _)| demand.low),
            link_demand_high_ratio: demand.map(|(demand, _)| demand.high),
            link_demand_bursttracker_ratio: demand.and_then(|(demand, _)| demand.bursttracker),
            other_bytes_ratio: demand.and_then(|(_, volume)| others(bytes, volume)),
            link_throughput_bps: demand.and_then(|(demand, volume)| rate(demand, volume)),
        };
        let (_, sees_window) = self.senders.of(exchange.direction()).sees();
        out.transfers.push(TransferRow::new(facts, exchange.shares, flow.vantage, sees_window));
    }

    #[expect(clippy::too_many_arguments, reason = "a span, and all that its slices are cut from")]
    fn cut(
        &mut self,
        exchange: &mut Exchange,
        from: Instant,
        to: Instant,
        flow: &FlowFacts,
        queues: &UeQueues,
        parameters: &Parameters,
        out: &mut TransferEvents,
    ) {
        let first = out.slices.len();
        let before = out.slices.last().map(|row| row.end_ns);
        if exchange.number == 0 && exchange.flushed.is_none() {
            // Only now: the tick length may have become known meanwhile.
            exchange.opening = opening::of_flow(flow, exchange.request, self.promotion, parameters);
        }
        let slicer = self.slicer(exchange, flow, queues, parameters);
        for (start, end, cause) in &exchange.opening {
            out.slices.push(slicer.given(*start, *end, *cause, "before the flow's first request"));
        }
        // While a long request is on its way, its sender is the phone (methods T3: only the gap
        // after it is the server's).
        let asking = exchange.asked().min(to);
        if slicer.direction == Direction::Downlink && asking > from {
            let mut request = self.slicer(exchange, flow, queues, parameters);
            request.of_uplink(self.senders.of(Direction::Uplink), self.timestamps.uplink);
            request.cut(from, asking, &mut out.slices);
        }
        slicer.cut(
            if slicer.direction == Direction::Downlink { from.max(asking) } else { from },
            to,
            &mut out.slices,
        );
        for row in out.slices.iter().skip(first) {
            exchange.shares.add(row.cause, row.end_ns - row.start_ns);
        }
        // The last row of the piece before may have become longer.
        let joined = first.checked_sub(1).and_then(|index| out.slices.get(index));
        if let (Some(before), Some(row)) = (before, joined) {
            exchange.shares.add(row.cause, row.end_ns - before);
        }
        exchange.opening.clear();
        exchange.flushed = Some(to);
    }

    /// What still stands in the queue after the last byte has passed the tap, or is repaired: rows
    /// of no transfer, because the sender has nothing new.
    fn drain(
        &self,
        exchange: &Exchange,
        end: Instant,
        flow: &FlowFacts,
        queues: &UeQueues,
        parameters: &Parameters,
        out: &mut TransferEvents,
    ) -> Instant {
        let mut slicer = self.slicer(exchange, flow, queues, parameters);
        slicer.transfer_id = None;
        let mut to = end;
        while to - end < SETTLED {
            let next = to + Duration::from_millis(1);
            if slicer.queue_ms(to, next) == 0 && !slicer.repairs(to, next) {
                break;
            }
            to = next;
        }
        let next = self.closing.front().or(self.current.as_ref());
        let to = next.map_or(to, |next| to.min(next.start()));
        if to > end {
            slicer.cut(end, to, &mut out.slices);
        }
        to.max(end)
    }

    /// From the end of one transfer to the next request, or to the flow's last packet, nothing is
    /// asked for (methods T3).
    fn idle(
        &self,
        exchange: &Exchange,
        from: Instant,
        flow: &FlowFacts,
        queues: &UeQueues,
        parameters: &Parameters,
        out: &mut TransferEvents,
    ) {
        let next = self.closing.front().or(self.current.as_ref());
        let over = exchange.reset.map_or(flow.end, |reset| reset.min(flow.end));
        let until = next.map_or(over, Exchange::start);
        if until > from {
            let mut slicer = self.slicer(exchange, flow, queues, parameters);
            slicer.transfer_id = None;
            out.slices.push(slicer.given(from, until, Cause::Idle, "nothing is asked for"));
        }
    }

    fn slicer<'a>(
        &'a self,
        exchange: &Exchange,
        flow: &'a FlowFacts,
        queues: &'a UeQueues,
        parameters: &'a Parameters,
    ) -> Slicer<'a> {
        let direction = exchange.direction();
        Slicer {
            flow,
            transfer_id: Some(transfer_id(flow, exchange)),
            direction,
            sender: self.senders.of(direction),
            queues,
            own: &self.spans,
            waiting: (exchange.asked(), exchange.waiting_until()),
            timestamps: *self.timestamps.of(direction),
            parameters,
        }
    }
}

/// Link demand of a downlink transfer, and the phone's downlink payload meanwhile (methods G3).
fn demand(exchange: &Exchange, end: Instant, queues: &UeQueues) -> Option<(LinkDemand, u64)> {
    let phone = queues.radio.as_ref()?;
    let from = exchange.first_byte().filter(|_| exchange.direction() == Direction::Downlink)?;
    Some((phone.link_demand(from, end)?, phone.volume.within(from, end)))
}

/// Share of the phone's payload that is not this transfer's.
fn others(bytes: i64, volume: u64) -> Option<f64> {
    (volume > 0).then(|| (1.0 - bytes as f64 / volume as f64).max(0.0))
}

/// All the phone's payload over throughput time.
fn rate(demand: LinkDemand, volume: u64) -> Option<f64> {
    let known = demand.ratio.is_some() && demand.throughput_time_ms > 0.0;
    known.then(|| volume as f64 * 8e3 / demand.throughput_time_ms)
}

/// Nothing that changes an ended transfer comes any more: not after so long, and not after the
/// tap's clock went back to well before its end.
fn is_settled(exchange: &Exchange, settled: Instant) -> bool {
    let end = exchange.end();
    end < settled || end - settled > SETTLED.times(2)
}

const fn request_kind(http: bool) -> Boundary {
    if http { Boundary::Http } else { Boundary::Request }
}

/// A request line of HTTP/1.x in clear tells more than a size.
fn is_http(segment: &Segment<'_>) -> bool {
    const METHODS: [&[u8]; 7] =
        [b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH "];
    METHODS.iter().any(|method| segment.payload.starts_with(method))
}

/// Unique in a dataset: the flow's number, stepped by an odd constant (2^64 over the golden
/// ratio) per transfer.
const fn transfer_id(flow: &FlowFacts, exchange: &Exchange) -> u64 {
    flow.uid.wrapping_add((exchange.number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
