//! When to look at a flow again. Deadlines are lazy: a flow that was busy meanwhile is put back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airmile_types::Instant;

/// What is looked at: its slot, and the number of the tenant that the deadline is meant for, since
/// slots are let again.
pub(super) type Tenant = (u32, u32);

/// So few are never worth a look.
const LEAST_PRUNED: usize = 4096;

#[derive(Debug)]
pub(super) struct Expiry {
    heap: BinaryHeap<Reverse<(Instant, Tenant)>>,
    /// The earliest deadline, which is needed with every packet; the last instant without any.
    next: Instant,
}

impl Expiry {
    pub(super) const fn new() -> Self {
        Self { heap: BinaryHeap::new(), next: Instant::MAX }
    }

    pub(super) fn push(&mut self, deadline: Instant, tenant: Tenant) {
        self.heap.push(Reverse((deadline, tenant)));
        self.next = self.next.min(deadline);
    }

    /// Drops the deadlines of what has ended meanwhile, once they are more than half of all: those
    /// of short flows would stay for `flow_gap`.
    pub(super) fn prune(&mut self, live: usize, is_live: impl Fn(Tenant) -> bool) {
        if self.heap.len() > 2 * live + LEAST_PRUNED {
            self.heap.retain(|Reverse((_, tenant))| is_live(*tenant));
            self.renew();
        }
    }

    /// Whether a deadline has come.
    #[inline]
    pub(super) fn is_due(&self, now: Instant) -> bool {
        debug_assert_eq!(self.next, self.earliest(), "of all deadlines");
        self.next <= now
    }

    fn renew(&mut self) {
        self.next = self.earliest();
    }

    fn earliest(&self) -> Instant {
        self.heap.peek().map_or(Instant::MAX, |Reverse((deadline, _))| *deadline)
    }

    /// The next whose deadline has come.
    pub(super) fn due(&mut self, now: Instant) -> Option<Tenant> {
        let Reverse((deadline, tenant)) = *self.heap.peek()?;
        if deadline > now {
            return None;
        }
        self.heap.pop();
        self.renew();
        Some(tenant)
    }
}
