//! Takes acknowledgements: what an ACK covers, what it reports, and what that shows about the path.

use airmile_types::{Duration, Instant, Maybe};

use super::inputs::AckInput;
use super::judged::PureAck;
use super::ranges::{Acked, Range, RangeKind};
use super::state::{BEFORE_BYTES, Known, Recovery, Scoreboard};
use super::unseen::FIRST;
use super::window::Announced;
use crate::outcomes::{AckOutcome, Covered, DuplicateAck, PlainAck, RttSample};
use crate::segment_facts::SegmentFacts;

/// A second record of the same packet that the capture itself makes follows within this time
/// (methods A10, C2).
const RECORDED_TWICE: Duration = Duration::from_millis(5);

impl Scoreboard {
    /// Takes one acknowledgement. The plain lane and the general one each write their own outcome
    /// into `facts`, so that few facts are copied.
    #[inline]
    pub(crate) fn take_ack(&mut self, input: &AckInput<'_>, facts: &mut SegmentFacts<'_>) {
        facts.ack = Some(input.ack);
        let plain = (self.unacked..=self.next).contains(&input.ack) && input.sack.is_empty();
        if plain && self.is_open_to_acks() && !self.repeats(input) {
            facts.note_plain_ack(&self.on_plain_ack(input));
        } else {
            facts.note_ack(&self.on_any_ack(input));
        }
    }

    /// Whether ACKs may take the plain lane, because nothing shows a loss and nothing is open that
    /// an ACK could answer.
    #[inline]
    pub(super) fn is_open_to_acks(&self) -> bool {
        self.acked_once
            && self.recovery.is_none()
            && self.tail_probe.is_none()
            && self.fragment.is_none()
            && self.probe.is_none()
            && !self.ranges.may_have_hole_above(self.unacked)
    }

    /// Whether the ACK repeats the highest one while data is in flight, so that it may be a
    /// duplicate ACK.
    #[inline]
    pub(crate) const fn repeats(&self, input: &AckInput<'_>) -> bool {
        input.ack == self.unacked && input.pure && self.next != self.unacked
    }

    /// Takes an ACK of the plain lane while nothing shows a loss. The ACK advances over data that
    /// was sent once, or comes with data, or comes when all data is acknowledged. Most ACKs are
    /// like that. A property test (`tests`) checks that both lanes give the same result for them.
    #[inline(always)]
    pub(crate) fn on_plain_ack(&mut self, input: &AckInput<'_>) -> PlainAck {
        self.known.at = Known::NOTHING.at;
        let covered = if input.ack > self.unacked { self.cover(input) } else { Covered::default() };
        let recorded_twice = input.pure && self.is_recorded_twice(input);
        self.announce_window(input, 0);
        PlainAck { covered, recorded_twice }
    }

    /// Takes any acknowledgement, and finds its outcome by the definitions alone.
    #[inline(never)]
    pub(super) fn on_any_ack(&mut self, input: &AckInput<'_>) -> AckOutcome {
        let mut out = AckOutcome::default();
        self.known.at = Known::NOTHING.at;
        self.meet(input.ack);
        let outstanding = self.next > self.unacked;
        let same_ack = self.acked_once && input.ack == self.unacked;
        if input.ack > self.unacked {
            self.advance(input, &mut out);
        }
        self.take_sack(input, &mut out);
        out.recorded_twice = input.pure && self.is_recorded_twice(input);
        let repeats = input.pure && !input.asks && same_ack && outstanding;
        if repeats && !out.recorded_twice && !self.answers_keep_alive(input) {
            out.duplicate = self.duplicate(input, out.sacked_bytes);
        }
        if out.duplicate.is_some() && input.sack.is_empty() {
            out.sack_rtt = self.reported_rtt(input.time);
        }
        out.tail_probe = self.answer_probe(input, &out);
        self.note_episode(input, &out);
        self.announce_window(input, self.unacked - input.ack);
        self.acked_once = true;
        out
    }

