//! Follows a congestion window that regains what it held before an idle gap (methods C7).

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant, Maybe, Parameters};

use super::flights::{Flights, Restart};

/// The time over which the growth of a flight is counted (methods T8), so that it shows for so long
/// after its end.
const GROWTH_SPAN: Duration = Duration::from_millis(200);

/// The growth after a gap, while it may still be that of a restart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Regain {
    pub(super) direction: Direction,
    /// The bytes per round trip before the gap.
    before: u64,
    /// The time of the first data after the gap.
    since: Maybe<Instant>,
    /// Whether the window is known to have restarted.
    is_restart: bool,
}

airmile_types::held!(Regain {});

impl Regain {
    pub(super) const fn new(direction: Direction, before: u64) -> Self {
        Self { direction, before, since: Maybe::NONE, is_restart: false }
    }

    /// Takes data of the sender; `flights` are those since the gap, while they are being counted.
    /// Returns the span in which the window is known to regain, and whether it does so no longer.
    pub(super) fn take(
        &mut self,
        segment: &Segment<'_>,
        cut: Maybe<Instant>,
        flights: Option<&Flights>,
        parameters: &Parameters,
    ) -> (Option<(Instant, Instant)>, bool) {
        let (board, now) = (segment.own, segment.time);
        let since = self.since.get().unwrap_or(now);
        self.since = since.into();
        if cut.get().is_some_and(|cut| cut >= since) {
            return (None, true);
        }
        if let Some(flights) = flights {
            let restart = flights.classify(parameters);
            self.is_restart |= matches!(restart, Ok(Restart::Reset | Restart::Decayed));
        }
        let flight = (board.next() - board.ack_known(now)).max(0).unsigned_abs();
        let is_regained = flight >= self.before;
        let until = if is_regained { now + GROWTH_SPAN } else { now };
        let is_over = is_regained || (flights.is_none() && !self.is_restart);
        (self.is_restart.then_some((since, until)), is_over)
    }
}
