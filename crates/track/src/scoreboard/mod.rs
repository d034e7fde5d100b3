//! The byte-interval scoreboard of one direction: what was sent past the tap, what was
//! acknowledged, and what that shows of the sender.
//!
//! Read RFC 9293 (sequence space), RFC 2018 and 2883 (SACK and D-SACK), RFC 6298 (timer) and
//! methods C2 before working here.

mod acknowledge;
mod gate;
mod inputs;
mod judged;
mod lane;
mod least;
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
mod unseen;
mod window;

#[cfg(test)]
mod tests;

use airmile_types::{Duration, Instant};

use crate::scoreboard::state::{
    Known, LARGEST_WINDOW, LATE_SYN_BYTES, LEAST_MSS_BYTES, UNSEEN_BYTES,
};

pub(crate) use inputs::{AckInput, DataInput};
pub use state::{BEFORE_BYTES, Recovery, Scoreboard};
use unseen::FIRST;

impl Scoreboard {
    /// Offset after the highest byte sent (SYN and FIN count one each).
    pub const fn next(&self) -> i64 {
        self.next
    }

    /// Offset after the highest byte of payload: a FIN is not counted.
    pub const fn data_end(&self) -> i64 {
        self.data_end
    }

    /// Highest cumulative acknowledgement.
    pub const fn unacked(&self) -> i64 {
        self.unacked
    }

    /// Bytes in flight between tap and receiver: highest sent minus highest acknowledged.
    pub const fn in_flight_bytes(&self) -> i64 {
        self.next - self.unacked
    }

    /// The sender's unit: the largest plain segment seen, or what the receiver announced less
    /// the timestamps option when only super-segments were; 536 (RFC 9293 section 3.7.1) when
    /// nothing shows it.
    #[inline]
    pub const fn mss_bytes(&self) -> u32 {
        self.mss.0
    }

    /// What [`Self::mss_bytes`] answers, after one of the facts that it rests on has changed.
    #[cold]
    fn renew_mss(&mut self) {
        self.mss.0 = match (self.largest_payload, self.most_payload()) {
            (0, None) => LEAST_MSS_BYTES,
            (0, Some(announced)) => announced,
            (largest, None) => largest,
            (largest, Some(announced)) => largest.min(announced),
        };
    }

    /// No segment carries more: what the receiver announced, less the options of each segment.
    fn most_payload(&self) -> Option<u32> {
        self.announced_mss.map(|mss| u32::from(mss).saturating_sub(self.options_bytes).max(1))
    }

    /// Right edge of the receiver's window (ACK + window, never moving back) as announced past
    /// the tap; `None` when the scale is unknown.
    pub const fn right_edge(&self) -> Option<i64> {
        self.window.right()
    }

    /// The right edge as this sender knew it at `now`: the newest that passed the tap at least
    /// one loop (tap-sender-tap) before, and no newer than its packet echoes (methods C6).
    #[inline]
    pub fn right_edge_known(&self, now: Instant) -> Option<i64> {
        match self.known {
            Some(known) if known.at == now => known.right,
            _ => self.window.right_known(now - self.loop_or_zero()),
        }
    }

    /// Highest cumulative ACK as this sender knew it at `now` (one loop before).
    #[inline]
    pub fn ack_known(&self, now: Instant) -> i64 {
        match self.known {
            Some(known) if known.at == now => known.ack,
            _ => self.ack_known_at(now),
        }
    }

    fn ack_known_at(&self, now: Instant) -> i64 {
        self.window.ack_known(now - self.loop_or_zero()).unwrap_or(self.unacked).min(self.unacked)
    }

    /// The receiver's newest window in bytes; `None` when the scale is unknown.
    pub const fn window_bytes(&self) -> Option<u32> {
        self.window.newest_bytes()
    }

    /// Whether the receiver takes nothing now: its newest window after the handshake is 0, at
    /// whatever scale, and this sender has not sent its FIN.
    pub const fn window_is_closed(&self) -> bool {
        self.window.is_closed() && !self.finished
    }

    /// Whether its FIN has passed: what its receiver advertises from then on holds nobody.
    pub const fn is_finished(&self) -> bool {
        self.finished
    }

