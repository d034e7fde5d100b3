//! Which step a message is, by its first bits.

use super::step::{Channel, Step};
use super::{lte, nr};

/// What a message does; `None` for one that says nothing of connected cells.
pub(crate) fn step(nr: bool, channel: Channel, message: &[u8]) -> Option<Step> {
    if nr { nr::step(channel, message) } else { lte::step(channel, message) }
}
