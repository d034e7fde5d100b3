//! When to look at a flow again. Deadlines are lazy: a flow that was busy meanwhile is put back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airmile_types::Instant;

#[derive(Debug)]
pub(super) struct Expiry {
    heap: BinaryHeap<Reverse<(Instant, u32)>>,
    last_closed: Option<(Instant, u32)>,
}

impl Expiry {
    pub(super) const fn new() -> Self {
        Self { heap: BinaryHeap::new(), last_closed: None }
    }

    pub(super) fn push(&mut self, deadline: Instant, slot: u32) {
        self.heap.push(Reverse((deadline, slot)));
    }

    /// As [`Self::push`], but the packets of a closing flow that follow each other push once.
    pub(super) fn push_once(&mut self, deadline: Instant, slot: u32) {
        if self.last_closed != Some((deadline, slot)) {
            self.last_closed = Some((deadline, slot));
            self.push(deadline, slot);
        }
    }

    /// The next slot whose deadline has come.
    pub(super) fn due(&mut self, now: Instant) -> Option<u32> {
        let Reverse((deadline, slot)) = *self.heap.peek()?;
        if deadline > now {
            return None;
        }
        self.heap.pop();
        Some(slot)
    }
}