    /// Notes the window that the ACK announces. `behind` is how many bytes the ACK lies below the
    /// highest ACK; the window counts from the highest ACK.
    #[inline(always)]
    fn announce_window(&mut self, input: &AckInput<'_>, behind: i64) {
        let behind = u32::try_from(behind).unwrap_or(0);
        let announced = Announced {
            bytes: input.window_bytes.map(|bytes| bytes.saturating_sub(behind)),
            closed: input.closed && input.ack >= self.unacked,
            field: input.window_field,
        };
        self.window.announce(
            self.unacked,
            (!self.finished).then_some(announced),
            input.tsval,
            input.time,
            self.loop_or_zero(),
        );
        self.last_window_field = Some(input.window_field);
    }

    /// Handles the first ACK of a flow that was met in mid-stream, if the ACK lies below the first
    /// byte seen. The bytes in between were sent before the capture began and are still in flight.
    fn meet(&mut self, ack: i64) {
        let met = !self.acked_once && !self.synchronized && self.unacked == FIRST;
        if met && (FIRST - BEFORE_BYTES..FIRST).contains(&ack) {
            self.unacked = ack;
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "one probe's bytes, a packet's")]
    fn advance(&mut self, input: &AckInput<'_>, out: &mut AckOutcome) {
        self.see_fragments(input.ack);
        out.probed_bytes = self.take_probe(input.ack) as u32;
        self.unique_bytes += u64::from(out.probed_bytes);
        if self.ranges.may_have_hole_above(self.unacked) {
            for hole in self.ranges.holes_below(input.ack) {
                let end = hole.end.min(input.ack);
                self.unseen.get_or_insert_default().miss(hole.start, end);
            }
        }
        if input.ack > self.next {
            // Data that never passed the capture point was acknowledged, so the capture lost it
            // (methods A10).
            self.acked_unseen_bytes +=
                if self.acked_once { (input.ack - self.next) as u64 } else { 0 };
            self.unseen.get_or_insert_default().miss(self.next, input.ack);
            self.next = input.ack;
        }
        let covered = self.cover(input);
        out.acked_bytes = covered.acked_bytes;
        out.delivered_bytes = covered.fresh_bytes;
        out.rtt = covered.rtt;
    }

    /// Removes the intervals that the ACK covers, and returns them with their RTT.
    #[inline(always)]
    fn cover(&mut self, input: &AckInput<'_>) -> Covered {
        let acked_bytes = (input.ack - self.unacked) as u64;
        let before_bytes = self.before_capture(input.ack);
        let acked = self.ranges.acknowledge(input.ack);
        self.acked_unseen_bytes += acked.hole_bytes;
        self.unacked = input.ack;
        self.last_advance = input.time.into();
        self.overtaken = Maybe::NONE;
        let rtt = self.rtt_of(&acked, input.time);
        if let Some(sample) = rtt {
            self.rtt_min.take(sample.rtt);
            self.timer.sample(sample.rtt + self.loop_or_zero());
        }
        Covered { acked_bytes, fresh_bytes: acked.fresh_bytes + before_bytes, rtt }
    }

    /// How many of the bytes that an ACK covers were sent before the capture began.
    #[inline]
    fn before_capture(&self, ack: i64) -> u64 {
        let begun = self.synchronized || !self.first_data.is_some() || self.unacked >= self.first();
        if begun { 0 } else { (ack.min(self.first()) - self.unacked).max(0) as u64 }
    }

