//! Keeps the times at which to check whether a flow has ended. Deadlines are not moved with each
//! packet: a flow that was busy in the meantime gets a new deadline when the old one comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use airmile_types::Instant;

use super::table::NOWHERE;

/// The object of a deadline: a slot, and the number of its present occupant, because slots are
/// reused.
pub(super) type Tenant = (u32, u32);

/// With fewer deadlines than this, removing outdated ones is not worthwhile.
const LEAST_PRUNED: usize = 4096;

#[derive(Debug)]
pub(super) struct Expiry {
    heap: BinaryHeap<Reverse<(Instant, Tenant)>>,
    /// The earliest deadline, stored because each packet needs it; the last instant if there is
    /// none.
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

    /// Removes the deadlines of flows that have ended, if they are more than half of all. Otherwise
    /// those of short flows would stay for `flow_gap`.
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

    /// The bytes of the list.
    pub(super) fn held_bytes(&self) -> usize {
        self.heap.capacity() * size_of::<Reverse<(Instant, Tenant)>>()
    }

    /// Renumbers the slots as [`super::table::Table::compact`] has moved them, and frees the memory
    /// of deadlines whose slot is free.
    pub(super) fn move_slots(&mut self, moved: &[u32]) {
        let mut deadlines = std::mem::take(&mut self.heap).into_vec();
        deadlines.retain_mut(|Reverse((_, tenant))| relocate(tenant, moved));
        deadlines.shrink_to_fit();
        self.heap = deadlines.into();
        self.renew();
    }

    fn renew(&mut self) {
        self.next = self.earliest();
    }

    fn earliest(&self) -> Instant {
        self.heap.peek().map_or(Instant::MAX, |Reverse((deadline, _))| *deadline)
    }

    /// Removes and returns the next object whose deadline has come.
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

/// Gives an object its new slot; returns whether it has one.
pub(super) fn relocate((slot, _): &mut Tenant, moved: &[u32]) -> bool {
    *slot = moved.get(*slot as usize).copied().unwrap_or(NOWHERE);
    *slot != NOWHERE
}
