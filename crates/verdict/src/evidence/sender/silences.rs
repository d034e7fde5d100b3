//! Keeps what is known of the silences of a sender.

use super::doubt::Doubt;
use super::pace::Pace;
use crate::evidence::timeline::Timeline;

/// The silences of a sender; made at the first of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Silences {
    pub(super) pace: Pace,
    /// The newest silence, while it is not decided whether the application caused it.
    pub(super) doubt: Option<Doubt>,
    /// The times in which Nagle's algorithm may have held the data that followed.
    pub(super) nagle: Timeline,
}

airmile_types::held!(Silences { nagle });
