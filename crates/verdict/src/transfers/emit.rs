//! From a transfer whose evidence is complete to its rows.

use airmile_radio::PhoneDemand;
use airmile_track::{FlowFacts, Scoreboard};
use airmile_types::{Cause, Direction, Duration, Instant, Parameters, Vantage};

use super::exchange::{Boundary, Exchange};
use super::opening;
use super::row::{TransferFacts, TransferRow};
use super::state::{SETTLED, TransferEvents, Transfers};
use crate::evidence::{LoopEstimate, UeQueues};
use crate::slices::{SliceRow, Slicer};

/// What judging needs beside the flow's own evidence.
pub(super) struct Context<'a> {
    pub(super) flow: &'a FlowFacts,
    /// Data of the phone, and data of the server.
    pub(super) boards: [&'a Scoreboard; 2],
    pub(super) queues: &'a UeQueues,
    pub(super) parameters: &'a Parameters,
}

impl Context<'_> {
    /// The capture has lost so much of a direction that what was not seen means nothing.
    fn is_lossy(&self) -> bool {
        let lost = self.boards.map(|board| board.lost_ratio());
        lost[0].max(lost[1]) >= self.parameters.lost_max_ratio
    }

    /// Data of a direction.
    const fn board(&self, direction: Direction) -> &Scoreboard {
        match direction {
            Direction::Uplink => self.boards[0],
            Direction::Downlink => self.boards[1],
        }
    }

    /// Least round trip that the phone's user has: beyond the tap, or at the phone the whole one.
    const fn least_rtt(&self) -> Option<Duration> {
        let [uplink, downlink] = self.boards;
        match self.flow.vantage {
            Some(Vantage::Ue) => uplink.rtt_min(),
            _ => downlink.rtt_min(),
        }
    }
}

impl Transfers {
    /// Judges what is left of an exchange, and hands its row over.
    pub(super) fn finish(
        &mut self,
        mut exchange: Exchange,
        context: &Context<'_>,
        out: &mut TransferEvents,
    ) {
        exchange.conclude();
        let over = exchange.reset.get().map_or(exchange.end(), |reset| exchange.end().min(reset));
        // A request may have turned out to be one when its answer came.
        let next = self.closing.front().or(self.current.as_ref());
        let late = next.filter(|next| next.boundary == Boundary::Request);
        let end = late.map_or(over, |next| over.min(next.request)).max(exchange.request);
        let from = exchange.flushed.get().unwrap_or(exchange.request);
        self.cut(&mut exchange, (from, end), context, out);
        let drained =
            if exchange.reset.is_some() { end } else { self.drain(&exchange, end, context, out) };
        self.idle(&exchange, drained, context, out);
        if !exchange.is_control(context.parameters.control_bytes) {
            self.shares.merge(&exchange.shares);
        }
        let facts = self.facts(&exchange, end, context);
        let (_, sees_window) = self.senders.of(exchange.direction()).sees();
        out.transfers.push(TransferRow::new(
            facts,
            exchange.shares,
            context.flow.vantage,
            sees_window,
        ));
    }

    /// A connection that was opened and never used: its opening is no transfer's.
    pub(super) fn unused(&self, context: &Context<'_>, out: &mut TransferEvents) {
        let (flow, parameters) = (context.flow, context.parameters);
        let opening = opening::of_flow(flow, flow.end, self.promotion.get(), self.tls, parameters);
        let exchange = Exchange::new(0, Boundary::Flow, flow.end);
        let slicer =
            Slicer { transfer_id: None, ..self.slicer(&exchange, Direction::Downlink, context) };
        for (start, end, cause) in opening {
            out.slices.push(slicer.given(start, end, cause, "no request followed"));
        }
    }

