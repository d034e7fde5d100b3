//! Completes a transfer when no more of its packets come (methods T1).

use airmile_types::{Duration, Instant};

use super::exchange::Exchange;

impl Exchange {
    /// Ends the transfer. If nothing else answered its request, a doubtful record counts as the
    /// answer.
    pub(crate) fn conclude(&mut self) {
        let response = self.has_response();
        if let Some((wait, _)) = self.doubtful.as_deref().copied().filter(|_| !response) {
            self.first_byte.downlink = wait.answered.into();
            self.first_wait = Some(Box::new(wait));
            self.waits.push_back(wait);
        }
        self.settle_direction();
    }

    /// Notes that the flow's packets end in the middle of the transfer. If data was in flight, the
    /// transfer lasted until then.
    pub(crate) fn cut_short(&mut self, at: Instant, acked: i64, round_trip: Duration) {
        // For one round trip after any last byte its ACK is still due, so a missing ACK does not
        // show a stop.
        let in_flight =
            acked < *self.last_offset.of(self.direction()) && at - self.end() > round_trip;
        if in_flight {
            self.cut = at.into();
        }
    }

    /// Notes that no packet comes after `at`: a request that was acknowledged but not answered
    /// waited until then. `queue` returns how long data acknowledged at an instant had waited
    /// before the uplink.
    pub(crate) fn wait_until(&mut self, at: Instant, queue: impl Fn(Instant) -> Duration) {
        let waited = self.open.as_ref().and_then(|open| open.cut_short(at, queue));
        let Some(waited) = waited else { return };
        let open = self.open.take();
        self.first_wait = self.first_wait.take().or(open);
        self.waits.push_back(waited);
        self.cut = at.into();
    }
}
