//! Finds out which copies of a flow's bytes arrived. A packet whose bytes were retransmitted counts
//! as lost unless the acknowledgements show that it arrived.

use std::collections::{BTreeMap, VecDeque};

use airmile_types::Instant;

use super::capture::Passed;

/// The data of a flow that was sent and not yet acknowledged.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    /// Ranges of bytes by the offset of their first byte.
    outstanding: BTreeMap<i64, SentRange>,
    /// Ranges that were sent more than once and are acknowledged. They are kept for duplicates that
    /// are reported later.
    repeated: VecDeque<(i64, SentRange)>,
    acked: i64,
}

#[derive(Clone, Debug)]
struct SentRange {
    end: i64,
    /// The indices of the packets that carry the range, in order of time.
    packets: Vec<usize>,
}

/// The greatest number of ranges in flight, and of retransmitted ranges that are remembered; beyond
/// it the oldest are dropped.
const MOST_RANGES: usize = 65_536;
const MOST_REPEATED: usize = 1_024;

impl Copies {
    /// Whether nothing is in flight.
    pub(super) fn is_empty(&self) -> bool {
        self.outstanding.is_empty()
    }

    /// Notes that the packet with index `packet` carries `start..end`.
    pub(super) fn sent(&mut self, start: i64, end: i64, packet: usize, passed: &mut [Passed]) {
        if end <= self.acked {
            return;
        }
        let mut is_new = true;
        let before = self.outstanding.range_mut(..end).rev();
        // Ranges hardly ever overlap, so the search ends at the first range that lies completely
        // before `start`.
        for (_, range) in before.take_while(|(_, range)| range.end > start) {
            if let Some(last) = range.packets.last().and_then(|last| passed.get_mut(*last)) {
                last.lost = true;
            }
            range.packets.push(packet);
            is_new = false;
        }
        if is_new {
            self.outstanding.insert(start, SentRange { end, packets: vec![packet] });
        }
        if self.outstanding.len() > MOST_RANGES {
            self.outstanding.pop_first();
        }
    }

    /// Notes that everything below `ack` has arrived, and that the ACK passed the capture point at
    /// `now`. `echoes_earlier` says whether the ACK echoes an earlier timestamp than that of a
    /// packet (the Eifel detection, RFC 3522 section 3.2).
    pub(super) fn acknowledged(
        &mut self,
        ack: i64,
        now: Instant,
        passed: &mut [Passed],
        echoes_earlier: impl Fn(usize) -> bool,
    ) {
        let mut filler = None;
        let mut alone = true;
        while let Some(first) = self.outstanding.first_entry().filter(|r| r.get().end <= ack) {
            let (start, range) = first.remove_entry();
            let newest = range.packets.last().copied().unwrap_or_default();
            // The path keeps the order, so the packet that filled the hole arrived before all
            // packets sent after it. A copy that was sent later shows nothing.
            let filler = *filler.get_or_insert(newest);
            alone &= self.outstanding.first_key_value().is_none_or(|(_, r)| r.end > ack);
            range.arrived_before(filler, passed);
            range.acknowledged(now, passed);
            if alone && echoes_earlier(newest) {
                range.all_arrived(passed);
            }
            self.remember(start, range);
        }
        self.acked = self.acked.max(ack);
    }

    /// Notes that `start..end` has arrived twice (RFC 2883).
    pub(super) fn duplicate(&self, (start, end): (i64, i64), passed: &mut [Passed]) {
        let done = self.repeated.iter().map(|(first, range)| (*first, range));
        let sent = self.outstanding.iter().map(|(first, range)| (*first, range));
        for (first, range) in done.chain(sent) {
            if first < end && range.end > start {
                range.all_arrived(passed);
            }
        }
    }

    fn remember(&mut self, start: i64, range: SentRange) {
        if range.packets.len() > 1 {
            self.repeated.push_back((start, range));
            if self.repeated.len() > MOST_REPEATED {
                self.repeated.pop_front();
            }
        }
    }
}

impl SentRange {
    /// Notes that the range has arrived, and that the copy that arrived is not later than packet
    /// `filler`.
    fn arrived_before(&self, filler: usize, passed: &mut [Passed]) {
        let mut possible = self.packets.iter().filter(|packet| **packet <= filler);
        if let (Some(only), None) = (possible.next(), possible.next())
            && let Some(packet) = passed.get_mut(*only)
        {
            packet.lost = false;
        }
    }

    /// Notes that one of the copies has arrived: the last one that was not lost.
    fn acknowledged(&self, now: Instant, passed: &mut [Passed]) {
        let whole = |packet: &&usize| passed.get(**packet).is_some_and(|packet| !packet.lost);
        let copy = self.packets.iter().rev().find(whole).or_else(|| self.packets.first());
        if let Some(packet) = copy.and_then(|copy| passed.get_mut(*copy)) {
            packet.acknowledged = Some(now);
        }
    }

    fn all_arrived(&self, passed: &mut [Passed]) {
        for packet in &self.packets {
            if let Some(packet) = passed.get_mut(*packet) {
                packet.lost = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::from_nanos(7);

    fn packets(count: usize) -> Vec<Passed> {
        vec![Passed::new(Instant::from_nanos(0), 1500, 1448, false); count]
    }

    fn lost(passed: &[Passed]) -> Vec<usize> {
        (0..passed.len()).filter(|packet| passed[*packet].lost).collect()
    }

    #[test]
    fn a_hole_that_is_filled_was_a_loss_and_what_followed_it_was_not() {
        let (mut copies, mut passed) = (Copies::default(), packets(7));
        for n in 0..5 {
            copies.sent(n * 100, n * 100 + 100, n as usize, &mut passed);
        }
        // The first packet is lost; after a timeout, both packets are retransmitted.
        copies.sent(0, 100, 5, &mut passed);
        copies.sent(100, 200, 6, &mut passed);
        assert_eq!(lost(&passed), [0, 1]);
        copies.acknowledged(500, NOW, &mut passed, |_| false);
        assert_eq!(lost(&passed), [0], "the second came before the retransmission");
        assert!(copies.is_empty());
        let acked = |n: &usize| passed[*n].acknowledged.is_some();
        let acked: Vec<_> = (0..7).filter(acked).collect();
        assert_eq!(acked.len(), 5, "every byte once: {acked:?}");
        assert!(!acked.contains(&0), "the copy that was lost");
    }

    #[test]
    fn an_echo_of_the_first_copy_shows_that_the_second_was_not_needed() {
        let (mut copies, mut passed) = (Copies::default(), packets(2));
        copies.sent(0, 100, 0, &mut passed);
        copies.sent(0, 100, 1, &mut passed);
        copies.acknowledged(100, NOW, &mut passed, |packet| packet == 1);
        assert!(lost(&passed).is_empty());
    }

    #[test]
    fn a_duplicate_that_is_reported_later_was_no_loss() {
        let (mut copies, mut passed) = (Copies::default(), packets(2));
        copies.sent(0, 100, 0, &mut passed);
        copies.sent(0, 100, 1, &mut passed);
        copies.acknowledged(100, NOW, &mut passed, |_| false);
        assert_eq!(lost(&passed), [0]);
        copies.duplicate((0, 100), &mut passed);
        assert!(lost(&passed).is_empty());
    }
}
