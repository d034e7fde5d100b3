//! Assigns the segments of a flow to the transfers that they belong to.

use airmile_track::{Events, FlowFacts, Segment, SegmentClass};
use airmile_types::{Direction, Duration, Instant, Parameters, PerDirection};

use super::context::Context;
use super::events::TransferEvents;
use super::http::HttpProgress;
use super::kinds::{Boundary, Content};
use super::state::Transfers;
use super::tls::{TlsPart, TlsProgress};
use crate::evidence::{Limits, UeQueues};
use crate::rule::HowSure;

impl Transfers {
    /// Creates the state for a flow whose handshake is complete, or as much of it as the capture
    /// contains. `lookup` has the times of the query and the answer of the look-up that gave the
    /// server's address.
    pub fn new(flow: &FlowFacts, lookup: Option<(Instant, Instant)>) -> Self {
        let mut transfers = Self { lookup, ..Self::default() };
        for packet in [flow.syn, flow.syn_ack, flow.handshake_ack].into_iter().flatten() {
            transfers.frames.note(packet.time, packet.frame, None);
        }
        transfers
    }

    /// Takes one segment of the flow.
    #[inline(always)]
    pub fn on_segment(
        &mut self,
        segment: &Segment<'_>,
        (tls, http): (&TlsProgress, &HttpProgress),
        queues: &mut UeQueues,
        (parameters, limits): (&Parameters, &Limits),
        out: &mut TransferEvents,
    ) {
        self.watch_clock(segment.time, parameters);
        let payload = (segment.payload_bytes > 0).then_some(segment.direction);
        self.frames.note(segment.time, segment.frame, payload);
        let (own, peer) = match segment.direction {
            Direction::Downlink => (&mut self.senders.downlink, &mut self.senders.uplink),
            Direction::Uplink => (&mut self.senders.uplink, &mut self.senders.downlink),
        };
        let blocked = segment.new_bytes > 0 && own.is_blocked(segment.time);
        own.on_own(segment, limits);
        if segment.ack.is_some() {
            peer.on_peer(segment, limits);
        }
        if let Some(span) = self.gaps.take(segment, own.last_cut(), parameters, &mut out.gaps) {
            own.mark_restart(span);
        }
        if own.turned | own.bin_begun | peer.turned {
            self.note_begins(segment, queues, limits);
        }
        queues.on_segment(segment, &mut self.clocks, &mut self.timelines, limits);
        if segment.events.any(Events::FIN) {
            self.closed.get_or_insert(segment.time);
        }
        *self.timestamps.of_mut(segment.direction) |= segment.timestamps.is_some();
        self.server_loop.take(segment, &mut queues.handshakes, parameters);
        if self.follow(segment, (tls, http), queues, blocked, parameters)
            && self.may_flush(segment.time)
        {
            self.judge(limits);
            let boards = match segment.direction {
                Direction::Downlink => [segment.peer, segment.own],
                Direction::Uplink => [segment.own, segment.peer],
            };
            let context = Context { flow: segment.flow, boards, queues, parameters };
            self.flush(segment.time, &context, out);
        }
    }

    /// Notes the least queue that shows when the data of a bin begins, and for the queues of the phone
    /// that data begins or ceases to be in flight.
    #[inline(never)]
    fn note_begins(&mut self, segment: &Segment<'_>, queues: &mut UeQueues, limits: &Limits) {
        let sender = self.senders.of_mut(segment.direction);
        if std::mem::take(&mut sender.bin_begun) {
            let passes = (segment.direction, segment.time);
            let least = queues.least_queue(segment.flow, passes, &self.clocks, limits);
            sender.note_least_queue(segment.time, least);
        }
        for data in [Direction::Uplink, Direction::Downlink] {
            let asked = self.senders.of(data.reverse()).last_sent();
            if let Some(begins) = self.senders.of_mut(data).take_turn() {
                queues.note_turn(segment, (data, begins), asked, &mut self.timelines);
            }
        }
    }