    /// The RTT sample of an ACK (methods B4). Karn's rule (RFC 6298 section 3) applies to every
    /// newly acknowledged byte. An ACK that fills a hole gives no sample, because its last byte had
    /// arrived long before: a SACK block had reported that byte, or a lower byte passed the capture
    /// point later.
    #[inline(always)]
    fn rtt_of(&self, acked: &Acked, now: Instant) -> Option<RttSample> {
        let last = acked.last.filter(|_| !acked.any_repeated && acked.hole_bytes == 0)?;
        let plain = matches!(last.kind, RangeKind::Data | RangeKind::Rest) && !last.sacked;
        let in_order = acked.newest <= last.time;
        // Bytes above this one that the capture missed may have passed later than any packet that
        // is known.
        let carried = last.end >= self.unacked;
        let rtt = now - last.time;
        (plain && in_order && carried && rtt >= Duration::ZERO).then_some(RttSample {
            rtt,
            sent: last.time,
            single_segment: acked.ranges == 1,
        })
    }

    fn take_sack(&mut self, input: &AckInput<'_>, out: &mut AckOutcome) {
        if input.sack.is_empty() {
            return;
        }
        // In a flow met in mid-stream, the first SACK block shows that both ends support SACK.
        self.sacks = true;
        self.ranges.earn();
        let mut edge = None;
        let mut newest = Newest::default();
        for (index, &block) in input.sack.iter().enumerate() {
            if index == 0 && is_dsack(block, input) {
                out.dsack = Some(block);
                out.unneeded_retransmission =
                    self.judged.as_mut().is_some_and(|judged| judged.judge(block));
                continue;
            }
            let (start, end) = (block.0.max(self.unacked), block.1.min(self.next));
            let reported = self.reported.get_or_insert_default();
            for (from, to) in reported.gaps(start, end) {
                for range in self.ranges.isolate(from, to) {
                    if !range.sacked && range.kind == RangeKind::Data {
                        range.sacked = true;
                        out.sacked_bytes += (range.end - range.start) as u64;
                        edge = edge.max(Some(range.end));
                        newest.add(range, index == 0);
                    }
                }
            }
            reported.add(start, end, self.unacked);
            reported.most = reported.most.max(block.1);
        }
        self.sacked_bytes += out.sacked_bytes;
        out.delivered_bytes += out.sacked_bytes;
        let in_place = out.acked_bytes == 0;
        out.sack_rtt = newest.rtt(input.time).filter(|rtt| in_place && *rtt >= Duration::ZERO);
        self.note_overtaken(newest.sent, input.time);
        if let Some(edge) = edge {
            self.highest_sacked = self.highest_sacked.max(edge);
            self.report_holes(input.time);
        }
    }

    /// Notes that data sent after the newest retransmission of the first unacknowledged byte has
    /// arrived, and the retransmission has not. A sender that follows RFC 8985 section 6.2 takes
    /// the retransmission for lost without waiting for a timer.
    fn note_overtaken(&mut self, sent: Option<Instant>, now: Instant) {
        let head = self.repeated_at(self.unacked);
        if head.is_some_and(|head| sent > Some(head)) {
            self.overtaken.get_or_insert(now);
        }
    }

    /// Whether the capture recorded the same ACK twice (methods A10). The second record follows
    /// within milliseconds and has the same IP identification, which distinguishes it from the
    /// receiver's next ACK. If the identifications of the host do not vary, the two cannot be
    /// distinguished.
    #[inline(always)]
    fn is_recorded_twice(&mut self, input: &AckInput<'_>) -> bool {
        let own = PureAck {
            ack: input.ack,
            window_field: input.window_field,
            tsval: input.tsval,
            ip_id: input.ip_id,
            block: input.sack.first().copied(),
            time: input.time,
        };
        let Some(last) = self.last_pure.replace(own) else { return false };
        if last.ack != own.ack {
            self.ack_ids_vary |= last.ip_id != own.ip_id;
            return false;
        }
        self.ack_ids_vary && self.is_same_record(&last, &own)
    }

    #[inline(never)]
    fn is_same_record(&self, last: &PureAck, own: &PureAck) -> bool {
        let least = self.rtt_min.get();
        let limit = least.map_or(RECORDED_TWICE, |rtt| rtt.over(2).min(RECORDED_TWICE));
        PureAck { time: own.time, ..*last } == *own && (own.time - last.time).abs() <= limit
    }

