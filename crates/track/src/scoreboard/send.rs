//! Takes packets with payload, and decides whether the data is new, and if not, why it passes again
//! (methods C2).

use airmile_types::{Duration, Instant, Maybe};

use super::inputs::DataInput;
use super::probes::tenth_off;
use super::ranges::{Range, RangeKind};
use super::recent::{CAPTURE_DUPLICATE, Fingerprint, Fragmented};
use super::state::{BEFORE_BYTES, Recovery, Scoreboard};
use super::unseen::{self, FIRST};
use crate::outcomes::{DataOutcome, SegmentClass};
use crate::segment_facts::SegmentFacts;

/// A hole that is filled after this time, and that no ACK has reported, was filled by a
/// retransmission (methods C2).
const UNREPORTED_HOLE: Duration = Duration::from_millis(200);

/// The largest IP datagram in bytes: the length field has 16 bits (RFC 791 section 3.1).
const LARGEST_DATAGRAM: i64 = 65_535;

/// What is known of those bytes of a packet that may have passed before.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// How many acknowledged bytes had passed the capture point.
    acked: i64,
    in_flight: i64,
    repeated_before: bool,
    hole: Option<Range>,
}

/// The last transmission of a byte.
#[derive(Clone, Copy, Debug)]
struct Carried {
    at: Instant,
    repeated: bool,
}

