//! Decides when rows are written: as soon as no later packet can change them.

use airmile_types::{Duration, Instant};

use super::context::Context;
use super::due::{Due, SETTLED};
use super::events::TransferEvents;
use super::state::Transfers;

/// The least length of the pieces in which long transfers are written.
const PIECE: Duration = Duration::from_secs(1);

impl Transfers {
    /// Whether the flow's opening may be written when the packet at `now` comes: from then on its
    /// promotion is known.
    #[inline]
    pub fn may_open(&self, now: Instant) -> bool {
        now > self.due.opening
    }

    /// Emits the rows that no later packet can change any more.
    pub(super) fn flush(&mut self, now: Instant, context: &Context<'_>, out: &mut TransferEvents) {
        let settled = now - SETTLED;
        while self.closing.front().is_some_and(|x| is_settled(x.end(), now)) {
            if let Some(exchange) = self.closing.pop_front() {
                self.finish(exchange, context, out);
            }
        }
        // A long transfer is written in pieces of a second at a time.
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

    /// Whether any row may be emitted. For most packets none may, because the oldest transfer
    /// either still waits for evidence or has already been cut.
    #[inline]
    pub(super) fn may_flush(&self, now: Instant) -> bool {
        now > self.due.after || now < self.due.before
    }

    /// Works out when the next row may be emitted, after a transfer has begun or rows have been
    /// emitted.
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

/// Whether no packet can change an ended transfer any more: because enough time has passed, or
/// because the clock of the capture point went back to well before the transfer's end.
fn is_settled(end: Instant, now: Instant) -> bool {
    let (before, after) = unsettled(end);
    now < before || now > after
}

/// The instants between which a packet may still change a transfer that ended at `end`.
fn unsettled(end: Instant) -> (Instant, Instant) {
    (end - SETTLED, end + SETTLED)
}
