//! The loop between the tap and a sender.

use airmile_track::Scoreboard;
use airmile_types::Duration;

/// Tap, sender, tap.
#[inline]
pub(super) fn loop_of(board: &Scoreboard) -> Duration {
    board.loop_time().unwrap_or(Duration::ZERO)
}
