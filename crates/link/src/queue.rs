//! Models a user's queue: packets wait in line, are served by bytes, and are dropped when the queue
//! is full or the wait is long.

use std::collections::VecDeque;

use airmile_types::Instant;

use crate::config::QueueConfig;
use crate::flow::{Fate, Waiting, late_bytes};
use crate::line::Line;
use crate::packet::Packet;

#[derive(Debug)]
pub(crate) struct Queue<P> {
    limit_bytes: u64,
    /// Items that arrived since the last TTI began. A TTI serves only what waited when it began.
    arriving: VecDeque<Waiting<P>>,
    line: Line<P>,
    /// The item that is being served, and the number of its bytes that were already served: RLC
    /// divides packets (TS 36.322 section 4.2.1.3), so an item leaves the line once and as a whole.
    head: Option<Waiting<P>>,
    head_served: u64,
    arriving_bytes: u64,
    /// The bytes that waited when the TTI began and were not served yet.
    bytes: u64,
}

impl<P: Packet> Queue<P> {
    pub(crate) fn new(config: &QueueConfig) -> Self {
        Self {
            limit_bytes: config.bytes,
            arriving: VecDeque::new(),
            line: Line::new(config.discipline, config.ecn),
            head: None,
            head_served: 0,
            arriving_bytes: 0,
            bytes: 0,
        }
    }

    /// The bytes that waited when the TTI began.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether this number of further bytes fits.
    pub(crate) const fn fits(&self, bytes: u64) -> bool {
        self.bytes + self.arriving_bytes + bytes <= self.limit_bytes
    }

    /// Takes a packet in. When the queue is full, this packet is dropped, or others are that the
    /// discipline rather drops.
    pub(crate) fn push(&mut self, now: Instant, packet: P, fates: &mut Vec<Fate<P>>) {
        let bytes = u64::from(packet.bytes());
        let held = self.bytes + self.arriving_bytes;
        while !self.fits(bytes) {
            let Some(first) = self.line.make_room() else {
                return fates.push(Fate::Full(packet, held));
            };
            self.bytes -= first.bytes;
            fates.extend(first.packet.map(|packet| Fate::Full(packet, held)));
        }
        self.arriving_bytes += bytes;
        self.arriving.push_back(Waiting { arrived: now, bytes, packet: Some(packet) });
    }

    /// Adds a competitor's bytes, as far as they fit.
    pub(crate) fn fill(&mut self, now: Instant, bytes: u64) {
        if !self.fits(bytes) {
            return;
        }
        self.bytes += bytes;
        self.line.push(Waiting { arrived: now, bytes, packet: None });
    }

    /// Lets the packets that arrived by `now` wait for the radio.
    pub(crate) fn begin_tti(&mut self, now: Instant) {
        while self.arriving.front().is_some_and(|first| first.arrived <= now) {
            let Some(first) = self.arriving.pop_front() else { break };
            self.arriving_bytes -= first.bytes;
            self.bytes += first.bytes;
            self.line.push(first);
        }
    }

    /// Serves up to `room` bytes; returns their number, and adds the packets that are now complete.
    pub(crate) fn serve(
        &mut self,
        now: Instant,
        room: u64,
        whole: &mut Vec<P>,
        fates: &mut Vec<Fate<P>>,
    ) -> u64 {
        let mut left = room;
        while left > 0 {
            let Some(head) = self.head.take().or_else(|| self.next(now, fates)) else { break };
            let rest = head.bytes - self.head_served;
            let served = rest.min(left);
            left -= served;
            self.bytes -= served;
            self.head_served += served;
            if served == rest {
                self.head_served = 0;
                whole.extend(head.packet);
            } else {
                self.head = Some(head);
            }
        }
        room - left
    }

    /// Removes everything that waits; returns the packets, and the number of their bytes that were
    /// not served.
    pub(crate) fn clear(&mut self) -> (Vec<P>, u64) {
        let bytes = self.bytes + self.arriving_bytes;
        let all = self.head.take().into_iter().chain(self.line.drain());
        let packets = all.chain(self.arriving.drain(..)).filter_map(|waiting| waiting.packet);
        let packets = packets.collect();
        (self.bytes, self.arriving_bytes, self.head_served) = (0, 0, 0);
        (packets, bytes)
    }

    fn next(&mut self, now: Instant, fates: &mut Vec<Fate<P>>) -> Option<Waiting<P>> {
        let told = fates.len();
        let next = self.line.pop(now, fates);
        self.bytes -= late_bytes(&fates[told..]);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Discipline;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// A queue in which this number of packets have waited for as long as CoDel allows.
    fn late(packets: usize) -> Queue<Vec<u8>> {
        let config = QueueConfig { discipline: Discipline::Codel, ..QueueConfig::default() };
        let mut queue = Queue::new(&config);
        for _ in 0..packets {
            queue.push(at(0), vec![0; 1500], &mut Vec::new());
        }
        queue.begin_tti(at(0));
        let (mut whole, mut dropped) = (Vec::new(), Vec::new());
        queue.serve(at(10), 1500, &mut whole, &mut dropped);
        assert_eq!((whole.len(), dropped.len()), (1, 0));
        queue
    }

    #[test]
    fn codel_leaves_the_last_packets_alone() {
        // The bytes behind the first packet decide (RFC 8289 section 5.6): a packet is dropped when
        // two packets remain behind it, and not when one does.
        for (packets, drops) in [(3, 0), (4, 1)] {
            let (mut queue, mut dropped) = (late(packets), Vec::new());
            queue.serve(at(111), 1500, &mut Vec::new(), &mut dropped);
            assert_eq!(dropped.len(), drops, "{packets} packets");
        }
    }

    #[test]
    fn what_a_tti_has_served_is_not_behind_the_next_head() {
        let (mut queue, mut dropped) = (late(8), Vec::new());
        // There are six packets in one TTI: the first late one is dropped, and the last has nothing
        // behind it.
        let served = queue.serve(at(111), 9_000, &mut Vec::new(), &mut dropped);
        assert_eq!((served, dropped.len(), queue.bytes()), (9_000, 1, 0));
        let Line::One(flow) = queue.line else { panic!("CoDel has one queue") };
        assert!(flow.is_quiet());
    }
}