    fn facts(&self, exchange: &Exchange, end: Instant, context: &Context<'_>) -> TransferFacts {
        let flow = context.flow;
        let bytes = *exchange.bytes.of(exchange.direction());
        let demand = demand(exchange, end, context.queues);
        let wait = exchange.first_wait.as_ref().map(|wait| wait.within(exchange.direction()));
        let estimate = self.server_loop(context);
        let split = wait.and_then(|wait| {
            self.slicer(exchange, Direction::Downlink, context).split(&wait, estimate)
        });
        TransferFacts {
            transfer_id: transfer_id(flow, exchange),
            uid: flow.uid,
            session_id: flow.session_id,
            direction: exchange.direction(),
            boundary: exchange.boundary.as_str(),
            request_ns: exchange.request,
            request_end_ns: exchange.asked(),
            first_byte_ns: exchange.first_byte(),
            end_ns: end,
            first_byte_ms: wait.and_then(|wait| wait.length()).map(Duration::as_millis_f64),
            server_wait_ms: split.and_then(|split| split.server).map(Duration::as_millis_f64),
            loop_ms: estimate.map(|estimate| estimate.median.as_millis_f64()),
            round_trips: exchange.round_trips.into(),
            path_rtt_ms: context.least_rtt().map(Duration::as_millis_f64),
            bytes,
            control: exchange.is_control(context.parameters.control_bytes),
            limited_by: exchange.shares.largest(),
            link_demand_ratio: demand
                .and_then(|(PhoneDemand { all, .. }, _)| all.is_known.then_some(all.ratio)),
            link_demand_low_ratio: demand.map(|(demand, _)| demand.all.low),
            link_demand_high_ratio: demand.map(|(demand, _)| demand.all.high),
            link_demand_bursttracker_ratio: demand.and_then(|(demand, _)| demand.bursttracker),
            other_bytes_ratio: demand.and_then(|(_, volume)| others(bytes, volume)),
            link_throughput_bps: demand.and_then(|(demand, volume)| rate(demand, volume)),
        }
    }

    /// The capture begins or ends within the transfer, and holds a few packets of it within less
    /// than a round trip: no ACK of what was sent could change anything yet.
    fn is_scant(&self, exchange: &Exchange, context: &Context<'_>) -> bool {
        let flow = context.flow;
        let last = self.closing.is_empty() && self.current.is_none();
        let board = context.board(exchange.direction());
        let cut = (flow.syn.or(flow.syn_ack).is_none() && exchange.is_met())
            || (last && flow.ending.is_cut_off() && exchange.is_unfinished(board.unacked()));
        if !cut || f64::from(exchange.packets) >= context.parameters.scant_packets {
            return false;
        }
        let length = exchange.end() - exchange.request;
        // Whatever of it lies on which side of the tap; a part of it may be unknown.
        let round_trip = board.rtt_min().zip(board.loop_time());
        round_trip.is_none_or(|(there, back)| length < there + back)
    }

    fn server_loop(&self, context: &Context<'_>) -> Option<LoopEstimate> {
        let handshakes = &context.queues.handshakes;
        self.server_loop.estimate(context.flow, handshakes, context.parameters)
    }

    /// Judges `[from, to)` of an exchange.
    pub(super) fn cut(
        &mut self,
        exchange: &mut Exchange,
        (from, to): (Instant, Instant),
        context: &Context<'_>,
        out: &mut TransferEvents,
    ) {
        let first = out.slices.len();
        let before = out.slices.last().map(|row| row.end_ns);
        if exchange.number == 0 && !exchange.flushed.is_some() {
            // Only now: the tick length may have become known meanwhile.
            exchange.opening = opening::of_flow(
                context.flow,
                exchange.request,
                self.promotion.get(),
                self.tls,
                context.parameters,
            );
        }
        let slicer = self.slicer(exchange, exchange.direction(), context);
        for (start, end, cause) in &exchange.opening {
            out.slices.push(slicer.given(*start, *end, *cause, "before the flow's first request"));
        }
        self.cut_phases(exchange, (from, to), context, &mut out.slices);
        for row in out.slices.iter().skip(first) {
            exchange.shares.add(row.cause, row.end_ns - row.start_ns);
        }
        // The last row of the piece before may have become longer.
        let joined = first.checked_sub(1).and_then(|index| out.slices.get(index));
        if let (Some(before), Some(row)) = (before, joined) {
            exchange.shares.add(row.cause, row.end_ns - before);
        }
        exchange.opening = Vec::new();
        exchange.flushed = to.into();
    }

