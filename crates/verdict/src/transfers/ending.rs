//! Handles the rest of a flow's transfers when the flow ends.

use airmile_track::{Ending, FlowFacts, Scoreboard};
use airmile_types::{Direction, Duration, Parameters, PerDirection, Vantage};

use super::context::Context;
use super::events::TransferEvents;
use super::state::Transfers;
use crate::evidence::{Limits, UeQueues, WindowSeen};

impl Transfers {
    /// Emits all remaining rows, because the flow has ended.
    pub fn on_end(
        &mut self,
        flow: &FlowFacts,
        boards: &PerDirection<Scoreboard>,
        queues: &mut UeQueues,
        (parameters, limits): (&Parameters, &Limits),
        out: &mut TransferEvents,
    ) {
        self.gaps.end(&mut out.gaps);
        queues.note_rest(&mut self.clocks, &mut self.timelines, limits);
        self.judge(limits);
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

    /// What the receivers' windows did to the senders of both directions, after all rows were emitted.
    pub fn windows(
        &mut self,
        flow: &FlowFacts,
        boards: &PerDirection<Scoreboard>,
    ) -> PerDirection<Option<WindowSeen>> {
        let mut of =
            |data: Direction| self.senders.of_mut(data).window_seen((flow, data), boards.of(data));
        PerDirection { downlink: of(Direction::Downlink), uplink: of(Direction::Uplink) }
    }

    /// Judges the newest bins of the senders, which are read next.
    pub(super) fn judge(&mut self, limits: &Limits) {
        self.senders.uplink.judge(limits);
        self.senders.downlink.judge(limits);
    }

    /// Ends a transfer in whose middle the capture ends or a reset comes. The earlier verdict does
    /// not extend to the rest of the transfer.
    fn cut_short(&mut self, flow: &FlowFacts, boards: &PerDirection<Scoreboard>, limits: &Limits) {
        let Some(current) = &mut self.current else { return };
        if !matches!(flow.ending, Ending::Open | Ending::Memory | Ending::Rst) {
            return;
        }
        let end = current.reset.get().map_or(flow.end, |reset| reset.min(flow.end));
        let board = boards.of(current.direction());
        current.cut_short(end, board.unacked(), board.srtt().unwrap_or(Duration::ZERO));
        for data in [Direction::Uplink, Direction::Downlink] {
            self.senders.of_mut(data).settle_rest(end);
            // The time of the oldest data in flight that nothing marks as lost, and the least RTT.
            let live = boards.of(data).oldest_live().zip(boards.of(data).rtt_min());
            UeQueues::note_live(live, data, end, &self.clocks, &mut self.timelines, limits);
        }
    }

    /// Extends a wait until either end closes the connection, because the server owes an answer to
    /// the request that it acknowledged (methods T1).
    ///
    /// Once an answer has begun, whatever the phone sends before it closes may only announce the
    /// close. When the phone has continued without an answer before, it expects none.
    fn wait_until_closed(&mut self, flow: &FlowFacts, queues: &UeQueues) {
        let Some(current) = &mut self.current else { return };
        let answered = current.has_response();
        let owed = match flow.ending {
            Ending::Open | Ending::Memory | Ending::Rst => answered || !self.unanswered,
            Ending::Fin => !answered && !self.unanswered,
            _ => false,
        };
        // While the server's window is closed, the server has read no request.
        if !owed || self.senders.uplink.is_closed() {
            return;
        }
        let closed = self.closed.get().or(current.reset.get());
        let over = closed.map_or(flow.end, |closed| closed.min(flow.end));
        let at_phone = flow.vantage == Some(Vantage::Ue);
        current.wait_until(over, |acked| {
            if at_phone { queues.delay(Direction::Uplink, acked) } else { Duration::ZERO }
        });
    }
}
