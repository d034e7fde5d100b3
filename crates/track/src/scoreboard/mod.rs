//! Records, for one direction of a flow, which bytes passed the capture point, which of them were
//! acknowledged, and what that shows about the sender.
//!
//! Read RFC 9293 (sequence space), RFC 2018 and 2883 (SACK and D-SACK), RFC 6298 (timer) and
//! methods C2 before working here.

mod acknowledge;
mod gate;
mod inputs;
mod judged;
mod lane;
mod least;
mod missing;
mod path;
mod probe;
mod probes;
mod ranges;
mod recent;
mod reported;
mod send;
#[cfg(debug_assertions)]
mod sound;
mod state;
mod step;
mod tail;
mod timer;
mod unit;
mod unseen;
mod window;

#[cfg(test)]
mod tests;

use airmile_types::{Duration, Instant};

use crate::scoreboard::state::{Known, LARGEST_WINDOW, LATE_SYN_BYTES, UNSEEN_BYTES};

pub(crate) use inputs::{AckInput, DataInput};
pub use state::{BEFORE_BYTES, Recovery, Scoreboard};
pub use timer::{Timeouts, Timer};
use unit::LEAST_MSS_BYTES;
use unseen::FIRST;

impl Scoreboard {
    /// The offset after the highest byte sent; a SYN and a FIN count one byte each.
    pub const fn next(&self) -> i64 {
        self.next
    }

    /// The offset after the highest byte of payload; a FIN does not count.
    pub const fn data_end(&self) -> i64 {
        self.data_end
    }

    /// The highest cumulative acknowledgement, as an offset.
    pub const fn unacked(&self) -> i64 {
        self.unacked
    }

    /// The end of the highest data that a SACK block has reported although it never passed the
    /// capture point: it went another way, or the capture missed it.
    pub fn reported_unseen(&self) -> Option<i64> {
        self.reported.as_ref().map(|reported| reported.most).filter(|most| *most > self.next)
    }

    /// Bytes in flight between capture point and receiver (methods C1): the highest byte sent minus
    /// the highest byte acknowledged.
    pub const fn in_flight_bytes(&self) -> i64 {
        self.next - self.unacked
    }

    /// The size of the sender's full segments: the largest segment seen that is not a
    /// super-segment, at most the MSS that the receiver announced minus the size of the timestamps
    /// option; the latter if only super-segments were seen. Where no MSS was captured, super-segments
    /// are multiples of it. If nothing shows it, it is 536 (RFC 9293 section 3.7.1).
    #[inline]
    pub const fn mss_bytes(&self) -> u32 {
        self.mss.0
    }

    /// Computes the result of [`Self::mss_bytes`] again, after one of its inputs has changed.
    #[cold]
    fn renew_mss(&mut self) {
        self.mss.0 = match (self.largest_payload, self.most_payload()) {
            (0, Some(announced)) => announced,
            (largest, None) => {
                let segment = self.unit.segment(largest);
                segment.unwrap_or(if largest > 0 { largest } else { LEAST_MSS_BYTES })
            }
            (largest, Some(announced)) => largest.min(announced),
        };
    }

    /// The greatest payload of a segment: the MSS that the receiver announced, minus the options of
    /// each segment; `None` if it is unknown.
    pub fn most_payload(&self) -> Option<u32> {
        self.announced_mss
            .map(|mss| u32::from(mss).saturating_sub(self.options_bytes.into()).max(1))
    }

    /// Whether a segment of as many bytes as one of this size was ever acknowledged; `None` if larger
    /// ones were sent, or if the size of full segments is unknown.
    pub fn is_size_acked(&self, bytes: u32) -> Option<bool> {
        let full = if self.has_merged { self.most_payload()? } else { self.largest_payload };
        (bytes >= full).then(|| self.unacked() > self.largest_start)
    }

    /// The right edge of the receiver's window (ACK + window, never moving back) as announced by
    /// the packets that passed the capture point; `None` if the scale is unknown.
    pub const fn right_edge(&self) -> Option<i64> {
        self.window.right()
    }

    /// The right edge that this sender knew at `now`. It is the newest edge that passed the capture
    /// point at least one round trip between capture point and sender before `now`, and not later
    /// than the packet whose timestamp the sender echoes (methods C6).
    #[inline]
    pub fn right_edge_known(&self, now: Instant) -> Option<i64> {
        if self.known.at == now {
            return self.known.right.get();
        }
        self.window.right_known(now - self.loop_or_zero())
    }

