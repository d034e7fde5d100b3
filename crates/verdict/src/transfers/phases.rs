//! Cuts the slices of a transfer, of the data that drains after it, and of the silence after that.

use airmile_types::{Cause, Direction, Duration, Instant};

use super::context::Context;
use super::due::SETTLED;
use super::events::TransferEvents;
use super::exchange::Exchange;
use super::opening;
use super::state::Transfers;
use crate::evidence::LoopEstimate;
use crate::slices::{SliceRow, Slicer};

impl Transfers {
    /// Judges the part `[from, to)` of a transfer.
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
            // The opening is worked out only now, because the tick length may have become known
            // meanwhile.
            exchange.opening = opening::of_flow(
                context.flow,
                exchange.request,
                (self.promotion.get(), self.lookup),
                self.tls,
                context.parameters,
            );
        }
        let slicer = self.slicer(exchange, exchange.direction(), context);
        for (start, end, cause, reason) in &exchange.opening {
            out.slices.push(slicer.given(*start, *end, *cause, reason));
        }
        self.cut_phases(exchange, (from, to), context, &mut out.slices);
        for row in out.slices.iter().skip(first) {
            exchange.shares.add(row.cause, row.second, row.end_ns - row.start_ns);
        }
        // Joining may have lengthened the last row of the previous piece.
        let joined = first.checked_sub(1).and_then(|index| out.slices.get(index));
        if let (Some(before), Some(row)) = (before, joined) {
            exchange.shares.add(row.cause, row.second, row.end_ns - before);
        }
        exchange.opening = Vec::new();
        exchange.flushed = to.into();
    }

    /// Cuts a transfer at the end of each request and at the first byte of each answer. While a
    /// request is sent, the sender is the phone; during the wait nobody sends; after it the sender
    /// is the server.
    pub(super) fn cut_phases(
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
            let first = exchange.first_wait.as_deref();
            let begun = first.map_or(asked, |wait| wait.begun().clamp(at, asked));
            uplink.cut(at, begun, out);
            if let Some(wait) = first {
                uplink.cut_writes(wait, (begun, asked), out);
            }
            at = asked;
        }
        while let Some(wait) = exchange.waits.front().map(|wait| wait.within(direction))
            && let Some(answered) = wait.answered
            && at < to
        {
            let begin = wait.asked.max(at).min(to);
            let begun = wait.begun().clamp(at.min(begin), begin);
            main.cut(at, begun, out);
            uplink.cut_writes(&wait, (begun, begin), out);
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

    /// Emits the time in which data is still in the queue, or is still being repaired, after the
    /// last byte has passed the capture point. These rows belong to no transfer, because the sender
    /// has nothing new to send.
    pub(super) fn drain(
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

    /// Emits the time from the end of one transfer to the next request, or to the flow's last
    /// packet. Nothing is requested in that time, unless a response has come only in part (methods T3).
    pub(super) fn idle(
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
            // What the phone acknowledges and the capture lacks may have been the rest.
            let complete = context.board(Direction::Downlink).acked_unseen_bytes() > 0;
            let (cause, reason) = match exchange.owes_rest && !complete {
                true => (Cause::Undetermined, REST_OWED),
                false => (Cause::Idle, IDLE),
            };
            out.slices.push(slicer.given(from, until, cause, reason));
        }
    }
}

const IDLE: &str = "nothing is asked for";
const REST_OWED: &str = "the rest of the response has not passed here: the server had no more, or it or the path to it stopped";

/// Whether a wait was long enough for a request to travel to the server and back. The wait of a
/// pipelined request may be shorter, because the answer to an earlier request ends it.
fn holds_loop(wait: Duration, estimate: Option<LoopEstimate>) -> bool {
    estimate.is_none_or(|estimate| wait.times(2) >= estimate.median)
}