impl Scoreboard {
    /// Takes one packet with payload. The plain lane and the general one each write their own
    /// outcome, so that the few facts of a plain packet are not copied around with the many facts
    /// of an unusual one.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bytes of one packet: the decoder has 32 bits for them"
    )]
    pub(crate) fn take_data(&mut self, input: &DataInput, facts: &mut SegmentFacts<'_>) {
        let plain = self.is_open_to_data() && input.start == self.next;
        match self.goes_on_since(input).filter(|_| plain) {
            Some(silence) => {
                self.on_plain(input);
                facts.note_plain_data((input.end - input.start) as u32, silence);
            }
            None => facts.note_data(&self.on_any(input)),
        }
    }

    /// Whether the sender's data may take the plain lane, because nothing is open that the data
    /// could answer.
    #[inline]
    pub(super) fn is_open_to_data(&self) -> bool {
        self.fragment.is_none() && self.probe.is_none() && self.tail_probe.is_none()
    }

    /// Whether nothing else of the sender was in flight when this data passed, which is noted already.
    #[inline(always)]
    const fn had_rested(&self, input: &DataInput) -> bool {
        input.start <= self.unacked && self.next <= input.end
    }

    /// The time since the sender's previous data; `None` if the sender fell silent, or if the data
    /// needs a window check.
    #[inline(always)]
    pub(crate) fn goes_on_since(&self, input: &DataInput) -> Option<Duration> {
        let silence = input.time - self.last_data.get()?;
        let may_probe =
            self.unacked == self.next && (self.window.is_closed() || input.end == input.start + 1);
        let goes_on = !may_probe && self.timer.srtt().is_none_or(|srtt| silence < srtt);
        goes_on.then_some(silence)
    }

    /// Takes a packet of the plain lane: new data directly behind the highest byte, from a sender
    /// that did not fall silent, while nothing is open that the data could answer. Most packets are
    /// like that. A property test (`tests`) checks that both lanes give the same result for them.
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bytes of one packet: the decoder has 32 bits for them"
    )]
    pub(crate) fn on_plain(&mut self, input: &DataInput) {
        let length = input.end - input.start;
        self.push(input.start, input.end, input.time, input.tsval, RangeKind::Data);
        self.payload_bytes += length as u64;
        self.unique_bytes += length as u64;
        self.data_end = input.end;
        self.note_length(input, length as u32);
        self.recent.add(input);
        self.last_data = input.time.into();
        if let Some(tsecr) = input.tsecr {
            self.path.echo(tsecr, input.time, self.had_rested(input));
        }
    }

    /// Takes any packet with payload, and finds its class by the definitions alone.
    #[inline(never)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bytes of one packet: the decoder has 32 bits for them"
    )]
    pub(super) fn on_any(&mut self, input: &DataInput) -> DataOutcome {
        if self.is_probe(input) {
            return self.on_probe(input);
        }
        let since_last_data = self.last_data.get().map(|last| input.time - last);
        let below_highest = input.start < self.next;
        let before = if below_highest { self.carried_at(input.start) } else { None };
        let may_be_probe = self.may_probe_new(input);
        let quiet_since = self.quiet_since(input.time);
        let (class, new_bytes) =
            if below_highest { self.resend(input) } else { self.extend(input) };
        let below_highest = below_highest && class != SegmentClass::New;
        let after_its_ack = self.is_after_its_ack(input, class);
        if after_its_ack {
            self.acked_unseen_bytes = self.acked_unseen_bytes.saturating_sub(new_bytes as u64);
        }
        let timeout = self.is_timeout(input, class, before);
        let tail_probe = self.note_probe(input, class, (may_be_probe, quiet_since), timeout);
        self.note_recovery(input, class, timeout);
        self.note_data(input, class, new_bytes);
        DataOutcome {
            class,
            new_bytes: new_bytes as u32,
            below_highest,
            timeout,
            since_last_data,
            after_its_ack,
            tail_probe,
            may_be_probe,
        }
    }

    /// Takes the FIN, which uses one sequence number after the payload. Returns whether that number
    /// had passed before.
    pub(crate) fn on_fin(&mut self, at: i64, time: Instant) -> bool {
        self.finished = true;
        if at >= self.next {
            self.open_hole(at, time, None);
            self.push(at, at + 1, time, None, RangeKind::Fin);
            return false;
        }
        let seen = self.look(at, at + 1);
        self.see(at, at + 1);
        seen.acked + seen.in_flight > 0
    }

    /// Takes a packet with SYN or FIN, whose sequence number is included in `[start, end)`. Returns
    /// the class of the repeat if the number had passed before.
    pub(crate) fn on_control(&mut self, input: &DataInput, repeated: bool) -> Option<SegmentClass> {
        let class = if self.is_capture_duplicate(input) {
            SegmentClass::CaptureDuplicate
        } else if input.end <= self.unacked {
            SegmentClass::Spurious
        } else {
            SegmentClass::Retransmission
        };
        self.recent.add(input);
        repeated.then_some(class)
    }

    /// Takes a segment that starts at or above the highest byte sent.
    fn extend(&mut self, input: &DataInput) -> (SegmentClass, i64) {
        let probed = self.take_probe(input.start);
        self.open_hole(input.start, input.time, input.tsval);
        self.push(input.start, input.end, input.time, input.tsval, RangeKind::Data);
        (SegmentClass::New, input.end - input.start + probed)
    }

    /// Opens a hole, because the bytes between the highest byte sent and `end` were not seen.
    fn open_hole(&mut self, end: i64, time: Instant, tsval: Option<u32>) {
        self.see_fragments(end);
        if end >= self.next && !self.begins_at(end) && end > self.next {
            self.push(self.next, end, time, tsval, RangeKind::Hole);
        }
    }

    /// Handles the first data of a flow that the capture met in mid-stream, if ACKs of earlier data
    /// have passed. The bytes below this data were sent before the capture began, and those that
    /// are not acknowledged are still in flight.
    fn begins_at(&mut self, start: i64) -> bool {
        let begins = !self.first_data.is_some() && !self.synchronized && self.next >= FIRST;
        if !begins || start - FIRST > BEFORE_BYTES {
            return false;
        }
        self.before_bytes = start - FIRST;
        self.acked_unseen_bytes = 0;
        if start > self.next {
            self.unseen.get_or_insert_default().miss(self.next, start);
        }
        self.next = start;
        true
    }

    /// Notes the first IP fragment of a segment, which carries the bytes `[start, end)`.
    #[cold]
    pub(crate) fn note_fragment(&mut self, start: i64, end: i64, time: Instant) {
        let most = self.most_payload().map(|most| start + i64::from(most));
        self.fragment = Some(Box::new(Fragmented { end, most, time }));
    }

    /// Counts the bytes between a first IP fragment and `end` as sent. They passed in the later
    /// fragments, which have neither ports nor sequence numbers. They are no hole, as far as one
    /// segment reaches.
    #[inline]
    pub(super) fn see_fragments(&mut self, end: i64) {
        if let Some(segment) = self.fragment.as_deref().copied()
            && segment.end == self.next
        {
            self.see_rest(&segment, end);
        }
    }

    #[cold]
    fn see_rest(&mut self, segment: &Fragmented, end: i64) {
        let end = match segment.most {
            Some(most) => end.min(most),
            None if end - segment.end > LARGEST_DATAGRAM => return,
            None => end,
        };
        if end > segment.end {
            self.push(segment.end, end, segment.time, None, RangeKind::Rest);
        }
    }

    #[inline(always)]
    fn push(&mut self, start: i64, end: i64, time: Instant, tsval: Option<u32>, kind: RangeKind) {
        self.ranges.push(Range::new(start, end, (time, tsval), kind));
        self.next = end;
    }

    /// Takes a segment that starts below the highest byte sent.
    fn resend(&mut self, input: &DataInput) -> (SegmentClass, i64) {
        self.ranges.earn();
        let seen = self.look(input.start, input.end);
        let new_bytes = (input.end - input.start - seen.acked - seen.in_flight).max(0);
        let class = self.classify(input, &seen);
        if class != SegmentClass::CaptureDuplicate {
            self.carry_again(input, class);
        }
        self.see(input.start, input.end);
        if input.end > self.next {
            self.push(self.next, input.end, input.time, input.tsval, RangeKind::Data);
        }
        (class, new_bytes)
    }

    fn look(&mut self, start: i64, end: i64) -> Seen {
        let acked = self.count_seen(start, end.min(self.unacked));
        // In mid-stream, bytes sent before the first byte seen may still be in flight.
        let met = self.count_seen(start.max(self.unacked), end.min(self.first()));
        let lowest = start.max(self.unacked.max(self.first()));
        let in_flight = met + (end.min(self.ranges.forgotten()) - lowest).max(0);
        let mut seen = Seen { acked, in_flight, ..Seen::default() };
        let highest = end.min(self.next);
        let (ranges, rest) = self.ranges.overlapping(start, end);
        // Intervals that the visit limit leaves out count as sent, as forgotten intervals do.
        seen.in_flight += rest.map_or(0, |rest| (highest - rest.max(start)).max(0));
        for range in ranges {
            if range.kind == RangeKind::Hole {
                seen.hole.get_or_insert(*range);
            } else {
                seen.in_flight += range.end.min(end) - range.start.max(start);
                seen.repeated_before |= range.repeated;
            }
        }
        seen
    }

    /// How many of the bytes `[start, end)` have passed the capture point. All of them must lie
    /// below the cumulative ACK, or before the first byte of the flow.
    fn count_seen(&self, start: i64, end: i64) -> i64 {
        if start >= end {
            return 0;
        }
        end - start - unseen::count(self.unseen.as_deref(), start, end)
    }

    /// Notes that bytes below the cumulative ACK, or before the first byte of the flow, pass the
    /// capture point, perhaps for the first time.
    fn see(&mut self, start: i64, end: i64) {
        let end = end.min(self.unacked.max(self.first()));
        if unseen::count(self.unseen.as_deref(), start, end) > 0 {
            self.unseen.get_or_insert_default().see(start, end);
        }
    }

    /// The tests are in the order of methods C2: first those that explain the repeat as harmless,
    /// last the one that makes it a loss behind the capture point.
    fn classify(&self, input: &DataInput, seen: &Seen) -> SegmentClass {
        let length = input.end - input.start;
        if seen.acked + seen.in_flight == 0 {
            let before_the_capture = length == 1 && input.end == self.unacked;
            return match seen.hole {
                // A keep-alive repeats a byte from before the capture; the byte is not late.
                None if before_the_capture => SegmentClass::New,
                // The capture recorded the segment after its ACK, or the first copy passed before
                // the capture met the flow.
                None => SegmentClass::Reordered,
                Some(hole) => self.classify_fill(input, &hole),
            };
        }
        if self.is_capture_duplicate(input) {
            SegmentClass::CaptureDuplicate
        } else if length == 1 && self.window_is_closed() {
            SegmentClass::WindowProbe
        } else if length == 1 && input.end == self.data_end && seen.acked == length {
            SegmentClass::KeepAlive
        } else if seen.in_flight == 0 && self.acked_once {
            SegmentClass::Spurious
        } else if self.is_tail_probe(input, seen.repeated_before || seen.hole.is_some()) {
            SegmentClass::TailProbe
        } else {
            SegmentClass::Retransmission
        }
    }

    /// The class of bytes below the highest that are seen for the first time. Either they are late,
    /// or they are a retransmission because the first copy was lost before the capture point.
    fn classify_fill(&self, input: &DataInput, hole: &Range) -> SegmentClass {
        if let (Some(own), Some(opener)) = (input.tsval, hole.tsval())
            && (own.wrapping_sub(opener) as i32) < 0
        {
            return SegmentClass::Reordered;
        }
        let repaired_from = match hole.reported.get() {
            Some(reported) => reported + self.loop_or_zero(),
            None => hole.time + UNREPORTED_HOLE,
        };
        if input.time >= repaired_from {
            SegmentClass::UpstreamLoss
        } else {
            SegmentClass::Reordered
        }
    }

    pub(super) fn is_capture_duplicate(&self, input: &DataInput) -> bool {
        let limit =
            self.rtt_min.get().map_or(CAPTURE_DUPLICATE, |rtt| rtt.over(2).min(CAPTURE_DUPLICATE));
        let own = Fingerprint::new(input);
        self.recent.packets.iter().any(|p| {
            let same_id = p.ip_id == input.ip_id;
            // A capture on both sides of a router sees each packet twice, the second time one hop
            // further.
            let forwarded = self.recent.ip_id_varies && same_id && input.hop_limit < p.hop_limit;
            p.is_like(&own)
                && ((input.time - p.time).abs() <= limit || forwarded)
                && (!self.recent.ip_id_varies || same_id)
        })
    }

    /// Whether the capture did not lose the bytes but recorded them after their ACK (methods A10).
    /// Bytes before the first byte of a flow that was met in mid-stream are excluded, because they
    /// were acknowledged long ago.
    fn is_after_its_ack(&self, input: &DataInput, class: SegmentClass) -> bool {
        class == SegmentClass::Reordered && input.start >= self.first() && input.end <= self.unacked
    }

    fn carry_again(&mut self, input: &DataInput, class: SegmentClass) {
        self.kept_alive |= class == SegmentClass::KeepAlive;
        if matches!(class, SegmentClass::KeepAlive | SegmentClass::WindowProbe) {
            return;
        }
        let (start, end) = (input.start.max(self.unacked), input.end);
        for range in self.ranges.isolate(start, end) {
            range.repeated |= range.kind != RangeKind::Hole;
            if range.kind == RangeKind::Hole {
                range.kind = RangeKind::Data;
            }
            range.time = input.time;
            range.stamp(input.tsval);
        }
        self.ranges.join(start, end);
        if let Some(reported) = &mut self.reported {
            // A hole that a SACK block reported has become data, and no SACK block has reported
            // that data.
            reported.remove(start, end);
        }
        if class == SegmentClass::Retransmission {
            self.judged.get_or_insert_default().remember(input.start, input.end);
        }
    }

    /// Whether the sender sent the first unacknowledged byte again because its timer expired
    /// (methods C4). That is so one RTO after the last advance of the ACK and after the byte's last
    /// transmission. The last transmission must be a retransmission itself, or the first one with
    /// nothing else retransmitted in between. A tenth is allowed for the error of the estimated
    /// smoothed RTT.
    fn is_timeout(&self, input: &DataInput, class: SegmentClass, before: Option<Carried>) -> bool {
        let resent = matches!(class, SegmentClass::Retransmission | SegmentClass::UpstreamLoss)
            || (class == SegmentClass::Spurious && input.end >= self.unacked);
        let least = tenth_off(self.timer.rto());
        let waited = |since: Option<Instant>| since.is_none_or(|at| input.time - at >= least);
        let since = self.last_advance.get().max(before.map(|carried| carried.at));
        if !resent || input.start > self.unacked || !waited(since) {
            return false;
        }
        if before.is_some_and(|carried| carried.repeated) {
            !self.is_overtaken(input.time)
        } else {
            waited(self.last_repeat.get()) && self.no_other_sign(input.time, least)
        }
    }

    /// Whether the sender learnt that data sent after a retransmission had arrived and the
    /// retransmission had not. The sender then retransmits again within a smoothed RTT (RFC 8985
    /// section 6.2), without waiting for a timer.
    fn is_overtaken(&self, now: Instant) -> bool {
        let within = self.loop_or_zero() + self.timer.srtt().unwrap_or_default();
        self.overtaken.get().is_some_and(|at| now - at <= within)
    }

    /// Whether nothing else was sent for the time `least`, or nothing has shown a loss in that
    /// time. Then the retransmission was not sent in answer to an ACK.
    fn no_other_sign(&self, now: Instant, least: Duration) -> bool {
        let shown = self.recovery.as_ref().map(|recovery| recovery.since);
        self.last_data
            .get()
            .is_some_and(|last| now - last >= least || shown.is_none_or(|at| now - at >= least))
    }

    /// The last transmission of the byte at `offset`; if a hole is there, the time at which it was
    /// opened.
    fn carried_at(&self, offset: i64) -> Option<Carried> {
        self.ranges.at(offset).map(|range| Carried { at: range.time, repeated: range.repeated })
    }

    /// The time of the last retransmission of the bytes from `offset` on; `None` if they were sent
    /// once.
    pub(super) fn repeated_at(&self, offset: i64) -> Option<Instant> {
        self.carried_at(offset).filter(|carried| carried.repeated).map(|carried| carried.at)
    }

    fn note_recovery(&mut self, input: &DataInput, class: SegmentClass, timeout: bool) {
        if !timeout && !matches!(class, SegmentClass::Retransmission | SegmentClass::UpstreamLoss) {
            return;
        }
        let recover = self.next;
        let recovery = self.recovery.get_or_insert_with(|| {
            let (since, timeout) = (input.time, None);
            Box::new(Recovery { since, recover, timeout, retransmitted: true })
        });
        recovery.retransmitted = true;
        if timeout {
            recovery.timeout.get_or_insert(input.time);
            recovery.recover = recover;
        }
    }

    fn note_data(&mut self, input: &DataInput, class: SegmentClass, new_bytes: i64) {
        use SegmentClass::{Retransmission, Spurious, TailProbe, UpstreamLoss};

        self.count(input, new_bytes);
        if let (Some(tsecr), true) = (input.tsecr, class != SegmentClass::CaptureDuplicate) {
            self.path.echo(tsecr, input.time, self.had_rested(input));
        }
        if matches!(class, Retransmission | Spurious | TailProbe | UpstreamLoss) {
            self.last_repeat = input.time.into();
            self.overtaken = Maybe::NONE;
        }
    }

    /// Updates the counts to which every packet with payload contributes.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bytes of one packet: the decoder has 32 bits for them"
    )]
    fn count(&mut self, input: &DataInput, new_bytes: i64) {
        let length = (input.end - input.start) as u32;
        self.payload_bytes += u64::from(length);
        self.data_end = self.data_end.max(input.end);
        self.unique_bytes += new_bytes as u64;
        self.note_length(input, length);
        self.recent.add(input);
        self.first_data.get_or_insert(input.time);
        self.last_data = input.time.into();
    }

    #[inline]
    fn note_length(&mut self, input: &DataInput, length: u32) {
        if input.super_segment {
            self.note_merged(input.start, length);
        } else if length > self.largest_payload {
            self.note_larger(input.start, length);
        }
    }

    #[cold]
    fn note_larger(&mut self, start: i64, length: u32) {
        self.largest_payload = length;
        if !self.has_merged {
            self.largest_start = start;
        }
        self.renew_mss();
    }

    /// Notes a packet that several segments were merged into. Only where no handshake announced the
    /// size of segments, it is to be found.
    #[inline(never)]
    fn note_merged(&mut self, start: i64, length: u32) {
        if !self.has_merged && self.most_payload().is_some_and(|most| self.largest_payload < most) {
            (self.largest_start, self.has_merged) = (start, true);
        }
        if self.announced_mss.is_none() && self.unit.take(length, self.largest_payload) {
            self.renew_mss();
        }
    }
}