    /// Least recent loop tap -> this sender -> tap: from the handshake, from echoed timestamps
    /// and from RTTs of data the other way. At a monitor: the upstream RTT for downlink data.
    #[inline]
    pub const fn loop_time(&self) -> Option<Duration> {
        self.path.get()
    }

    /// Whether this sender is at the tap, where what passes is known at once.
    #[inline]
    pub(crate) fn stands_at_tap(&mut self, at_tap: bool) {
        self.path.stand_at_tap(at_tap);
    }

    /// Share of its bytes that the capture lost: acknowledged, though never seen.
    pub fn lost_ratio(&self) -> f64 {
        let all = self.unique_bytes + self.acked_unseen_bytes;
        if all > 0 { self.acked_unseen_bytes as f64 / all as f64 } else { 0.0 }
    }

    /// The time at which the path to this sender was last seen to have become longer at once:
    /// delays known from before are those of another path.
    pub fn path_changed(&self) -> Option<Instant> {
        self.path.changed()
    }

    /// Least RTT tap -> receiver -> tap over the handshake and all samples.
    pub const fn rtt_min(&self) -> Option<Duration> {
        self.rtt_min.get()
    }

    /// The sender's smoothed RTT, whole path: sample + loop (RFC 6298 section 2).
    pub fn srtt(&self) -> Option<Duration> {
        self.timer.srtt()
    }

    /// The sender's retransmission timeout by Linux's rule, SRTT + max(200 ms, 4 RTTVAR)
    /// (methods C5); 1 s while nothing is known (RFC 6298 section 2.1).
    pub fn rto(&self) -> Duration {
        self.timer.rto()
    }

    /// First packet with payload.
    pub fn first_data(&self) -> Option<Instant> {
        self.first_data.get()
    }

    /// Last packet with payload.
    pub fn last_data(&self) -> Option<Instant> {
        self.last_data.get()
    }

    /// Last time the cumulative ACK advanced.
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

    /// Whether its SYN has passed: everything that it sent since was seen here or lost before.
    #[must_use]
    pub const fn is_synchronized(&self) -> bool {
        self.synchronized
    }

    /// Payload bytes sent, all.
    pub const fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// Bytes of sequence space seen.
    pub const fn unique_bytes(&self) -> u64 {
        self.unique_bytes
    }

    /// Bytes acknowledged though never seen: lost by the capture.
    pub const fn acked_unseen_bytes(&self) -> u64 {
        self.acked_unseen_bytes
    }

    /// Bytes reported by SACK, ever.
    pub const fn sacked_bytes(&self) -> u64 {
        self.sacked_bytes
    }

    /// The time at which the newest transmission that carried `offset` passed, and whether it was a
    /// repeat; `None` below the cumulative ACK or in a hole.
    pub fn sent_at(&self, offset: i64) -> Option<(Instant, bool)> {
        let range = self.ranges.at(offset)?;
        (range.kind != ranges::RangeKind::Hole).then_some((range.time, range.repeated))
    }

    /// The time at which the first unacknowledged byte passed, where it was sent once and nothing
    /// shows a loss.
    #[inline]
    pub fn oldest_live(&self) -> Option<Instant> {
        let lowest = self.ranges.lowest().filter(|range| range.kind == ranges::RangeKind::Data)?;
        (!lowest.repeated && self.recovery.is_none()).then_some(lowest.time)
    }

    /// A packet of the sender is done: what did it know? `tsecr` is the timestamp that it echoes,
    /// where that is of the newest packet which its sender has heard.
    #[inline(always)]
    pub(crate) fn note_known(&mut self, now: Instant, tsecr: Option<u32>) {
        let heard = self.window.heard(now - self.loop_or_zero(), tsecr);
        let (ack, right) =
            heard.map_or((self.unacked, None), |(ack, right)| (ack.min(self.unacked), right));
        self.known = Some(Known { at: now, ack, right });
    }

    /// Takes the RTT from the capture point to the receiver and back from a handshake.
    pub(crate) fn handshake_rtt(&mut self, rtt: Duration) {
        if rtt >= Duration::ZERO {
            self.rtt_min.take(rtt);
        }
    }