    /// The time at which the first right edge at `wanted` or above passed the capture point, among
    /// the edges of the last two round trips; `None` if none has.
    pub fn edge_passed(&self, wanted: i64) -> Option<Instant> {
        self.window.passed_with(wanted)
    }

    /// The right edge that this sender knew at `now`, if `shift` is the scale of the receiver's
    /// window, for a flow whose scale is unknown; `None` before the first ACK.
    pub fn edge_known_at_scale(&self, now: Instant, shift: u8) -> Option<i64> {
        self.announced_known(now).map(|announced| scaled(announced, shift))
    }

    /// The ACK and the window field that this sender knew at `now`; `None` before the first ACK.
    pub(crate) fn announced_known(&self, now: Instant) -> Option<(i64, u16)> {
        if self.known.at == now {
            return self.known.announcement();
        }
        self.window.announced_known(now - self.loop_or_zero())
    }

    /// The newest right edge of the receiver's window, if `shift` is its scale; `None` before the
    /// first ACK.
    pub fn edge_at_scale(&self, shift: u8) -> Option<i64> {
        self.window.announced().map(|announced| scaled(announced, shift))
    }

    /// The highest cumulative ACK that this sender knew at `now`: the one that had passed the
    /// capture point one round trip (capture point, sender, capture point) before.
    #[inline]
    pub fn ack_known(&self, now: Instant) -> i64 {
        if self.known.at == now { self.known.ack } else { self.ack_known_at(now) }
    }

    fn ack_known_at(&self, now: Instant) -> i64 {
        self.window.ack_known(now - self.loop_or_zero()).unwrap_or(self.unacked).min(self.unacked)
    }

    /// The receiver's newest window in bytes; `None` if the scale is unknown.
    pub const fn window_bytes(&self) -> Option<u32> {
        self.window.newest_bytes()
    }

    /// Whether the receiver accepts no data now: its newest window after the handshake is 0 (which
    /// needs no scale), and this sender has not sent its FIN.
    pub const fn window_is_closed(&self) -> bool {
        self.window.is_closed() && !self.finished
    }

    /// Whether the sender's FIN has passed. From then on the window that its receiver advertises
    /// has no meaning.
    pub const fn is_finished(&self) -> bool {
        self.finished
    }

    /// The least recent round trip from the capture point to this sender and back. Samples come
    /// from the handshake, from echoed timestamps, and from the RTTs of data in the other
    /// direction. For downlink data captured at a monitor, this is the upstream RTT.
    #[inline]
    pub const fn loop_time(&self) -> Option<Duration> {
        self.path.get()
    }

    /// Sets whether this sender is at the capture point, so that it knows at once what passes
    /// there.
    #[inline]
    pub(crate) fn stands_at_tap(&mut self, at_tap: bool) {
        self.path.stand_at_tap(at_tap);
    }

    /// Sets whether the radio lies between the capture point and this sender.
    #[inline]
    pub(crate) const fn stands_across_radio(&mut self, across_radio: bool) {
        self.path.stand_across_radio(across_radio);
    }

    /// The first of the bytes that are missing directly below this offset, where a segment came before
    /// them; `None` if none are.
    pub fn missing_below(&self, start: i64) -> Option<i64> {
        if start <= self.unacked { None } else { self.ranges.hole_to(start) }
    }

    /// The share of the sender's bytes that the capture lost: they were acknowledged but not
    /// captured.
    pub fn lost_ratio(&self) -> f64 {
        let all = self.unique_bytes + self.acked_unseen_bytes;
        if all > 0 { self.acked_unseen_bytes as f64 / all as f64 } else { 0.0 }
    }

    /// The time of the latest sudden increase of the delay of the path to this sender. Delays
    /// measured before that time belong to another path.
    pub fn path_changed(&self) -> Option<Instant> {
        self.path.changed()
    }

    /// The least RTT from the capture point to the receiver and back, over the handshake and all
    /// samples.
    pub const fn rtt_min(&self) -> Option<Duration> {
        self.rtt_min.get()
    }

    /// The sender's smoothed RTT over the whole path: each sample is the RTT beyond the capture
    /// point plus the round trip between capture point and sender (RFC 6298 section 2).
    pub fn srtt(&self) -> Option<Duration> {
        self.timer.srtt()
    }

    /// The sender's retransmission timeout by the rule of Linux, SRTT + max(200 ms, 4 RTTVAR)
    /// (methods C5); 1 s before the first sample (RFC 6298 section 2.1).
    pub fn rto(&self) -> Duration {
        self.timer.rto()
    }

    /// The sender's retransmission timer, if the round trip between capture point and sender is
    /// known: without it no sample covers the whole path.
    pub fn timer(&self) -> Option<&Timer> {
        self.loop_time().and(Some(&self.timer))
    }

