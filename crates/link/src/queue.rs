//! Models a user's queue: packets wait in order, are served by bytes, and are dropped when the
//! queue is full or the wait is long.

use std::collections::VecDeque;

use airmile_types::{Duration, Instant};

use crate::config::{Discipline, QueueConfig};
use crate::packet::Packet;

/// The acceptable wait, and the interval over which it is judged (RFC 8289).
const TARGET: Duration = Duration::from_millis(5);
const INTERVAL: Duration = Duration::from_millis(100);
/// A packet is not dropped if it leaves less than this behind it (RFC 8289 section 5.6).
const LEAST_BYTES: u64 = 1500;

/// An item that waits: a packet of the phone, or a number of a competitor's bytes.
#[derive(Debug)]
pub(crate) struct Waiting<P> {
    pub(crate) arrived: Instant,
    pub(crate) bytes: u64,
    pub(crate) packet: Option<P>,
}

/// A packet that was dropped: because the queue was full, with the bytes in the queue, or by CoDel,
/// with the time for which the packet had waited.
#[derive(Debug)]
pub(crate) enum Dropped<P> {
    Full(P, u64),
    Codel(P, Duration),
}

#[derive(Debug)]
pub(crate) struct Queue<P> {
    limit_bytes: u64,
    codel: Option<Codel>,
    /// Items that arrived since the last TTI began. A TTI serves only what waited when it began.
    arriving: VecDeque<Waiting<P>>,
    waiting: VecDeque<Waiting<P>>,
    arriving_bytes: u64,
    /// The bytes of `waiting`, less the bytes of its first item that were already served.
    bytes: u64,
    head_served: u64,
}

impl<P: Packet> Queue<P> {
    pub(crate) fn new(config: &QueueConfig) -> Self {
        Self {
            limit_bytes: config.bytes,
            codel: (config.discipline == Discipline::Codel).then(Codel::default),
            arriving: VecDeque::new(),
            waiting: VecDeque::new(),
            arriving_bytes: 0,
            bytes: 0,
            head_served: 0,
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

    /// Takes a packet in, or returns it when the queue is full.
    pub(crate) fn push(&mut self, now: Instant, packet: P) -> Result<(), Dropped<P>> {
        let bytes = u64::from(packet.bytes());
        if !self.fits(bytes) {
            return Err(Dropped::Full(packet, self.bytes + self.arriving_bytes));
        }
        self.arriving_bytes += bytes;
        self.arriving.push_back(Waiting { arrived: now, bytes, packet: Some(packet) });
        Ok(())
    }

    /// Adds a competitor's bytes, as far as they fit.
    pub(crate) fn fill(&mut self, now: Instant, bytes: u64) {
        if !self.fits(bytes) {
            return;
        }
        self.bytes += bytes;
        self.waiting.push_back(Waiting { arrived: now, bytes, packet: None });
    }

    /// Lets the packets that arrived by `now` wait for the radio.
    pub(crate) fn begin_tti(&mut self, now: Instant) {
        while self.arriving.front().is_some_and(|first| first.arrived <= now) {
            let Some(first) = self.arriving.pop_front() else { break };
            self.arriving_bytes -= first.bytes;
            self.bytes += first.bytes;
            self.waiting.push_back(first);
        }
    }

    /// Serves up to `room` bytes; returns their number, and adds the packets that are now complete.
    pub(crate) fn serve(
        &mut self,
        now: Instant,
        room: u64,
        whole: &mut Vec<P>,
        dropped: &mut Vec<Dropped<P>>,
    ) -> u64 {
        let mut left = room;
        while left > 0 {
            self.drop_late(now, dropped);
            let Some(head) = self.waiting.front() else { break };
            let rest = head.bytes - self.head_served;
            let served = rest.min(left);
            left -= served;
            self.bytes -= served;
            self.head_served += served;
            if served == rest {
                self.head_served = 0;
                whole.extend(self.waiting.pop_front().and_then(|head| head.packet));
            }
        }
        room - left
    }

    /// Removes everything that waits; returns the packets, and the number of their bytes that were
    /// not served.
    pub(crate) fn clear(&mut self) -> (Vec<P>, u64) {
        let bytes = self.bytes + self.arriving_bytes;
        let all = self.waiting.drain(..).chain(self.arriving.drain(..));
        let packets = all.filter_map(|waiting| waiting.packet).collect();
        (self.bytes, self.arriving_bytes, self.head_served) = (0, 0, 0);
        (packets, bytes)
    }

    /// Drops the first packets that waited too long for too long a time (RFC 8289), before any of
    /// their bytes is served.
    fn drop_late(&mut self, now: Instant, dropped: &mut Vec<Dropped<P>>) {
        let Some(codel) = &mut self.codel else { return };
        while self.head_served == 0
            && let Some(head) = self.waiting.front()
            && codel.drops(now, now - head.arrived, self.bytes - head.bytes)
        {
            let Some(Waiting { arrived, bytes, packet }) = self.waiting.pop_front() else { break };
            self.bytes -= bytes;
            dropped.extend(packet.map(|packet| Dropped::Codel(packet, now - arrived)));
        }
    }
}

/// The state of CoDel (RFC 8289).
#[derive(Debug, Default)]
struct Codel {
    /// The time at which the wait will have been too long for a whole interval.
    above_until: Option<Instant>,
    dropping: bool,
    next: Option<Instant>,
    count: u32,
    count_before: u32,
}

impl Codel {
    /// Whether the first packet, which waited for `sojourn` and leaves `bytes` behind it, is
    /// dropped.
    fn drops(&mut self, now: Instant, sojourn: Duration, bytes: u64) -> bool {
        let late = self.is_late(now, sojourn, bytes);
        if !self.dropping {
            if late {
                self.start(now);
            }
            return late;
        }
        self.dropping = late;
        let due = late && self.next.is_some_and(|next| now >= next);
        if due {
            self.count += 1;
            self.next = self.next.map(|next| self.after(next));
        }
        due
    }

    fn is_late(&mut self, now: Instant, sojourn: Duration, bytes: u64) -> bool {
        if sojourn < TARGET || bytes <= LEAST_BYTES {
            self.above_until = None;
            return false;
        }
        now >= *self.above_until.get_or_insert(now + INTERVAL)
    }

    /// Begins to drop; continues at the earlier rate when the last dropping ended only a short
    /// while ago.
    fn start(&mut self, now: Instant) {
        self.dropping = true;
        let recent = self.next.is_some_and(|next| now - next < INTERVAL.times(16));
        let delta = self.count.saturating_sub(self.count_before);
        self.count = if recent && delta > 1 { delta } else { 1 };
        self.count_before = self.count;
        self.next = Some(self.after(now));
    }

    /// The control law: the time between drops falls with the square root of their number.
    fn after(&self, at: Instant) -> Instant {
        at + Duration::from_secs_f64(INTERVAL.as_secs_f64() / f64::from(self.count).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// A queue in which this number of packets have waited for as long as CoDel allows.
    fn late(packets: usize) -> Queue<Vec<u8>> {
        let config = QueueConfig { discipline: Discipline::Codel, ..QueueConfig::default() };
        let mut queue = Queue::new(&config);
        for _ in 0..packets {
            queue.push(at(0), vec![0; 1500]).unwrap();
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
        let codel = queue.codel.unwrap();
        assert!(codel.above_until.is_none() && !codel.dropping);
    }
}
