//! Turns a transfer whose evidence is complete into rows.

use airmile_radio::PhoneDemand;
use airmile_track::FlowFacts;
use airmile_types::{Direction, Duration, Instant};

use super::context::Context;
use super::events::TransferEvents;
use super::exchange::Exchange;
use super::kinds::Boundary;
use super::opening;
use super::row::{TransferRow, TransferSummary, keys};
use super::state::Transfers;
use crate::evidence::{LoopEstimate, UeQueues};
use crate::slices::Slicer;

impl Transfers {
    /// Judges the rest of a transfer and emits its row.
    pub(super) fn finish(
        &mut self,
        mut exchange: Exchange,
        context: &Context<'_>,
        out: &mut TransferEvents,
    ) {
        exchange.conclude();
        let over = exchange.reset.get().map_or(exchange.end(), |reset| exchange.end().min(reset));
        // A request may have been recognised only when its answer came.
        let next = self.closing.front().or(self.current.as_ref());
        let late = next.filter(|next| next.boundary == Boundary::Request);
        let from = exchange.flushed.get().unwrap_or(exchange.request);
        // What showed that the transfer goes on may have turned out needless after it was written.
        let end = late.map_or(over, |next| over.min(next.request)).max(from);
        self.cut(&mut exchange, (from, end), context, out);
        let drained =
            if exchange.reset.is_some() { end } else { self.drain(&exchange, end, context, out) };
        self.idle(&exchange, drained, context, out);
        if !exchange.is_control(context.parameters.control_bytes) {
            self.larger = true;
            self.shares.merge(&exchange.shares);
        }
        let summary = self.summary(&exchange, end, context);
        let (_, sees_window) = self.senders.of(exchange.direction()).sees();
        out.transfers.push(TransferRow::new(
            summary,
            exchange.shares,
            context.flow.vantage,
            sees_window,
        ));
    }

    /// Emits the opening of a connection that was never used; this opening belongs to no transfer.
    pub(super) fn unused(&self, context: &Context<'_>, out: &mut TransferEvents) {
        let (flow, parameters) = (context.flow, context.parameters);
        let before = (self.promotion.get(), self.lookup);
        let opening = opening::of_flow(flow, flow.end, before, self.tls, parameters);
        let exchange = Exchange::new(0, Boundary::Flow, flow.end);
        let slicer =
            Slicer { transfer_id: None, ..self.slicer(&exchange, Direction::Downlink, context) };
        for (start, end, cause, _) in opening {
            out.slices.push(slicer.given(start, end, cause, "no request followed"));
        }
    }

    fn summary(&self, exchange: &Exchange, end: Instant, context: &Context<'_>) -> TransferSummary {
        let flow = context.flow;
        let bytes = *exchange.bytes.of(exchange.direction());
        let demand = demand(exchange, end, context.queues);
        let wait = exchange.first_wait.as_ref().map(|wait| wait.within(exchange.direction()));
        let estimate = self.server_loop(context);
        let split = wait.and_then(|wait| {
            self.slicer(exchange, Direction::Downlink, context).split(&wait, estimate)
        });
        let how_sure = exchange.shares.how_sure();
        // The clock of the capture may have stepped back within the transfer.
        let within = |time: &Instant| (exchange.request..=end).contains(time);
        TransferSummary {
            transfer_id: transfer_id(flow, exchange),
            uid: flow.uid,
            session_id: flow.is_subscribers.then_some(flow.session_id),
            capture: flow.capture,
            direction: exchange.direction(),
            boundary: exchange.boundary.as_str(),
            request_ns: exchange.request,
            request_end_ns: exchange.asked().filter(within),
            first_byte_ns: exchange.first_byte().filter(within),
            end_ns: end,
            first_byte_ms: wait.and_then(|wait| wait.length()).map(Duration::as_millis_f64),
            server_wait_ms: split.and_then(|split| split.server).map(Duration::as_millis_f64),
            loop_ms: estimate.filter(|e| !e.at_most).map(|e| e.median.as_millis_f64()),
            round_trips: exchange.round_trips.into(),
            path_rtt_ms: context.least_rtt().map(Duration::as_millis_f64),
            bytes,
            control: exchange.is_control(context.parameters.control_bytes),
            limited_by: how_sure.as_ref().map(|how_sure| how_sure.limited_by),
            certainty: how_sure.as_ref().map(|how_sure| how_sure.certainty),
            second: how_sure.and_then(|how_sure| keys(&how_sure.second)),
            link_demand_ratio: demand
                .and_then(|(PhoneDemand { all, .. }, _)| all.is_known.then_some(all.ratio)),
            link_demand_low_ratio: demand.map(|(demand, _)| demand.all.low),
            link_demand_high_ratio: demand.map(|(demand, _)| demand.all.high),
            link_demand_bursttracker_ratio: demand.and_then(|(demand, _)| demand.bursttracker),
            other_bytes_ratio: demand.and_then(|(_, volume)| others(bytes, volume)),
            link_throughput_bps: demand.and_then(|(demand, volume)| rate(demand, volume)),
        }
    }

    /// Whether the capture shows too little of the transfer to judge it: the capture begins or ends
    /// within the transfer, and contains only a few of its packets within less than a round trip.
    /// No ACK of these packets can have changed anything yet.
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
        // The round trip has a part before and a part after the capture point; one of them may be
        // unknown.
        let round_trip = board.rtt_min().zip(board.loop_time());
        round_trip.is_none_or(|(there, back)| length < there + back)
    }

    pub(super) fn server_loop(&self, context: &Context<'_>) -> Option<LoopEstimate> {
        let handshakes = &context.queues.handshakes;
        let echoed = context.board(Direction::Downlink).loop_time();
        self.server_loop.estimate(context.flow, echoed, handshakes, context.parameters)
    }

    pub(super) fn slicer<'a>(
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
            own: &self.timelines,
            clocks: &self.clocks,
            frames: &self.frames,
            waiting: None,
            lossy: context.is_lossy(),
            scant: self.is_scant(exchange, context),
            timestamps: *self.timestamps.of(direction),
            parameters: context.parameters,
        }
    }
}

/// The link demand of a downlink transfer, and the phone's downlink payload during it (methods G3).
fn demand(exchange: &Exchange, end: Instant, queues: &UeQueues) -> Option<(PhoneDemand, u64)> {
    let phone = queues.radio.as_ref()?;
    let from = exchange.first_byte().filter(|_| exchange.direction() == Direction::Downlink)?;
    Some((phone.link_demand(from, end)?, phone.volume.within(from, end)))
}

/// The share of the phone's payload that belongs to other transfers.
fn others(bytes: i64, volume: u64) -> Option<f64> {
    (volume > 0).then(|| (1.0 - bytes as f64 / volume as f64).max(0.0))
}

/// The phone's payload over throughput time, in bit/s.
fn rate(demand: PhoneDemand, volume: u64) -> Option<f64> {
    let known = demand.all.is_known && demand.throughput_time_ms > 0.0;
    known.then(|| volume as f64 * 8e3 / demand.throughput_time_ms)
}

/// A number that is unique in a dataset: the flow's number, plus an odd constant (2^64 over the
/// golden ratio) for each transfer of the flow.
const fn transfer_id(flow: &FlowFacts, exchange: &Exchange) -> u64 {
    flow.uid.wrapping_add((exchange.number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