    /// The time of the first packet with payload.
    pub fn first_data(&self) -> Option<Instant> {
        self.first_data.get()
    }

    /// The time of the last packet with payload.
    pub fn last_data(&self) -> Option<Instant> {
        self.last_data.get()
    }

    /// The time at which the cumulative ACK last advanced.
    pub fn last_advance(&self) -> Option<Instant> {
        self.last_advance.get()
    }

    /// Whether a loss episode is in progress.
    #[inline]
    pub const fn is_recovering(&self) -> bool {
        self.recovery.is_some()
    }

    /// The loss episode in progress, if any (methods T4).
    pub fn recovery(&self) -> Option<Recovery> {
        self.recovery.as_deref().copied()
    }

    /// Whether the sender's SYN has passed. If so, all that the sender has sent since was seen
    /// here, or lost before it got here.
    #[must_use]
    pub const fn is_synchronized(&self) -> bool {
        self.synchronized
    }

    /// Bytes of payload sent, retransmissions included.
    pub const fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// Bytes of sequence space that have passed the capture point.
    pub const fn unique_bytes(&self) -> u64 {
        self.unique_bytes
    }

    /// Bytes that were acknowledged but never seen, that is, which the capture lost.
    pub const fn acked_unseen_bytes(&self) -> u64 {
        self.acked_unseen_bytes
    }

    /// Bytes that SACK blocks have reported so far.
    pub const fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// The time at which the first unacknowledged byte passed; `None` if that byte was
    /// retransmitted, or if something shows a loss.
    #[inline]
    pub fn oldest_live(&self) -> Option<Instant> {
        let lowest = self.ranges.lowest().filter(|range| range.kind == ranges::RangeKind::Data)?;
        (!lowest.repeated && self.recovery.is_none()).then_some(lowest.time)
    }

    /// Notes, after a packet of the sender, which ACK and window the sender knew. `tsecr` is the
    /// timestamp that the packet echoes, if that is the timestamp of the newest packet which the
    /// sender has received.
    #[inline(always)]
    pub(crate) fn note_known(&mut self, now: Instant, tsecr: Option<u32>) {
        let heard = self.window.heard(now - self.loop_or_zero(), tsecr);
        self.known = Known::new(now, heard, self.unacked);
    }

    /// Takes the RTT between capture point and receiver from a handshake.
    pub(crate) fn handshake_rtt(&mut self, rtt: Duration) {
        if rtt >= Duration::ZERO {
            self.rtt_min.take(rtt);
        }
    }

    /// Takes one sample of the round trip between capture point and sender, from a packet that the
    /// sender answered at once.
    pub(crate) fn loop_sample(&mut self, rtt: Duration, now: Instant) {
        self.known.at = Known::NOTHING.at;
        self.path.sample(rtt, now);
    }

    /// Takes the whole-path RTT of the handshake as a sample for the sender's timer.
    pub(crate) fn timer_sample(&mut self, rtt: Duration) {
        self.timer.sample(rtt);
    }

    /// Notes a timestamp that passes towards this sender, in the uplink direction if the sender is
    /// a server.
    #[inline(always)]
    pub(crate) fn mark_timestamp(&mut self, tsval: u32, now: Instant, uplink: bool) {
        if uplink {
            self.path.follow_steps();
        }
        self.path.mark(tsval, now);
    }

    /// Notes the MSS that the receiver announced; `options_bytes` is the size of the options in
    /// each segment.
    pub(crate) fn announce_mss(&mut self, mss: Option<u16>, options_bytes: u8) {
        self.announced_mss = mss;
        self.options_bytes = options_bytes;
        self.renew_mss();
    }

    /// Sets whether both ends support SACK.
    pub(crate) const fn announce_sack(&mut self, sacks: bool) {
        self.sacks = sacks;
    }

    /// Notes the SYN, whose sequence number gets offset 0. A SYN with another number that comes
    /// after the first byte was acknowledged changes nothing: it is a late SYN of a connection that
    /// was not accepted (TCP Fast Open, RFC 7413 section 4.2). Returns whether this SYN had passed
    /// before.
    pub(crate) fn synchronize(&mut self, sequence: u32) -> bool {
        let repeated = self.synchronized && self.origin == Some(sequence);
        if self.unacked == 0 {
            self.origin = Some(sequence);
            self.next = self.next.max(1);
        }
        self.synchronized |= self.origin == Some(sequence);
        repeated
    }

