//! When rows leave: what no later packet can change any more.

use airmile_types::{Duration, Instant};

use super::context::Context;
use super::due::{Due, SETTLED};
use super::events::TransferEvents;
use super::state::Transfers;

/// Long transfers leave in pieces of at least this length.
const PIECE: Duration = Duration::from_secs(1);

impl Transfers {
    /// Whether the flow's opening may leave with the packet that comes at `now`: from then on its
    /// promotion is settled.
    #[inline]
    pub fn may_open(&self, now: Instant) -> bool {
        now > self.due.opening
    }

    /// Lets out what no later packet can change any more.
    pub(super) fn flush(&mut self, now: Instant, context: &Context<'_>, out: &mut TransferEvents) {
        let settled = now - SETTLED;
        while self.closing.front().is_some_and(|x| is_settled(x.end(), now)) {
            if let Some(exchange) = self.closing.pop_front() {
                self.finish(exchange, context, out);
            }
        }
        // Long transfers leave in pieces, a second at a time.
        if let Some(mut current) = self.current.take() {
            let from = current.flushed.get().unwrap_or(current.request);
            let to = Instant::from_nanos(
                settled.as_nanos().div_euclid(1_000_000_000).saturating_mul(1_000_000_000),
            );
            if self.closing.is_empty() && to - from >= PIECE && to <= current.end() {
                current.settle_direction();
                self.cut(&mut current, (from, to), context, out);
            }
            self.current = Some(current);
        }
        self.renew_due();
    }

    /// Most packets let nothing out: the first exchange is either not settled, or cut already.
    #[inline]
    pub(super) fn may_flush(&self, now: Instant) -> bool {
        now > self.due.after || now < self.due.before
    }

    /// After a transfer has begun, or rows have left.
    pub(super) fn renew_due(&mut self) {
        self.due = Due::default();
        match (self.closing.front(), &self.current) {
            (Some(ended), _) => {
                (self.due.before, self.due.after) = unsettled(ended.end());
            }
            (None, Some(current)) => {
                let from = current.flushed.get().unwrap_or(current.request);
                self.due.after = from + SETTLED + PIECE - Duration::from_nanos(1);
            }
            (None, None) => {}
        }
        let exchange = self.closing.front().or(self.current.as_ref());
        if let Some(first) = exchange.filter(|x| x.number == 0 && !x.flushed.is_some()) {
            self.due.opening = first.request + SETTLED;
        }
    }
}

/// Nothing that changes an ended transfer comes any more: not after so long, and not after the
/// tap's clock went back to well before its end.
fn is_settled(end: Instant, now: Instant) -> bool {
    let (before, after) = unsettled(end);
    now < before || now > after
}

/// Between which instants something may still come that changes a transfer.
fn unsettled(end: Instant) -> (Instant, Instant) {
    (end - SETTLED, end + SETTLED)
}
