//! Recognises probes of a closed window (RFC 9293 section 3.8.6.1) and keep-alives without data
//! (section 3.8.4), which are neither new data nor retransmissions nor timeouts.

use airmile_types::Instant;

use super::inputs::{AckInput, DataInput};
use super::probes::WindowProbe;
use super::ranges::{Range, RangeKind};
use super::state::Scoreboard;
use crate::outcomes::{DataOutcome, SegmentClass};

impl Scoreboard {
    /// Whether a packet without payload asks if a closed window has opened. Linux sends such
    /// packets with the sequence number before the first unacknowledged one.
    pub(crate) fn is_empty_probe(&self, start: i64, now: Instant) -> bool {
        start == self.unacked - 1 && (self.window.is_closed() || self.closed_known(now))
    }

    /// Takes a packet without payload that is no window probe; returns whether it is a keep-alive. A
    /// keep-alive repeats the number before the next one, so that the peer answers that it has that
    /// byte already (RFC 9293 section 3.8.4). After a FIN, that number is the FIN's.
    pub(crate) fn take_empty_keep_alive(&mut self, start: i64) -> bool {
        let keeps = start == self.next - 1 && self.unacked == self.next && !self.finished;
        self.kept_alive |= keeps;
        keeps
    }

    /// Whether an ACK that repeats the highest one answers a keep-alive: it comes before any data in
    /// flight can have caused an ACK. A keep-alive has one answer.
    pub(super) fn answers_keep_alive(&mut self, input: &AckInput<'_>) -> bool {
        let first = self.ranges.next_data(self.unacked).map(|range| range.time);
        let answers = self.kept_alive
            && input.sack.is_empty()
            && self.rtt_min.get().zip(first).is_some_and(|(rtt, sent)| input.time - sent < rtt);
        self.kept_alive &= !answers;
        answers
    }

    /// Whether a packet with payload is a probe: data beyond the edge of a closed window, or a
    /// single byte from a sender that knew the window to be closed. The byte may lie inside the
    /// window, if the window shrank or has opened meanwhile. A sender that has learnt of the
    /// opening sends more than one byte.
    pub(super) fn is_probe(&self, input: &DataInput) -> bool {
        let beyond = self.window.right().is_some_and(|edge| input.start >= edge);
        let single = input.end == input.start + 1;
        input.start == self.next
            && self.unacked == self.next
            && ((beyond && self.window.is_closed()) || (single && self.closed_known(input.time)))
    }

    fn closed_known(&self, now: Instant) -> bool {
        self.window.closed_known(now - self.loop_or_zero())
    }

    /// Takes data beyond the edge of a closed window.
    #[cold]
    pub(super) fn on_probe(&mut self, input: &DataInput) -> DataOutcome {
        let class = if self.is_capture_duplicate(input) {
            SegmentClass::CaptureDuplicate
        } else {
            SegmentClass::WindowProbe
        };
        let &DataInput { start, end, time, tsval, .. } = input;
        self.probe = Some(Box::new(WindowProbe { start, end, time, tsval }));
        self.payload_bytes += (end - start) as u64;
        self.recent.add(input);
        DataOutcome {
            class,
            new_bytes: 0,
            below_highest: false,
            timeout: false,
            since_last_data: self.last_data.get().map(|last| time - last),
            after_its_ack: false,
            tail_probe: None,
            may_be_probe: false,
        }
    }

    /// Counts the probe's bytes below `end` as sent from now on, because everything below `end` was
    /// sent. Returns their number; the caller adds it. The receiver accepts such bytes at any later
    /// time, so their ACK is no RTT sample.
    #[inline]
    pub(super) fn take_probe(&mut self, end: i64) -> i64 {
        if self.probe.is_none() { 0 } else { self.take_probed(end) }
    }

    #[cold]
    fn take_probed(&mut self, end: i64) -> i64 {
        let next = self.next;
        let Some(probe) = self.probe.take_if(|probe| probe.start < next || next < end) else {
            return 0;
        };
        if probe.start != next {
            return 0;
        }
        let end = end.min(probe.end);
        let mut range = Range::new(next, end, (probe.time, probe.tsval), RangeKind::Data);
        range.repeated = true;
        self.ranges.push(range);
        self.next = end;
        self.data_end = self.data_end.max(end);
        end - next
    }
}
