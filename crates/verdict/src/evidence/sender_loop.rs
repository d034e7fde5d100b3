//! Gives the round trip between the capture point and a sender.

use airmile_track::Scoreboard;
use airmile_types::Duration;

/// The round trip from the capture point to the sender and back.
#[inline]
pub(super) fn loop_of(board: &Scoreboard) -> Duration {
    board.loop_time().unwrap_or(Duration::ZERO)
}