    /// The loop tap -> sender -> tap, from a packet that the sender answered at once.
    pub(crate) fn loop_sample(&mut self, rtt: Duration, now: Instant) {
        self.known = None;
        self.path.sample(rtt, now);
    }

    /// Whole-path sample of the handshake for the sender's timer.
    pub(crate) fn timer_sample(&mut self, rtt: Duration) {
        self.timer.sample(rtt);
    }

    /// A timestamp passes towards this sender, uplink to a server.
    #[inline(always)]
    pub(crate) fn mark_timestamp(&mut self, tsval: u32, now: Instant, uplink: bool) {
        if uplink {
            self.path.follow_steps();
        }
        self.path.mark(tsval, now);
    }

    /// The receiver announced its MSS; `options_bytes` go off each segment.
    pub(crate) fn announce_mss(&mut self, mss: Option<u16>, options_bytes: u32) {
        self.announced_mss = mss;
        self.options_bytes = options_bytes;
        self.renew_mss();
    }

    /// Whether both ends know of SACK.
    pub(crate) const fn announce_sack(&mut self, sacks: bool) {
        self.sacks = sacks;
    }

    /// The SYN: its number is offset 0. A SYN with another number after its first byte was
    /// acknowledged is a late one of a connection that was not accepted (TCP Fast Open, RFC 7413
    /// section 4.2), and changes nothing. Returns whether it had passed before.
    pub(crate) fn synchronize(&mut self, sequence: u32) -> bool {
        let repeated = self.synchronized && self.origin == Some(sequence);
        if self.unacked == 0 {
            self.origin = Some(sequence);
            self.next = self.next.max(1);
        }
        self.synchronized |= self.origin == Some(sequence);
        repeated
    }

    /// Whether a SYN's number lies just below the highest seen: the SYN was recorded late. `None`
    /// while no number is known.
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    pub(crate) fn is_just_below(&self, sequence: u32) -> Option<bool> {
        let next = self.origin?.wrapping_add(self.next as u32);
        Some((1..=LATE_SYN_BYTES).contains(&next.wrapping_sub(sequence)))
    }

    /// Nothing shows that this sender takes part: neither a SYN nor an ACK of its data has passed.
    #[inline]
    pub(crate) const fn is_unconfirmed(&self) -> bool {
        !self.synchronized && !self.acked_once
    }

    /// Whether a SYN has passed, and the number lies after it and not beyond what was sent: an
    /// acceptable ACK (RFC 9293 section 3.10.7.3).
    pub(crate) fn has_sent(&self, acknowledgement: u32) -> bool {
        self.syn_number().is_some_and(|syn| {
            (1..=self.next).contains(&i64::from(acknowledgement.wrapping_sub(syn)))
        })
    }

    /// What was seen so far were packets of an earlier connection: its numbers count no more.
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

    /// Whether an ACK covers so much that neither passed the tap nor fits the receiver's window
    /// that one packet alone is not believed: a damaged one would hide all that follows. The next
    /// one that agrees is. A receiver's peer discards it too (RFC 9293 section 3.10.7.4).
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

    /// The number of the SYN, once it has passed.
    pub(crate) const fn syn_number(&self) -> Option<u32> {
        if self.synchronized { self.origin } else { None }
    }

    /// Offset of a wire number, nearest to the highest byte sent; the first number ever becomes
    /// `1`. `None` when it lies more than a largest window away.
    #[expect(clippy::cast_possible_truncation, reason = "sequence numbers are modulo 2^32")]
    pub(crate) fn offset(&mut self, sequence: u32) -> Option<i64> {
        let Some(origin) = self.origin else {
            self.origin = Some(sequence.wrapping_sub(1));
            (self.next, self.unacked) = (1, 1);
            return Some(1);
        };
        let delta = sequence.wrapping_sub(origin.wrapping_add(self.next as u32)) as i32;
        (delta.unsigned_abs() <= LARGEST_WINDOW).then(|| self.next + i64::from(delta))
    }

    /// Offset of the first byte that was not sent before the capture began.
    const fn first(&self) -> i64 {
        FIRST + self.before_bytes
    }

    #[inline]
    fn loop_or_zero(&self) -> Duration {
        self.loop_time().unwrap_or(Duration::ZERO)
    }
}
