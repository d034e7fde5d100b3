//! Notes the idle gaps of a sender, and hands what follows to its restarts (methods C7, T3).

use airmile_track::Segment;
use airmile_types::{Direction, Duration, Instant};

use super::restart::Watch;
use super::sent::Sent;
use super::state::Sender;
use crate::evidence::bits::Mask;

impl Sender {
    /// The milliseconds of a bin in which the congestion window regains what it held before an idle
    /// gap.
    pub(crate) fn restarts_at(&self, bin: i64) -> Mask {
        self.restarts.as_ref().map_or(0, |restarts| restarts.times.at(bin))
    }

    /// Notes data after a silence longer than the timer. Only an idle gap lets the window restart:
    /// nothing is in flight and no request is open for that long (methods T3).
    #[cold]
    pub(super) fn note_rest(&mut self, segment: &Segment<'_>, silence: Duration) {
        let (board, now) = (segment.own, segment.time);
        let from = board.last_advance().unwrap_or(Instant::MIN).max(now - silence);
        // A request ends the gap of the server, and an answer begins that of the phone.
        let peer = segment.peer.last_data().filter(|data| *data > from);
        let length = match segment.direction {
            Direction::Downlink => peer.unwrap_or(now) - from,
            Direction::Uplink => now - peer.unwrap_or(from),
        };
        let before = self.congestion.carried();
        let is_gap = segment.start <= board.unacked() && length > board.rto() && before > 0;
        if is_gap || self.restarts.is_some() {
            self.restarts.get_or_insert_default().watch =
                is_gap.then(|| Watch::new(segment, before));
        }
    }

    /// Follows what comes after a gap.
    #[inline]
    pub(super) fn follow_restart(&mut self, segment: &Segment<'_>, sent: &Sent) {
        if let Some(restarts) = &mut self.restarts
            && restarts.watch.is_some()
        {
            restarts.follow(segment, sent);
        }
    }

    /// Growth after a retransmission is not that of a restart.
    pub(super) fn end_restart(&mut self) {
        if let Some(restarts) = &mut self.restarts {
            restarts.watch = None;
        }
    }
}
