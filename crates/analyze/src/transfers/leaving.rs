//! When rows leave: what no later packet can change any more.

use airmile_types::{Duration, Instant};

use super::emit::Context;
use super::{SETTLED, TransferEvents, Transfers};

/// Long transfers leave in pieces of at least this length.
const PIECE: Duration = Duration::from_secs(1);

/// What may leave next, so that a packet that lets nothing out costs a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// Request of the flow's first transfer, while its opening has not left.
    opening: Instant,
    first: Option<First>,
}

/// The transfer whose rows leave next.
#[derive(Clone, Copy, Debug)]
enum First {
    /// It has ended.
    Ended(Instant),
    /// It goes on; its rows have left up to here.
    Current(Instant),
}

impl Default for Due {
    fn default() -> Self {
        Self { opening: Instant::MAX, first: None }
    }
}

impl Transfers {
    /// Whether the flow's opening may leave with the packet that comes at `now`: from then on its
    /// promotion is settled.
    #[inline]
    pub(crate) fn may_open(&self, now: Instant) -> bool {
        self.due.opening < now - SETTLED
    }

    /// Lets out what no later packet can change any more.
    pub(super) fn flush(&mut self, now: Instant, context: &Context<'_>, out: &mut TransferEvents) {
        let settled = now - SETTLED;
        while self.closing.front().is_some_and(|x| is_settled(x.end(), settled)) {
            if let Some(exchange) = self.closing.pop_front() {
                self.finish(exchange, context, out);
            }
        }
        // Long transfers leave in pieces, a second at a time.
        if let Some(mut current) = self.current.take() {
            let from = current.flushed.unwrap_or(current.request);
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
        let settled = now - SETTLED;
        match self.due.first {
            Some(First::Current(from)) => settled - from >= PIECE,
            Some(First::Ended(end)) => is_settled(end, settled),
            None => false,
        }
    }

    /// After a transfer has begun, or rows have left.
    pub(super) fn renew_due(&mut self) {
        let first = match (self.closing.front(), &self.current) {
            (Some(ended), _) => Some(First::Ended(ended.end())),
            (None, Some(current)) => {
                Some(First::Current(current.flushed.unwrap_or(current.request)))
            }
            (None, None) => None,
        };
        let exchange = self.closing.front().or(self.current.as_ref());
        let opening = exchange.filter(|x| x.number == 0 && x.flushed.is_none());
        self.due = Due { opening: opening.map_or(Instant::MAX, |x| x.request), first };
    }
}

/// Nothing that changes an ended transfer comes any more: not after so long, and not after the
/// tap's clock went back to well before its end.
fn is_settled(end: Instant, settled: Instant) -> bool {
    end < settled || end - settled > SETTLED.times(2)
}