    /// Whether the number of a SYN lies just below the highest number seen, so that the SYN was
    /// recorded late. `None` while no number is known.
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    pub(crate) fn is_just_below(&self, sequence: u32) -> Option<bool> {
        let next = self.origin?.wrapping_add(self.next as u32);
        Some((1..=LATE_SYN_BYTES).contains(&next.wrapping_sub(sequence)))
    }

    /// Whether nothing shows that this sender takes part in the connection: neither a SYN nor an
    /// ACK of its data has passed.
    #[inline]
    pub(crate) const fn is_unconfirmed(&self) -> bool {
        !self.synchronized && !self.acked_once
    }

    /// Whether a SYN has passed and `acknowledgement` lies after it and not beyond what was sent,
    /// as in an acceptable ACK (RFC 9293 section 3.10.7.3).
    pub(crate) fn has_sent(&self, acknowledgement: u32) -> bool {
        self.syn_number().is_some_and(|syn| {
            (1..=self.next).contains(&i64::from(acknowledgement.wrapping_sub(syn)))
        })
    }

    /// Forgets what was seen so far, because it belongs to an earlier connection.
    #[cold]
    pub(crate) fn restart(&mut self) {
        *self = Self {
            path: std::mem::take(&mut self.path),
            timer: std::mem::take(&mut self.timer),
            rtt_min: self.rtt_min,
            announced_mss: self.announced_mss,
            sacks: self.sacks,
            options_bytes: self.options_bytes,
            payload_bytes: self.payload_bytes,
            unique_bytes: self.unique_bytes,
            sacked_bytes: self.sacked_bytes,
            ..Self::default()
        };
        self.renew_mss();
    }

    /// Whether to ignore this ACK because it covers many bytes that neither passed the capture
    /// point nor fit the receiver's window. One damaged ACK would otherwise hide all that follows.
    /// A second ACK that agrees is believed. TCP itself discards such an ACK too (RFC 9293 section
    /// 3.10.7.4).
    #[inline]
    pub(crate) fn doubts(&mut self, ack: i64) -> bool {
        ack > self.next && self.is_far_beyond(ack)
    }

    fn is_far_beyond(&mut self, ack: i64) -> bool {
        let edge = self.next.max(self.window.right().unwrap_or(0));
        if ack - edge <= UNSEEN_BYTES {
            return false;
        }
        let before = std::mem::replace(&mut self.doubted, ack);
        before == 0 || (ack - before).abs() > UNSEEN_BYTES
    }

    /// The sequence number of the SYN; `None` if no SYN has passed.
    pub(crate) const fn syn_number(&self) -> Option<u32> {
        if self.synchronized { self.origin } else { None }
    }

    /// The offset of a sequence number, chosen nearest to the highest byte sent; the first number
    /// of the direction gets offset 1. `None` if the offset is farther away than the largest
    /// window.
    pub(crate) fn offset(&mut self, sequence: u32) -> Option<i64> {
        let Some(origin) = self.origin else {
            self.origin = Some(sequence.wrapping_sub(1));
            (self.next, self.unacked) = (1, 1);
            return Some(1);
        };
        self.offset_from(origin, sequence)
    }

    /// Whether a packet of this direction can begin with this sequence number without a byte
    /// missing before it. A keep-alive begins below what was sent. True if nothing was sent yet.
    pub(crate) fn is_sent_up_to(&self, sequence: u32) -> bool {
        self.origin.is_none_or(|origin| {
            let offset = self.offset_from(origin, sequence);
            offset.is_some_and(|offset| (0..=self.next).contains(&offset))
        })
    }

    /// Whether this number acknowledges no less than before and no byte that never passed. True if
    /// nothing was sent yet.
    pub(crate) fn is_acked_up_to(&self, acknowledgement: u32) -> bool {
        self.origin.is_none_or(|origin| {
            let offset = self.offset_from(origin, acknowledgement);
            offset.is_some_and(|offset| (self.unacked..=self.next).contains(&offset))
        })
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    fn offset_from(&self, origin: u32, sequence: u32) -> Option<i64> {
        let delta = sequence.wrapping_sub(origin.wrapping_add(self.next as u32)) as i32;
        (delta.unsigned_abs() <= LARGEST_WINDOW).then(|| self.next + i64::from(delta))
    }

    /// The offset of the first byte that was not sent before the capture began.
    const fn first(&self) -> i64 {
        FIRST + self.before_bytes
    }

    #[inline]
    fn loop_or_zero(&self) -> Duration {
        self.loop_time().unwrap_or(Duration::ZERO)
    }
}

/// The right edge of a window with this scale.
fn scaled((ack, field): (i64, u16), shift: u8) -> i64 {
    ack + (i64::from(field) << shift)
}