    /// Finds the transfer of the segment; returns `false` when only a later segment shows which
    /// transfer that is.
    #[inline]
    fn follow(
        &mut self,
        segment: &Segment<'_>,
        (tls, http): (&TlsProgress, &HttpProgress),
        queues: &UeQueues,
        blocked: bool,
        parameters: &Parameters,
    ) -> bool {
        let content = self.content(segment, tls);
        let asks = segment.payload_bytes > 0 && segment.direction == Direction::Uplink;
        if asks || self.small.is_some() {
            let least = if tls.is_tls { parameters.small_request_bytes } else { 1.0 };
            if self.note_small(segment, (content, least), queues, parameters) {
                return false;
            }
        }
        if segment.new_bytes > 0 && content == Content::Data {
            self.bound(segment, http, blocked, parameters);
        }
        if let Some(current) = &mut self.current {
            current.owes_rest = http.owes_rest;
        }
        if let Some(current) = &mut self.current
            && let Some(wait) =
                current.take(segment, content, (queues, &mut self.messages), parameters)
            && wait.resent.is_none()
            && let Some(length) = wait.length()
        {
            self.server_loop.note_bound(length);
        }
        if self.senders.downlink.is_closed() || self.senders.uplink.is_closed() {
            self.hold(segment, parameters);
        }
        if segment.payload_bytes > 0 && segment.class != Some(SegmentClass::KeepAlive) {
            *self.last_activity.of_mut(segment.direction) = segment.time.into();
        }
        if segment.acked_bytes > 0 {
            *self.last_activity.of_mut(segment.direction.reverse()) = segment.time.into();
        }
        true
    }

    /// How late this newest segment was, by the timestamps of its sender.
    pub fn excess(&self, segment: &Segment<'_>) -> Option<Duration> {
        segment.timestamps.and_then(|_| self.clocks.newest_excess())
    }

    /// Notes how long the radio took to wake up (methods B2).
    pub fn note_promotion(&mut self, promotion: Option<Duration>) {
        self.promotion = promotion.into();
    }

    /// The cause with the largest share of the time of the flow's transfers.
    pub(super) fn how_sure(&self) -> Option<HowSure> {
        self.shares.how_sure()
    }

    /// Why the flow, which has payload, has no such cause.
    pub(super) const fn why_unlimited(&self) -> &'static str {
        match (self.number, self.larger) {
            (0, _) => "no_transfer",
            (_, false) => "control",
            (_, true) => "no_time",
        }
    }

    /// Determines what the segment's payload means to a transfer, and follows the TLS handshake.
    #[inline]
    fn content(&mut self, segment: &Segment<'_>, tls: &TlsProgress) -> Content {
        if segment.payload_bytes == 0 || !(tls.is_tls || self.tls_open) {
            return Content::Data;
        }
        let part = tls.part;
        let ends = self.tls_open && !tls.is_open;
        if ends || part == TlsPart::Handshake {
            self.tls.get_or_insert((segment.time, segment.time)).1 = segment.time;
        }
        self.tls_open = tls.is_open;
        match part {
            TlsPart::Handshake => Content::Handshake,
            TlsPart::Minor => Content::Minor,
            TlsPart::Application { .. } | TlsPart::NotTls => Content::Data,
        }
    }

    /// Extends the transfer that a closed window stops. The capture may have begun in the middle of
    /// that transfer, and contain no payload of it.
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

    /// Handles a clock of the capture point that went back by more than the silence that separates
    /// transfers (methods A10). No time after the step can be compared with a time before it,
    /// whatever packet comes first.
    #[inline]
    fn watch_clock(&mut self, now: Instant, parameters: &Parameters) {
        match self.newest.get() {
            Some(newest) if newest > now => self.step_back(newest - now, now, parameters),
            _ => self.newest = now.into(),
        }
    }

    #[cold]
    fn step_back(&mut self, back: Duration, now: Instant, parameters: &Parameters) {
        if back.as_secs_f64() > parameters.silence_s {
            self.newest = now.into();
            self.stepped_back = true;
            self.last_activity = PerDirection::default();
        }
    }
}
