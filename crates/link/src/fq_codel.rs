//! Serves flows in turn, each with a CoDel of its own: FQ-CoDel (RFC 8290).

use std::collections::VecDeque;

use airmile_types::Instant;

use crate::flow::{Fate, Flow, Waiting};
use crate::packet::Packet;

/// The number of queues into which flows are hashed (RFC 8290 section 5.2.4).
const QUEUES: u64 = 1024;
/// The bytes that a queue may send in each turn (RFC 8290 section 5.2.3).
const QUANTUM: i64 = 1514;

#[derive(Debug)]
pub(crate) struct FqCodel<P> {
    queues: Vec<Queue<P>>,
    /// The numbers of the queues that have begun to send, and of those that go on sending.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

#[derive(Debug)]
struct Queue<P> {
    flow: Flow<P>,
    credits: i64,
    /// Whether the queue is in one of the two lists.
    listed: bool,
}

impl<P: Packet> FqCodel<P> {
    pub(crate) fn new(ecn: bool) -> Self {
        let queue = || Queue { flow: Flow::with_codel(ecn), credits: 0, listed: false };
        Self {
            queues: (0..QUEUES).map(|_| queue()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// Takes an item into the queue of its flow (RFC 8290 section 4.1).
    pub(crate) fn push(&mut self, waiting: Waiting<P>) {
        let flow = waiting.packet.as_ref().map_or(0, Packet::flow);
        let number = (flow % QUEUES) as usize;
        let Some(queue) = self.queues.get_mut(number) else { return };
        queue.flow.push(waiting);
        if !queue.listed {
            (queue.listed, queue.credits) = (true, QUANTUM);
            self.new.push_back(number);
        }
    }

    /// The next item in turn (RFC 8290 section 4.2).
    pub(crate) fn pop(&mut self, now: Instant, fates: &mut Vec<Fate<P>>) -> Option<Waiting<P>> {
        loop {
            let is_new = !self.new.is_empty();
            let number = *if is_new { self.new.front() } else { self.old.front() }?;
            let queue = self.queues.get_mut(number)?;
            if queue.credits <= 0 {
                queue.credits += QUANTUM;
                self.move_to_old(is_new, number);
            } else if let Some(first) = queue.flow.pop(now, fates) {
                queue.credits -= i64::try_from(first.bytes).unwrap_or(i64::MAX);
                return Some(first);
            } else if is_new {
                // A new queue that is empty waits its turn like the others, so that a flow of
                // single packets does not come before them each time.
                self.move_to_old(is_new, number);
            } else {
                queue.listed = false;
                self.old.pop_front();
            }
        }
    }

    fn move_to_old(&mut self, from_new: bool, number: usize) {
        if from_new {
            self.new.pop_front();
        } else {
            self.old.pop_front();
        }
        self.old.push_back(number);
    }

    /// Removes the first item of the queue with the most bytes.
    pub(crate) fn drop_longest(&mut self) -> Option<Waiting<P>> {
        let longest = self.queues.iter_mut().max_by_key(|queue| queue.flow.bytes())?;
        longest.flow.pop_any()
    }

    pub(crate) fn len(&self) -> usize {
        self.listed().map(|queue| queue.flow.len()).sum()
    }

    pub(crate) fn drain(&mut self) -> Vec<Waiting<P>> {
        self.queues.iter_mut().flat_map(|queue| queue.flow.drain()).collect()
    }

    fn listed(&self) -> impl Iterator<Item = &Queue<P>> {
        self.new.iter().chain(&self.old).filter_map(|number| self.queues.get(*number))
    }
}