    /// The RTT that a duplicate ACK shows in a flow without SACK. Each duplicate ACK reports that
    /// one more segment above the hole has arrived (RFC 5681 section 3.2), and segments are assumed
    /// to arrive in the order in which they were sent. Without these samples, a deep queue could
    /// not be observed during the seconds of its own loss recovery (methods T7).
    fn reported_rtt(&mut self, now: Instant) -> Option<Duration> {
        // In a flow met in mid-stream, the first segments to arrive passed before the capture
        // began.
        if self.unacked < self.first() && !self.synchronized {
            return None;
        }
        let from = self.duplicates_end.max(self.unacked + 1);
        let range = *self.ranges.next_data(from)?;
        self.duplicates_end = range.end;
        let rtt = now - range.time;
        (!range.repeated && !range.sacked && rtt >= Duration::ZERO).then_some(rtt)
    }

    /// The rule by which the ACK is a duplicate: RFC 5681 section 2, or a new SACK block although
    /// the window changed (methods C3).
    fn duplicate(&self, input: &AckInput<'_>, sacked_bytes: u64) -> Option<DuplicateAck> {
        if self.last_window_field == Some(input.window_field) {
            Some(DuplicateAck::Strict)
        } else if sacked_bytes > 0 {
            Some(DuplicateAck::Sack)
        } else {
            None
        }
    }

    fn note_episode(&mut self, input: &AckInput<'_>, out: &AckOutcome) {
        if out.duplicate.is_some()
            && let Some(hole) = self.ranges.first_hole()
        {
            // Without SACK, an ACK reports only the lowest hole.
            hole.reported.get_or_insert(input.time);
        }
        let sign_of_loss = out.duplicate.is_some() || out.sacked_bytes > 0;
        if sign_of_loss && self.recovery.is_none() {
            self.recovery = Some(Box::new(Recovery {
                since: input.time,
                recover: self.next,
                timeout: None,
                retransmitted: false,
            }));
        }
        if self.recovery.as_ref().is_some_and(|r| self.unacked >= r.recover) {
            self.recovery = None;
        }
    }

    /// Marks the holes below the highest SACK block as reported.
    fn report_holes(&mut self, now: Instant) {
        let reported = self.reported.get_or_insert_default();
        for range in self.ranges.holes(reported.holes_end, self.highest_sacked) {
            range.reported.get_or_insert(now);
        }
        // The highest SACKed byte is the end of a segment, so no hole extends across it, and new
        // holes open above it.
        reported.holes_end = self.highest_sacked;
    }
}

/// The segments that the SACK blocks of one ACK are the first to report.
#[derive(Clone, Copy, Debug, Default)]
struct Newest {
    /// The time of the latest transmission among all blocks.
    sent: Option<Instant>,
    /// The time of the latest transmission in the first block, which contains the segment that the
    /// ACK answers (RFC 2018 section 4).
    answered: Option<Instant>,
    /// Whether the first block contains retransmitted bytes, which give no RTT sample (Karn).
    ambiguous: bool,
}

impl Newest {
    fn add(&mut self, range: &Range, first: bool) {
        self.sent = self.sent.max(Some(range.time));
        if first {
            self.answered = self.answered.max(Some(range.time));
            self.ambiguous |= range.repeated;
        }
    }

    fn rtt(&self, now: Instant) -> Option<Duration> {
        self.answered.filter(|_| !self.ambiguous).map(|sent| now - sent)
    }
}

/// Whether the first block is a D-SACK: it lies below the cumulative ACK, or inside the second
/// block (RFC 2883 section 4).
fn is_dsack(block: (i64, i64), input: &AckInput<'_>) -> bool {
    let inside_second =
        input.sack.get(1).is_some_and(|second| second.0 <= block.0 && block.1 <= second.1);
    block.1 <= input.ack || inside_second
}
