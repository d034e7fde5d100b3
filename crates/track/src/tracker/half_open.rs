//! Limits the number of open connection attempts without an answer. A scan or a flood makes
//! millions of them, and each would be kept for `flow_gap`.

use std::collections::VecDeque;

use super::expiry::{Tenant, relocate};

/// The number of attempts kept by each of the sixteen trackers that share a capture. In LTE13's
/// trace 8.5 % of 47.1 M flows in 240 h were attempts: 17,000 an hour in all.
const MOST: usize = 2048;

/// The open attempts, with the oldest first.
#[derive(Debug, Default)]
pub(super) struct HalfOpen {
    queue: VecDeque<Tenant>,
    open: usize,
}

impl HalfOpen {
    /// Notes that a flow begins with a SYN.
    pub(super) fn add(&mut self, tenant: Tenant) {
        self.queue.push_back(tenant);
        self.open += 1;
    }

    /// Notes that an attempt was answered or has ended.
    pub(super) const fn remove(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Renumbers the slots as [`super::table::Table::compact`] has moved them.
    pub(super) fn move_slots(&mut self, moved: &[u32]) {
        self.queue.retain_mut(|tenant| relocate(tenant, moved));
    }

    /// The slot of the oldest attempt if there are too many. `is_open` says whether a flow is still
    /// an attempt.
    pub(super) fn excess(&mut self, is_open: impl Fn(Tenant) -> bool) -> Option<u32> {
        if self.queue.len() > 2 * MOST {
            self.queue.retain(|tenant| is_open(*tenant));
        }
        if self.open <= MOST {
            return None;
        }
        while let Some(tenant) = self.queue.pop_front() {
            if is_open(tenant) {
                return Some(tenant.0);
            }
        }
        None
    }
}