    /// A transfer is cut at the end of each request and at the first byte of its answer: while a
    /// request is sent its sender is the phone, in the wait nobody sends, and then the server does.
    fn cut_phases(
        &self,
        exchange: &mut Exchange,
        (from, to): (Instant, Instant),
        context: &Context<'_>,
        out: &mut Vec<SliceRow>,
    ) {
        let direction = exchange.direction();
        let main = self.slicer(exchange, direction, context);
        let uplink = self.slicer(exchange, Direction::Uplink, context);
        let downlink = self.slicer(exchange, Direction::Downlink, context);
        let answers = exchange.only_answers_from().unwrap_or(Instant::MAX);
        let waits = !exchange.waits.is_empty();
        let estimate = if waits { self.server_loop(context) } else { None };
        let mut at = from;
        if let Some(asked) = exchange.asked().map(|asked| asked.min(to))
            && asked > at
        {
            uplink.cut(at, asked, out);
            at = asked;
        }
        while let Some(wait) = exchange.waits.front().map(|wait| wait.within(direction))
            && let Some(answered) = wait.answered
            && at < to
        {
            let begin = wait.asked.max(at).min(to);
            main.cut(at, begin, out);
            downlink.cut_wait(&wait, estimate, (begin, to), out);
            at = answered.max(at).min(to);
            if answered > to {
                break;
            }
            exchange.round_trips += u32::from(holds_loop(answered - wait.asked, estimate));
            exchange.waits.pop_front();
        }
        main.cut(at, answers.clamp(at, to.max(at)), out);
        downlink.cut(answers.max(at), to, out);
    }

    /// What still stands in the queue after the last byte has passed the tap, or is repaired: rows
    /// of no transfer, because the sender has nothing new.
    fn drain(
        &self,
        exchange: &Exchange,
        end: Instant,
        context: &Context<'_>,
        out: &mut TransferEvents,
    ) -> Instant {
        let slicer =
            Slicer { transfer_id: None, ..self.slicer(exchange, exchange.direction(), context) };
        let next = self.closing.front().or(self.current.as_ref());
        let until = next.map_or(context.flow.end, |next| next.start().min(context.flow.end));
        let mut to = end;
        while to < until && to - end < SETTLED {
            let next = to + Duration::from_millis(1);
            if slicer.draining_ms(to, next) == 0 && !slicer.repairs(to, next) {
                break;
            }
            to = next;
        }
        let to = to.min(until);
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
        context: &Context<'_>,
        out: &mut TransferEvents,
    ) {
        let next = self.closing.front().or(self.current.as_ref());
        let flow_end = context.flow.end;
        let over = exchange.reset.get().map_or(flow_end, |reset| reset.min(flow_end));
        let until = next.map_or(over, Exchange::start);
        if until > from {
            let slicer = Slicer {
                transfer_id: None,
                ..self.slicer(exchange, exchange.direction(), context)
            };
            out.slices.push(slicer.given(from, until, Cause::Idle, "nothing is asked for"));
        }
    }

    fn slicer<'a>(
        &'a self,
        exchange: &Exchange,
        direction: Direction,
        context: &Context<'a>,
    ) -> Slicer<'a> {
        Slicer {
            flow: context.flow,
            transfer_id: Some(transfer_id(context.flow, exchange)),
            direction,
            sender: self.senders.of(direction),
            queues: context.queues,
            own: &self.spans,
            frames: &self.frames,
            waiting: None,
            lossy: context.is_lossy(),
            scant: self.is_scant(exchange, context),
            timestamps: *self.timestamps.of(direction),
            parameters: context.parameters,
        }
    }
}

/// Whether a wait was long enough for a request to travel: an answer to an earlier one ends the
/// wait of a pipelined request sooner.
fn holds_loop(wait: Duration, estimate: Option<LoopEstimate>) -> bool {
    estimate.is_none_or(|estimate| wait.times(2) >= estimate.median)
}

/// Link demand of a downlink transfer, and the phone's downlink payload meanwhile (methods G3).
fn demand(exchange: &Exchange, end: Instant, queues: &UeQueues) -> Option<(PhoneDemand, u64)> {
    let phone = queues.radio.as_ref()?;
    let from = exchange.first_byte().filter(|_| exchange.direction() == Direction::Downlink)?;
    Some((phone.link_demand(from, end)?, phone.volume.within(from, end)))
}

/// Share of the phone's payload that is not this transfer's.
fn others(bytes: i64, volume: u64) -> Option<f64> {
    (volume > 0).then(|| (1.0 - bytes as f64 / volume as f64).max(0.0))
}

/// All the phone's payload over throughput time.
fn rate(demand: PhoneDemand, volume: u64) -> Option<f64> {
    let known = demand.all.is_known && demand.throughput_time_ms > 0.0;
    known.then(|| volume as f64 * 8e3 / demand.throughput_time_ms)
}

/// Unique in a dataset: the flow's number, stepped by an odd constant (2^64 over the golden
/// ratio) per transfer.
const fn transfer_id(flow: &FlowFacts, exchange: &Exchange) -> u64 {
    flow.uid.wrapping_add((exchange.number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
